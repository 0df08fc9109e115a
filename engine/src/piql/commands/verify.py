"""`piql verify`: counts views again from the rows of their tables, beside writers, and repairs what differs.

The indexes of a view are compared with its rows, too, and those of tables where they are asked for. Of large stores a
sample of groups and rows can be compared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from piql.client.indexes_again import IndexesAgain, compare_indexes, tables_named, tables_with_indexes
from piql.client.recounted import STEP_ROWS, Recount, StrayEntry
from piql.client.recounts import recount, repair, views_named
from piql.commands.existing import open_existing, refuse_undeployed
from piql.commands.following import add_store, attempt
from piql.commands.table import counted
from piql.runtime.deployment import Deployment
from piql.schema.catalog import Table
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
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="a view, or a table whose indexes are compared with its rows; without a name all views are counted",
    )
    parser.add_argument("--indexes", action="store_true", help="compare the indexes of all tables with their rows, too")
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="compare only N groups of each view, and N rows of each table, drawn anew each time",
    )
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
    if options.sample is not None and options.sample < 1:
        parser.error("--sample takes a positive number")
    differs = False

    def work() -> None:
        nonlocal differs
        tell = _tell_rows if sys.stderr.isatty() else None
        with open_existing(options.store) as db:
            refuse_undeployed(db, options.store)
            views, tables = _meant(db.deployment, options.names, with_indexes=options.indexes)
            if not views and not tables:
                print("no view is deployed")
            for view in views:
                assert view.view is not None
                count = repair if options.repair else recount
                result = count(db, view, tell, options.step_rows, options.sample)
                print(_in_words(result, walked_table(view.view, db.deployment.tables)))
                differs = differs or not result.is_right
            for table in tables:
                compared = compare_indexes(db, table, tell, options.step_rows, options.sample, repair=options.repair)
                print(_of_indexes(compared))
                differs = differs or bool(compared.strays)
        if differs and not options.repair:
            print("add --repair to write what the rows give", file=sys.stderr)

    return attempt("verify", work) or int(differs)


def _meant(
    deployment: Deployment, names: Sequence[str], *, with_indexes: bool
) -> tuple[Sequence[Table], Sequence[Table]]:
    """Return the views to count and the tables whose indexes to compare; raise NotDeployed for an unknown name."""
    tables = [name for name in names if name in deployment.tables and deployment.tables[name].view is None]
    views = [name for name in names if name not in tables]
    named = tables_with_indexes(deployment) if with_indexes else tables_named(deployment, tables)
    return views_named(deployment, views) if views or not tables else (), named


def _of_indexes(compared: IndexesAgain) -> str:
    if not compared.indexes:
        return f"{compared.table}: it has no index"
    rows = f"{counted(compared.rows, 'row')}{' of a sample' if compared.is_sample else ''}"
    indexes = "its index" if compared.indexes == 1 else f"its {compared.indexes} indexes"
    mended = f", {counted(compared.mended, 'entry')} repaired" if compared.mended else ""
    if not compared.strays:
        return f"{compared.table}: {rows}, and {indexes} {'holds' if compared.indexes == 1 else 'hold'} them{mended}"
    number = len(compared.strays)
    differ = f"{counted(number, 'entry')} of {indexes} {'differs' if number == 1 else 'differ'}"
    return "\n".join([f"{compared.table}: {rows}{mended}; {differ}", *_lines_of_strays(compared.strays)])


def _lines_of_strays(strays: Sequence[StrayEntry]) -> list[str]:
    lines = [
        f"  {_values(stray.group)}: {stray.index} {'lacks its entry' if stray.is_lacking else 'holds a stale entry'}"
        for stray in strays[:_MOST_SHOWN]
    ]
    return [*lines, *([f"  and {len(strays) - _MOST_SHOWN:,} more entries"] if len(strays) > _MOST_SHOWN else [])]


def _tell_rows(view: str, rows: int) -> None:
    print(f"\r{view}: {rows:,} rows counted", end="\r", file=sys.stderr)


def _in_words(result: Recount, table: str) -> str:
    rows = f"{counted(result.rows, 'row')} of {table} give {counted(result.groups, 'group')}"
    if result.is_sample:
        rows = f"{counted(result.rows, 'row')} of {table} are read for a sample of {counted(result.groups, 'group')}"
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
    return "\n".join([*lines, *_lines_of_strays(result.strays)])


def _values(values: Mapping[str, Any] | None) -> str:
    return "no row" if values is None else ", ".join(f"{name} = {shown(value)}" for name, value in values.items())
