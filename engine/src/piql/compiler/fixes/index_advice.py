"""Advice to store less: indexes made by hand that nothing reads, and tables that are kept in two orders.

    unused-index         no query reads i, and no constraint needs it          →   remove CREATE INDEX i
    primary-key-order    t is stored by (a, b), and an index holds it by (b, a)   →   PRIMARY KEY (b, a)

Enters: a compilation without errors, and a way to compile it with edits. Leaves: findings, their fixes compiled first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice

from piql.compiler.fixes.select_text import without_comments
from piql.compiler.logical.operators import Delete, Insert, Relation, Update
from piql.compiler.physical.indexes.secondary_index import serves_constraint
from piql.compiler.physical.operators import IndexScan, SortedIndexJoin
from piql.compiler.physical.partitions import end_of_statement
from piql.compiler.result import Compilation, CompiledQuery
from piql.schema.catalog import Index, Table
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report
from piql.text.source import Span
from piql.trees.caches import Cached

_NAME = re.compile(r'"[^"]*"|[^\s,]+')

_tables_by_query: Cached[frozenset[str]] = Cached(2048)  # the tables that a query names
_advice: Cached[tuple[Diagnostic, ...]] = Cached(512)

Trial = Callable[[tuple[Edit, ...], set[str]], Compilation]
"""Compiles the schema and the queries of these names with edits made."""


def advise(compilation: Compilation, trial: Trial) -> tuple[Diagnostic, ...]:
    """Return the findings about all tables. Those about a table are kept until a query that names it changes."""
    unused = _unused(compilation)
    reordered = [
        index for index in compilation.indexes.values() if _is_other_order(index, compilation.tables[index.table])
    ]
    if not unused and not reordered:
        return ()
    naming = _by_table(compilation)
    findings: list[Diagnostic] = []
    for index in unused:
        queries = naming.get(index.table, ())
        keys = (compilation.catalog.tables, compilation.catalog.indexes, index, *queries)
        findings.extend(_advice.recall(keys, partial(_about_unused, index, queries, trial)))
    for index in reordered:
        table, queries = compilation.tables[index.table], naming.get(index.table, ())
        keys = (compilation.catalog.tables, compilation.catalog.indexes, table, *queries)
        findings.extend(_advice.recall(keys, partial(_about_order, index, table, queries, compilation, trial)))
    return tuple(findings)


def _by_table(compilation: Compilation) -> dict[str, tuple[CompiledQuery, ...]]:
    """Return the queries that read or write each table."""
    by_table: dict[str, list[CompiledQuery]] = {}
    for query in compilation.queries.values():
        for name in _tables_by_query.recall((query,), partial(_tables_of, query)):
            by_table.setdefault(name, []).append(query)
    return {name: tuple(queries) for name, queries in by_table.items()}


def _tables_of(query: CompiledQuery) -> frozenset[str]:
    plan = query.bound_plan
    if plan is None:
        return frozenset()
    if isinstance(plan, Insert | Update | Delete):
        return frozenset((plan.table.name,))
    return frozenset(node.table.name for node in plan.find(Relation))


def _unused(compilation: Compilation) -> list[Index]:
    """Return the indexes made by hand that no query reads and no constraint needs."""
    if not compilation.catalog.indexes:
        return []
    read = {index.name for query in compilation.queries.values() for index in query.indexes}
    return [
        index
        for name, index in compilation.catalog.indexes.items()
        if name not in read and name in compilation.indexes and not serves_constraint(compilation.indexes[name])
    ]


def _about_unused(index: Index, queries: tuple[CompiledQuery, ...], trial: Trial) -> tuple[Diagnostic, ...]:
    """Advise to remove an index; the fix is offered if no bound of `queries`, those of its table, gets worse."""
    assert index.span is not None
    title, consequence, edits = removal_of_index(index)
    fix = Fix(title, edits, consequence=consequence)
    works = is_no_worse(queries, trial(edits, {query.name for query in queries}))
    return (
        report(
            "unused-index",
            f"no query reads {index.name}, and each write to {index.table} keeps it up to date",
            index.span,
            help="remove it, unless statements of the interactive mode read it",
            fixes=(fix,) if works else (),
        ),
    )


def removal_of_index(index: Index) -> tuple[str, str, tuple[Edit, ...]]:
    """Return how an index that was made by hand is removed: the title, the consequence and the edits."""
    assert index.span is not None
    consequence = f"the answers stay the same; each write to {index.table} updates one index fewer"
    return f"Remove CREATE INDEX {index.name}", consequence, (_removal(index.span),)


def _removal(span: Span) -> Edit:
    """Return the edit that removes a statement, and its line if nothing else is on it."""
    text = span.source.text
    start, end = span.start, end_of_statement(text, span.end)
    line = text.rfind("\n", 0, start)
    if line >= 0 and not text[line:start].strip():
        start = line
    return Edit(span.file, start, end, "")


def is_no_worse(before: tuple[CompiledQuery, ...], after: Compilation) -> bool:
    """Return whether the compilation afterwards bounds each query at least as tightly as before."""
    if after.has_errors:
        return False
    for query in before:
        old, new = query.bound, after.queries[query.name].bound
        if old is None or new is None or new.operations > old.operations:
            return False
        if new.round_trips > old.round_trips or new.rows > old.rows:
            return False
    return True


def _is_other_order(index: Index, table: Table) -> bool:
    """Return whether an index that the compiler made holds the columns of the primary key in another order."""
    if index.span is not None or len(index.columns) != len(table.primary_key) or index.columns[0].token_of:
        return False
    names = tuple(column.name for column in index.columns)
    directions = {column.ascending for column in index.columns}
    return len(directions) == 1 and names != table.primary_key and set(names) == set(table.primary_key)


def _about_order(
    index: Index, table: Table, queries: tuple[CompiledQuery, ...], compilation: Compilation, trial: Trial
) -> tuple[Diagnostic, ...]:
    """Advise to give the primary key the order of an index, if no bound gets worse and an index fewer is needed."""
    names = ", ".join(column.name for column in index.columns)
    span = table.key_span
    edits = _in_order(span, table.primary_key, [column.name for column in index.columns]) if span is not None else ()
    if span is None or not edits:
        return ()

    def is_better(readers: tuple[CompiledQuery, ...]) -> bool:
        after = trial(edits, {query.name for query in readers})
        if not is_no_worse(readers, after) or _references(after, table.name) != _references(compilation, table.name):
            return False
        return _count(after, table.name) < _count(compilation, table.name)

    examples = _one_of_each_order(queries, index)
    if len(examples) < len(queries) and not is_better(examples):  # a quick test of two queries before that of all
        return ()
    if not is_better(queries):
        return ()
    readers = [query.name for query in queries if any(used.name == index.name for used in query.indexes)]
    consequence = f"the answers stay the same; the key of {table.name} cannot change once it holds rows"
    for_whom = f" for {' and '.join(readers[:3])}" if readers else ""
    return (
        report(
            "primary-key-order",
            f"{table.name} is stored in the order of ({', '.join(table.primary_key)}), and once more in the order of "
            f"({names}){for_whom}",
            span,
            help=f"PRIMARY KEY ({names}) alone serves all of its queries, and every write updates one index fewer; "
            "the key of a table that holds rows cannot change",
            fixes=(Fix(f"Make it PRIMARY KEY ({names})", edits, consequence=consequence),),
        ),
    )


def _one_of_each_order(queries: tuple[CompiledQuery, ...], index: Index) -> tuple[CompiledQuery, ...]:
    """Return the first query that reads a table by an index of it, and the first that reads it by its primary key."""
    by_index = (query for query in queries if any(used.name == index.name for used in query.indexes))
    by_key = (query for query in queries if _reads_by_key(query, index.table))
    return tuple({query.name: query for readers in (by_index, by_key) for query in islice(readers, 1)}.values())


def _reads_by_key(query: CompiledQuery, table: str) -> bool:
    """Return whether a query reads a range of a table's primary key, so that its order matters."""
    if query.plan is None:
        return False
    ranges: list[IndexScan | SortedIndexJoin] = [*query.plan.find(IndexScan), *query.plan.find(SortedIndexJoin)]
    return any(
        range_.index.is_primary and range_.index.table == table and len(range_.prefix) < len(range_.index.columns)
        for range_ in ranges
    )


