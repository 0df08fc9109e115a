"""`piql run`: executes a deployed query, or one bare statement, and prints its rows and what they cost."""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from piql.client.database import Page
from piql.commands.arguments import add_output
from piql.commands.existing import open_existing, refuse_undeployed
from piql.commands.table import counted, format_table
from piql.errors import CompilationRefused, NotDeployed, PiqlError
from piql.text.diagnostics.render import render_all


def run(argv: Sequence[str] | None = None) -> int:
    """Execute a deployed query or a statement."""
    parser = argparse.ArgumentParser(prog="piql run", description="Execute a deployed query or a statement.")
    parser.add_argument("query", help='the name of a deployed query, or a statement such as "SELECT …"')
    parser.add_argument("--store", required=True, metavar="URL", help="such as embedded:PATH")
    parser.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="VALUE is JSON, or else taken as text"
    )
    parser.add_argument("--cursor", help="of the page before")
    add_output(parser)
    options = parser.parse_args(argv)
    parameters = {}
    for parameter in options.param:
        name, equals, value = parameter.partition("=")
        if not equals:
            parser.error(f"--param {parameter}: write NAME=VALUE")
        if name in parameters:
            parser.error(f"--param {name} is given twice: leave one of them out")
        parameters[name] = _value(value)
    is_statement = len(options.query.split()) > 1
    try:
        with open_existing(options.store) as db:
            refuse_undeployed(db, options.store)
            if is_statement:
                page = db.run(options.query, parameters, options.cursor)
            else:
                page = db.execute(options.query, parameters, cursor=options.cursor)
    except CompilationRefused as refusal:
        print(render_all(refusal.diagnostics) or str(refusal), file=sys.stderr)
        return 1
    except NotDeployed as error:
        print(f"piql run: {error}", file=sys.stderr)
        return 2
    except PiqlError as error:
        print(f"piql run: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(_as_json(page) if options.output == "json" else _as_text(page))
    return 0


def _value(text: str) -> object:
    try:
        return json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):  # the second: brackets, thousands deep
        return text


def _as_text(page: Page) -> str:
    parts = [format_table(tuple(page.rows[0]), [tuple(row.values()) for row in page.rows])] if page.rows else []
    rows = (
        counted(len(page.rows), "row")
        if page.rows_affected is None
        else f"{counted(page.rows_affected, 'row')} affected"
    )
    parts.append(f"{rows} · {counted(page.operations, 'request')} · {page.elapsed_ms:.2f} ms")
    if page.cursor is not None:
        parts.append(f"next page: --cursor {page.cursor}")
    return "\n".join(parts)


def _as_json(page: Page) -> str:
    shown = {
        "rows": [{name: _plain(value) for name, value in row.items()} for row in page.rows],
        "cursor": page.cursor,
        "operations": page.operations,
        "round_trips": page.round_trips,
        "elapsed_ms": page.elapsed_ms,
        "rows_affected": page.rows_affected,
    }
    return json.dumps(shown, indent=2, ensure_ascii=False)


def _plain(value: object) -> object:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return base64.b64encode(value).decode()
        case date():  # a datetime is one, too
            return value.isoformat()
        case _:
            return str(value)
