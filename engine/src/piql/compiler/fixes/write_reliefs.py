"""What may make a write cheaper: an index that nobody reads, a limit that no query needs, fewer rows, fewer copies.

    CREATE INDEX by_at ON message (at)              →   removed, where no query reads it
    CARDINALITY LIMIT 50 (author)                   →   removed, where no bound relies on it
    DELETE FROM line WHERE cart = [cart]            →   … LIMIT 100, and several executions
    INSERT INTO line VALUES [rows] MAX 500          →   … MAX 100
    SELECT * FROM item WHERE title CONTAINS [w]     →   SELECT id, title: no copy of what the write changes

No UNIQUE and no foreign key is taken away: what they refuse is wrong, not too much. Nor is a number of a limit or the
length of a column lowered, since somebody has said that so much is needed.

Enters: a set whose writes are compiled. Leaves: reliefs in the order in which they are offered, none of them tried yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from piql.compiler.bounds.queries import bound_of
from piql.compiler.fixes.consequences import ANSWER_STAYS, CHANGES
from piql.compiler.fixes.index_advice import removal_of_index
from piql.compiler.fixes.select_text import without_comments
from piql.compiler.fixes.table_elements import Declaration, Element, without_elements, without_maximum
from piql.compiler.logical.operators import Delete, Stop, Update
from piql.compiler.physical.indexes.secondary_index import serves_constraint
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.physical.writes import change_of
from piql.compiler.result import Compilation, CompiledQuery
from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import name_text, written
from piql.schema.catalog import CardinalityLimit, Index, Table
from piql.text.diagnostics.diagnostic import Edit


@dataclass(frozen=True, slots=True)
class Relief:
    """A change that may make a write cheaper. Those that `may_be_joined` are tried together where none is enough."""

    title: str
    consequence: str
    edits: tuple[Edit, ...] = ()
    may_be_joined: bool = False
    gone: TableElement | None = None  # of a table, beside the edits


class TableElement(NamedTuple):
    """An element of a table, with the statement and the file that it stands in."""

    file: ast.ParsedFile
    statement: Declaration
    element: Element


def edits_of(reliefs: Sequence[Relief]) -> tuple[Edit, ...]:
    """Return the edits of several reliefs together: what goes from one table goes at once, with the commas between."""
    edits = {edit for relief in reliefs for edit in relief.edits}
    by_table: dict[int, list[TableElement]] = {}
    for relief in reliefs:
        if relief.gone is not None:
            by_table.setdefault(id(relief.gone.statement), []).append(relief.gone)
    for gone in by_table.values():
        edits.update(without_elements(gone[0].file, gone[0].statement, [place.element for place in gone]))
    return tuple(sorted(edits, key=lambda edit: (edit.file, edit.start)))


@dataclass(frozen=True, slots=True)
class DearWrite:
    """A write that is called expensive, among the texts in which edits may be made."""

    query: CompiledQuery
    plans: tuple[WritePlan, ...]  # of a unit, those of its statements
    compilation: Compilation
    definitions: Sequence[ast.ParsedFile]
    selects: Sequence[tuple[str, ast.QueryExpression]]  # the texts of the queries that read, by their names


def reliefs_of(write: DearWrite) -> list[Relief]:
    """Return what may make a write cheaper: what keeps all answers first, and among it what takes the least away."""
    return [*_without_indexes(write), *_without_limits(write), *_fewer_rows(write), *_without_copies(write)]


def _without_indexes(write: DearWrite) -> Iterator[Relief]:
    """Yield the removal of each index that was made by hand, is changed by the write, and is read by no query."""
    read = {index.name for query in write.compilation.queries.values() for index in query.indexes}
    for name, index in write.compilation.catalog.indexes.items():
        is_changed = any(
            changed.name == name and change_of(plan, changed) != "none"
            for plan in write.plans
            for changed in plan.indexes
        )
        if is_changed and name not in read and not serves_constraint(write.compilation.indexes[name]):
            yield Relief(*removal_of_index(index), may_be_joined=True)


def _without_limits(write: DearWrite) -> Iterator[Relief]:
    """Yield the removal of each limit that the write counts for, the dearest first: those on words."""
    limits = {
        (plan.table.name, limit): plan.table
        for plan in write.plans
        for limit in (*(limit for limit, _ in plan.counted_limits), *plan.left)
        if isinstance(limit, CardinalityLimit)
    }
    for (_, limit), table in sorted(limits.items(), key=lambda item: not item[0][1].is_token):
        removed = _removal_of_limit(table, limit, write.definitions)
        if removed is not None:
            rows = f"{limit.limit:,} rows"
            shared = f" with the same {' and '.join(limit.columns)}" if limit.columns else f" of {table.name}"
            if limit.is_token:
                shared = f" with one word in {' or '.join(limit.columns)}"
            consequence = f"writes beyond {rows}{shared} are no longer refused; {ANSWER_STAYS}"
            title = f"Remove {limit.declaration} from {table.name}"
            yield replace(removed, title=title, consequence=consequence, may_be_joined=True)


def _removal_of_limit(table: Table, limit: CardinalityLimit, files: Iterable[ast.ParsedFile]) -> Relief | None:
    """Return how a limit is taken out of its table: the whole element, or the MAX of a foreign key."""
    for file in files:
        for statement in file.statements:
            if not isinstance(statement, Declaration) or statement.name.text != table.name:
                continue
            for element in statement.elements:
                beside = element.constraints if isinstance(element, ast.ColumnDefinition) else ()
                for constraint in (element, *beside):
                    if constraint.span == limit.span:
                        return _removal_of(constraint, element, file, statement)
    return None


def _removal_of(constraint: ast.AstNode, element: Element, file: ast.ParsedFile, table: Declaration) -> Relief | None:
    if isinstance(constraint, ast.ForeignKeyClause | ast.EntityReference):
        return Relief("", "", without_maximum(file, constraint))
    return Relief("", "", gone=TableElement(file, table, element)) if constraint is element else None


def _fewer_rows(write: DearWrite) -> Iterator[Relief]:
    """Yield how one execution writes so few rows that it stays below the threshold; not of a unit, which is whole."""
    bound, plan = write.query.bound, write.plans[0]
    if bound is None or write.query.statements:
        return
    threshold = write.compilation.catalog.thresholds.requests
    if plan.rows is not None:
        number = plan.rows.max_span
        rows = _round(plan.rows.max * threshold // bound.operations)
        if number is not None and rows:
            consequence = f"lists of more than {rows:,} rows are refused: give the rest in further executions"
            edit = Edit(number.file, number.start, number.end, str(rows))
            yield Relief(f"Write MAX {rows}", f"{consequence}; {ANSWER_STAYS}", (edit,))
    elif plan.section is not None:
        most = bound_of(plan.section)
        of_a_row = (bound.operations - most.operations) // max(most.rows, 1)
        rows = _round((threshold - most.operations) // max(of_a_row, 1))
        if rows > 0:
            yield from _stopped(write.query, rows)


def _stopped(query: CompiledQuery, rows: int) -> Iterator[Relief]:
    """Yield LIMIT `rows` for a write of a section, in the place of its LIMIT if it has one."""
    logical = query.bound_plan
    section = logical.section if isinstance(logical, Update | Delete) else None
    does = "changes" if isinstance(logical, Update) else "deletes"
    consequence = f"{CHANGES}: one execution {does} at most {rows:,} rows; execute it until rows_affected is less"
    if isinstance(section, Stop):
        number = section.count.max_span or section.count.span
        if number is not None and number.text.isdecimal():
            word = "LIMIT" if section.count.parameter is None else "MAX"
            yield Relief(f"Write {word} {rows}", consequence, (Edit(number.file, number.start, number.end, str(rows)),))
        return
    body = without_comments(query.span.text).rstrip().removesuffix(";").rstrip()
    end = query.span.start + len(body)
    line = body.splitlines()[-1] if "\n" in body else ""
    space = "\n" + line[: len(line) - len(line.lstrip())] if line else " "
    yield Relief(f"Add LIMIT {rows}", consequence, (Edit(query.span.file, end, end, f"{space}LIMIT {rows}"),))


def _round(number: int) -> int:
    """Return a number that is no larger, and that a person would write: 713 → 700."""
    return number - number % 10 ** (len(str(number)) - 1) if number > 0 else 0


def _without_copies(write: DearWrite) -> Iterator[Relief]:
    """Yield the reading queries without the columns whose copies the write keeps in the entries of an index."""
    for plan in write.plans:
        if plan.kind != "update":
            continue
        changed = {value.column for value in plan.values}
        for index in plan.indexes:
            copies = plan.table.in_order(changed.intersection(index.covering))
            if copies and change_of(plan, index) == "put":
                yield from _leaving_out(write, plan.table, index, copies)


def _leaving_out(write: DearWrite, table: Table, index: Index, copies: Sequence[str]) -> Iterator[Relief]:
    """Yield one relief in which each query that reads `index` names its columns, without `copies`."""
    edits: list[Edit] = []
    names: list[str] = []
    for name, select in write.selects:
        if all(read.name != index.name for read in write.compilation.queries[name].indexes):
            continue
        edit = _items_without(select, table, frozenset(copies))
        if edit is not None:
            edits.append(edit)
            names.append(name)
    if edits:
        columns = " and ".join(copies)
        readers = " and ".join(names)
        gives = "gives" if len(names) == 1 else "give"
        consequence = f"{CHANGES}: {readers} {gives} no {columns} any more, which a query by the key can read"
        yield Relief(f"Leave {columns} out of {readers}", consequence, tuple(edits))


def _items_without(select: ast.QueryExpression, table: Table, columns: frozenset[str]) -> Edit | None:
    """Return the edit that leaves columns out of the list of a SELECT from one table; None where it is another query.

    A comment in the list would be lost, so such a list stays.
    """
    if not isinstance(select, ast.Select) or select.from_clause is None or select.from_clause.joins:
        return None
    span = select.items_span
    if without_comments(span.text) != span.text:
        return None
    kept: list[str] = []
    is_less = False
    for item in select.items:
        if isinstance(item, ast.Star):
            prefix = "" if item.qualifier is None else f"{name_text(item.qualifier)}."
            kept += [f"{prefix}{written(column.name)}" for column in table.columns if column.name not in columns]
            is_less = True
        elif isinstance(item.expression, ast.ColumnName) and item.expression.name.text in columns:
            is_less = True
        else:
            kept.append(item.span.text)
    return Edit(span.file, span.start, span.end, ", ".join(kept)) if is_less and kept else None