def _in_order(span: Span, key: tuple[str, ...], names: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edits that put other names into the parentheses of a key; comments among them stay where they are."""
    text = without_comments(span.text)
    match = re.search(r"\((?P<columns>[^()]*)\)", text)
    if match is None:
        return ()
    start, end = match.span("columns")
    written = list(_NAME.finditer(text, start, end))
    spelled = {name_match.group().strip('"'): name_match.group() for name_match in written}
    if tuple(spelled) != key:
        return ()
    ordered = [spelled[name] for name in names]
    if text == span.text:
        return (Edit(span.file, span.start + start, span.start + end, ", ".join(ordered)),)
    return tuple(
        Edit(span.file, span.start + name_match.start(), span.start + name_match.end(), name)
        for name_match, name in zip(written, ordered, strict=True)
        if name_match.group() != name
    )


def _references(compilation: Compilation, name: str) -> list[object]:
    """Return what the foreign keys on a table pair, whatever the order of its key."""
    return [
        (table.name, frozenset(zip(key.columns, key.referenced_columns, strict=True)))
        for table in compilation.tables.values()
        for key in table.foreign_keys
        if key.table == name
    ]


def _count(compilation: Compilation, table: str) -> int:
    """Return how many secondary indexes a table has."""
    return sum(index.table == table for index in compilation.indexes.values())
