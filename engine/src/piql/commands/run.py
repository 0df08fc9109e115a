"""`piql run`: executes a deployed query, or one bare statement, and prints its rows and what they cost."""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from piql.client.database import Database, Page
from piql.commands.arguments import add_output
from piql.commands.existing import open_existing, refuse_undeployed
from piql.commands.table import counted, format_table
from piql.errors import CompilationRefused, InvalidParameter, NotDeployed, PiqlError
from piql.schema.json_values import decimal_text
from piql.text.diagnostics.render import render_all


def run(argv: Sequence[str] | None = None) -> int:
    """Execute a deployed query or a statement."""
    parser = argparse.ArgumentParser(prog="piql run", description="Execute a deployed query or a statement.")
    parser.add_argument("query", help='the name of a deployed query, or a statement such as "SELECT …"')
    parser.add_argument("--store", required=True, metavar="URL", help="such as embedded:PATH")
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="VALUE is JSON, or text where it is none, or where the parameter takes no such value",
    )
    parser.add_argument("--cursor", help="of the page before")
    add_output(parser)
    options, unknown = parser.parse_known_args(argv)
    for argument in unknown:
        is_value = "=" in argument and not argument.startswith("-")
        parser.error(f"{argument}: write --param {argument}" if is_value else f"unrecognized arguments: {argument}")
    texts: dict[str, str] = {}
    for parameter in options.param:
        name, equals, value = parameter.partition("=")
        if not equals:
            parser.error(f"--param {parameter}: write NAME=VALUE")
        if name in texts:
            parser.error(f"--param {name} is given twice: leave one of them out")
        texts[name] = value
    try:
        with open_existing(options.store) as db:
            refuse_undeployed(db, options.store)
            page = _page(db, options.query, texts, options.cursor)
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


def _page(db: Database, query: str, texts: Mapping[str, str], cursor: str | None) -> Page:
    """Execute with the values of texts; a value that its parameter refuses is the text itself, such as digits of a key.

    Parameters are refused before anything is read or written, so that nothing is done twice.
    """
    parameters = {name: _value(text) for name, text in texts.items()}
    refusals: dict[str, InvalidParameter] = {}
    while True:
        try:
            if len(query.split()) > 1:
                return db.run(query, parameters, cursor)
            return db.execute(query, parameters, cursor=cursor)
        except InvalidParameter as refusal:
            name = refusal.parameter or ""
            if name in refusals:
                raise refusals[name] from None
            if name not in texts or isinstance(parameters[name], str):
                raise
            refusals[name], parameters[name] = refusal, texts[name]


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
        case Decimal():
            return decimal_text(value)
        case date():  # a datetime is one, too
            return value.isoformat()
        case _:
            return str(value)
