"""`piql verify`: counts views again from the rows of their tables, beside writers, and repairs what differs.

The indexes of a view are compared with its rows, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from piql.client.recounted import STEP_ROWS, Recount
from piql.client.recounts import recount, repair, views_named
from piql.commands.existing import open_existing, refuse_undeployed
from piql.commands.following import add_store, attempt
from piql.commands.table import counted
from piql.schema.values import shown
from piql.schema.view_joins import walked_table

_MOST_SHOWN = 10  # differences of one view


def verify(argv: Sequence[str] | None = None) -> int:
    """Count views again; return 1 if one differs from what its table gives."""
    parser = argparse.ArgumentParser(
        prog="piql verify",
        description="Count views again from the rows of their tables, beside readers and writers; tell differences.",
    )
    add_store(parser)
    parser.add_argument("views", nargs="*", metavar="VIEW", help="a view; without a name all are counted")
    parser.add_argument(
        "--repair", action="store_true", help="write what the table gives for each group that differs, and count again"
    )
    parser.add_argument(
        "--step-rows",
        type=int,
        default=STEP_ROWS,
        metavar="N",
        help=f"the most rows of one read, {STEP_ROWS:,} by default",
    )
    options = parser.parse_args(argv)
    if options.step_rows < 1:
        parser.error("--step-rows takes a positive number")
    differs = False

    def work() -> None:
        nonlocal differs
        with open_existing(options.store) as db:
            refuse_undeployed(db, options.store)
            views = views_named(db.deployment, options.views)
            if not views:
                print("no view is deployed")
            for view in views:
                assert view.view is not None
                count = repair if options.repair else recount
                result = count(db, view, _tell_rows if sys.stderr.isatty() else None, options.step_rows)
                print(_in_words(result, walked_table(view.view, db.deployment.tables)))
                differs = differs or not result.is_right
        if differs and not options.repair:
            print("add --repair to write what the rows give", file=sys.stderr)

    return attempt("verify", work) or int(differs)


def _tell_rows(view: str, rows: int) -> None:
    print(f"\r{view}: {rows:,} rows counted", end="\r", file=sys.stderr)


def _in_words(result: Recount, table: str) -> str:
    rows = f"{counted(result.rows, 'row')} of {table} give {counted(result.groups, 'group')}"
    repaired = f", {counted(result.repaired, 'group')} repaired" if result.repaired else ""
    repaired += f", {counted(result.mended, 'index entry')} repaired" if result.mended else ""
    busy = f"; {counted(result.busy, 'group')} not compared, since writers changed them" if result.busy else ""
    if result.is_right:
        return f"{result.view}: {rows}, and it holds them{repaired}{busy}"
    number, strays = len(result.differences), len(result.strays)
    differing = [f"{counted(number, 'group')} of it {'differs' if number == 1 else 'differ'}"] if number else []
    if strays:
        differing.append(f"{counted(strays, 'entry')} of its indexes {'differs' if strays == 1 else 'differ'}")
    if result.left_out:
        differing.append(f"{counted(result.left_out, 'row')} not counted yet")
    lines = [f"{result.view}: {rows}{repaired}; {' and '.join(differing)}{busy}"]
    lines += [
        f"  {_values(difference.group)}: holds {_values(difference.held)}; its rows give {_values(difference.gives)}"
        for difference in result.differences[:_MOST_SHOWN]
    ]
    if number > _MOST_SHOWN:
        lines.append(f"  and {number - _MOST_SHOWN:,} more")
    lines += [
        f"  {_values(stray.group)}: {stray.index} {'lacks its entry' if stray.is_lacking else 'holds a stale entry'}"
        for stray in result.strays[:_MOST_SHOWN]
    ]
    if strays > _MOST_SHOWN:
        lines.append(f"  and {strays - _MOST_SHOWN:,} more entries")
    return "\n".join(lines)


def _values(values: Mapping[str, Any] | None) -> str:
    return "no row" if values is None else ", ".join(f"{name} = {shown(value)}" for name, value in values.items())
