"""The smallest world that still fails in the same way: queries, rows, columns and clauses are left out one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from .check import Failure, run_world
from .query import And, Arithmetic, Call, Case, Cast, DateSum, Not, Or, parameters_of
from .query_generator import QueryCase
from .schema import Schema
from .world import World

NEVER_EMPTY = frozenset(("branches", "columns", "items", "operands", "primary_key", "selects", "values"))
"""Fields of which something must be left: without it the text would be none."""


def shrink(world: World, failure: Failure, seconds: float = 30) -> tuple[World, Failure]:
    """Cut a failing world down as long as it fails with the same kind, for at most some seconds."""
    deadline = time.monotonic() + seconds
    best, smallest_failure = world, failure
    is_smaller = True
    while is_smaller and time.monotonic() < deadline:
        is_smaller = False
        for stage in (_fewer_queries, _fewer_tables, _smaller_queries, _fewer_rows, _smaller_schemas):
            progress = True
            while progress and time.monotonic() < deadline:
                progress = False
                for candidate in stage(best, smallest_failure):
                    again = [
                        candidate_failure
                        for candidate_failure in _run(candidate)
                        if candidate_failure.kind == failure.kind
                    ]
                    if again:
                        best, smallest_failure, progress, is_smaller = candidate, again[0], True, True
                        break
                    if time.monotonic() > deadline:
                        break
    return best, smallest_failure


def _run(world: World) -> list[Failure]:
    try:
        return run_world(world).failures
    except Exception:  # a candidate that the oracle itself cannot run is no candidate
        return []


def _fewer_queries(world: World, failure: Failure) -> Iterator[World]:
    if len(world.reads) + len(world.writes) > 1:
        yield replace(world, reads=tuple(read for read in world.reads if read.name == failure.query), writes=())
        yield replace(world, reads=(), writes=tuple(write for write in world.writes if write.name == failure.query))
        yield replace(world, reads=tuple(read for read in world.reads if read.name == failure.query))
    if world.reads and world.writes:
        yield replace(world, reads=())
        yield replace(world, writes=())
    for half in _parts(world.reads):
        yield replace(world, reads=half)
    for half in _parts(world.writes):
        yield replace(world, writes=half)


def _fewer_tables(world: World, failure: Failure) -> Iterator[World]:
    for some in _parts(world.schema.indexes):
        yield _with_schema(world, replace(world.schema, indexes=some))
    for number in range(len(world.schema.tables) - 1, -1, -1):
        tables = world.schema.tables[:number] + world.schema.tables[number + 1 :]
        if tables:
            yield _with_schema(world, replace(world.schema, tables=tables))
    for name in list(world.rows)[::-1]:
        if world.rows[name]:
            yield replace(world, rows={**world.rows, name: ()})


def _smaller_queries(world: World, failure: Failure) -> Iterator[World]:
    for number, case in enumerate(world.reads):
        for smaller in _smaller_cases(case):
            yield replace(world, reads=(*world.reads[:number], smaller, *world.reads[number + 1 :]))
    for number, case in enumerate(world.writes):
        for smaller in _smaller_cases(case):
            yield replace(world, writes=(*world.writes[:number], smaller, *world.writes[number + 1 :]))


def _fewer_rows(world: World, failure: Failure) -> Iterator[World]:
    for name in list(world.rows)[::-1]:
        for some in _parts(world.rows[name]):
            yield replace(world, rows={**world.rows, name: some})


def _smaller_schemas(world: World, failure: Failure) -> Iterator[World]:
    for schema in smaller(world.schema):
        if isinstance(schema, Schema) and schema.tables:
            yield _with_schema(world, schema)


def _with_schema(world: World, schema: Schema) -> World:
    columns_of = {table.name: {column.name for column in table.columns} for table in schema.tables}
    rows = {
        name: tuple({column: row[column] for column in row if column in columns_of[name]} for row in rows)
        for name, rows in world.rows.items()
        if name in columns_of
    }
    return replace(world, schema=schema, rows=rows)


def _parts(items: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Return ever smaller pieces to leave out of a tuple: all, halves, quarters, … single items."""
    size = len(items)
    while size:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2


def _smaller_cases(case: QueryCase) -> Iterator[QueryCase]:
    for some in _parts(case.samples):
        if some:
            yield replace(case, samples=some)
    for query in smaller(case.query):
        names = parameters_of(query)
        yield replace(
            case, query=query, samples=tuple({k: v for k, v in s.items() if k in names} for s in case.samples)
        )
    for number, sample in enumerate(case.samples):
        for name, value in sample.items():
            if isinstance(value, list) and value:
                for some in _parts(tuple(value)):
                    changed = {**sample, name: list(some)}
                    yield replace(case, samples=(*case.samples[:number], changed, *case.samples[number + 1 :]))


def smaller(node: Any) -> Iterator[Any]:
    """Yield every node with one thing less in it."""
    if isinstance(node, tuple):
        for number in range(len(node)):
            yield node[:number] + node[number + 1 :]
        for number, item in enumerate(node):
            for less in smaller(item):
                yield (*node[:number], less, *node[number + 1 :])
        return
    if not is_dataclass(node) or isinstance(node, type):
        return
    match node:
        case And() | Or():
            yield from node.operands
        case Not():
            yield node.operand
        case Call():
            yield from node.arguments
        case Case():
            yield from (value for _, value in node.branches)
        case Cast():
            yield node.operand
        case Arithmetic():
            yield node.left
        case DateSum():
            yield node.operand
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name in ("where", "having", "stop", "on", "max", "parameter") and value is not None:
            yield replace(node, **{field.name: None})
        if isinstance(value, bool) and value and field.name in ("is_distinct", "is_negated", "if_not_exists"):
            yield replace(node, **{field.name: False})
        if isinstance(value, tuple) or is_dataclass(value):
            for less in smaller(value):
                if less != () or field.name not in NEVER_EMPTY:
                    yield replace(node, **{field.name: less})
