"""Rows that are generated, into the tables of a store or into files: streamed, a table after its parents.

A store that holds rows already is refused, unless rows are to be added. Then each batch is checked against the store
first, and rows that would be refused, or would replace one, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, cast

from piql.client.database import Database
from piql.compiler.logical.expressions import Expression, columns_of
from piql.errors import PiqlError
from piql.files.dumping import dump_rows
from piql.files.formats import Format
from piql.files.row_check import NumberedRow, RowCheck
from piql.generating.generator import Generator, TableGeneration, TableReport
from piql.generating.table_rows import Fits, GeneratedRow
from piql.generating.wish import Wish
from piql.runtime.execution.expressions import ExpressionCompiler
from piql.runtime.writing.bulk import BATCH, batches
from piql.schema.catalog import Table
from piql.store.rows import Row

_PAGE_ROWS = 1000  # of a file, between two calls of `tell`
_STOP_ROWS = 1000  # rows between two questions whether to stop

ProgressCallback: TypeAlias = Callable[[str, int, int], None]
"""Called now and then with a table, its rows so far, and how many it is to get."""
Stop: TypeAlias = Callable[[], bool]


class RowsAreThere(PiqlError):
    """Tables that are to be filled hold rows already."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What was generated of a table; `left_out` are rows that do not fit what the store held before."""

    report: TableReport
    left_out: int = 0


def wish_for(db: Database, wish: Wish, *, is_adding: bool) -> Wish:
    """Return the wish as the rows of a store demand it; raise RowsAreThere where it holds some and none are added."""
    holding = [
        table.name
        for table in db.deployment.tables.values()
        if table.view is None and wish.rows_of.get(table.name) != 0 and db.some_rows(table.name, table.primary_key, 1)
    ]
    if holding and not is_adding:
        verb = "holds" if len(holding) == 1 else "hold"
        raise RowsAreThere(f"{', '.join(holding)} {verb} rows already, which stay as they are: say that rows are added")
    passed_over = {name: _about(db, name) for name in holding}
    return replace(wish, passed_over=passed_over)


def checks_of(tables: Mapping[str, Table]) -> Mapping[str, Fits]:
    """Return for each table with CHECKs what tells whether a row, given by its columns, keeps them all."""
    return {name: _keeps_checks(table) for name, table in tables.items() if table.checks}


def _keeps_checks(table: Table) -> Fits:
    tests = [cast("Expression", check.test.test) for check in table.checks]
    sources = {column: f"r[{column.name!r}]" for test in tests for column in columns_of(test)}
    compiler = ExpressionCompiler(sources, {}, lambda _: None)  # values as users give them
    breaks: Fits = compiler.function("r", " or ".join(compiler.is_false(test) for test in tests))

    def fits(row: GeneratedRow) -> bool:
        try:
            return not breaks(row)
        except (ArithmeticError, PiqlError):
            return False

    return fits


def _about(db: Database, table: str) -> int:
    """Return a number of keys to pass over, so that most of them are free."""
    return max(BATCH, 2 * db.store.estimate_rows(db.deployment.table(table)))


def dry_run(
    tables: Mapping[str, Table], wish: Wish, tell: ProgressCallback | None = None, stop: Stop | None = None
) -> list[Generated]:
    """Make all rows, write none, and return what they are; stopped, of the tables so far."""
    generator = Generator(tables, wish, checks_of(tables))
    reports = []
    for table in generator.tables:
        rows = generator.rows(table.name)
        asked = generator.counts[table.name]
        for count, _ in enumerate(_until_stopped(rows, stop), start=1):
            if tell is not None and count % _PAGE_ROWS == 0:
                tell(table.name, count, asked)
        reports.append(Generated(rows.report))
        if stop is not None and stop():
            break
    return reports


def load_generated(
    db: Database, wish: Wish, *, is_adding: bool = False, tell: ProgressCallback | None = None, stop: Stop | None = None
) -> list[Generated]:
    """Load rows into all tables that are deployed; stopped, it returns what is in.

    Raises RowsAreThere where tables hold rows and none are to be added.
    """
    checked_wish = wish_for(db, wish, is_adding=is_adding)
    generator = Generator(db.deployment.tables, checked_wish, checks_of(db.deployment.tables))
    loaded = []
    for table in generator.tables:
        rows = generator.rows(table.name)
        asked = generator.counts[table.name]
        count = left_out = 0
        for batch in batches(_until_stopped(rows, stop), BATCH):
            fitting = _fitting(db, table.name, batch) if is_adding else batch
            count += db.load(table.name, fitting)
            left_out += len(batch) - len(fitting)
            if tell is not None:
                tell(table.name, count, asked)
        loaded.append(Generated(replace(rows.report, rows=count), left_out))
        if stop is not None and stop():
            break
    return loaded


def _fitting(db: Database, table: str, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the rows that a store takes together as new ones: none is refused, none replaces a row."""
    while rows:
        check = RowCheck(db, table)
        refused = {problem.line for problem in check.problems([NumberedRow(at, row) for at, row in enumerate(rows)])}
        unfit = check.known_lines or refused  # a row that is left out must not make room for another one
        if not unfit:
            return rows
        rows = [row for at, row in enumerate(rows) if at not in unfit]
    return rows


def write_generated(
    tables: Mapping[str, Table], wish: Wish, folder: Path, file_format: Format, tell: ProgressCallback | None = None
) -> list[tuple[Path, Generated]]:
    """Write the rows of each table into a new file of its name; the folder is made where there is none.

    Raises FileExistsError where there is such a file.
    """
    generator = Generator(tables, wish, checks_of(tables))
    paths = {table.name: folder / f"{_as_file_name(table.name)}.{file_format}" for table in generator.tables}
    there = next((path for path in paths.values() if path.exists()), None)
    if there is not None:
        raise FileExistsError(f"{there} exists already and is not overwritten: choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in generator.tables:
        rows = generator.rows(table.name)

        def told(count: int, name: str = table.name) -> None:
            if tell is not None:
                tell(name, count, generator.counts[name])

        dump_rows(table.columns, _pages(table, rows), paths[table.name], file_format, tell=told)
        written.append((paths[table.name], Generated(rows.report)))
    return written


def _pages(table: Table, rows: TableGeneration) -> Iterable[list[Row]]:
    names = [column.name for column in table.columns]
    source = iter(rows)
    while page := list(islice(source, _PAGE_ROWS)):
        yield [tuple([row[name] for name in names]) for row in page]


def _as_file_name(table: str) -> str:
    return re.sub(r"[^\w-]", "_", table, flags=re.ASCII)


def _until_stopped(rows: Iterable[dict[str, Any]], stop: Stop | None) -> Iterator[dict[str, Any]]:
    source = iter(rows)
    while stop is None or not stop():
        some = list(islice(source, _STOP_ROWS))
        if not some:
            return
        yield from some
