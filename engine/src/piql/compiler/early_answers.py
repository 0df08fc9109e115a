"""Queries whose results are told before the rest of the set is compiled: those that somebody looks at.

    with early_answers(names, tell):       outside
        compile(texts)

A change of one table may compile a hundred queries again. The results of those that read no secondary index depend on
no other query, so they are told as soon as they are there, and are the same in the compilation that follows. Told are
only queries that are bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from piql.compiler.binding.binder import BoundQuery
from piql.compiler.index_design import IndexesByTable
from piql.compiler.one_query import finish_once, plan_once
from piql.compiler.physical.indexes.index_set import IndexSet
from piql.compiler.result import CompiledQuery
from piql.compiler.syntax import ast
from piql.schema.catalog import Catalog

FEW = 16  # queries; where no more are compiled again, the whole result is there as soon
_NO_INDEXES = IndexSet({}, {})


@dataclass(frozen=True, slots=True)
class Early:
    """Queries with what they were compiled over: the pieces that define the schema."""

    queries: tuple[CompiledQuery, ...]  # spans count from the start of each piece
    definitions: Sequence[ast.ParsedFile]


@dataclass(frozen=True, slots=True)
class Listener:
    """Who is told early, and of which queries."""

    names: frozenset[str]
    tell: Callable[[Early], None]


_listener: ContextVar[Listener | None] = ContextVar("who is told early", default=None)


def listener() -> Listener | None:
    """Return who is told early in this thread or task."""
    return _listener.get()


@contextmanager
def listening(audience: Listener | None) -> Iterator[None]:
    """Let what is compiled inside, in this thread or task, tell its early queries; None for nobody."""
    token = _listener.set(audience)
    try:
        yield
    finally:
        _listener.reset(token)


def tell_early(
    queries: Sequence[BoundQuery], definitions: Sequence[ast.ParsedFile], catalog: Catalog, by_table: IndexesByTable
) -> None:
    """Tell who listens, if somebody does, what is known of these queries before any other is planned."""
    audience = _listener.get()
    if audience is None or len(queries) <= FEW:
        return
    early = tuple(_settled(queries, audience.names, catalog, by_table))
    if early:
        audience.tell(Early(early, definitions))


def _settled(
    queries: Iterable[BoundQuery], names: frozenset[str], catalog: Catalog, by_table: IndexesByTable
) -> Iterator[CompiledQuery]:
    """Yield the queries of these names that no other query changes."""
    for query in queries:
        if query.name not in names or query.kind != "select" or query.has_errors:
            continue
        planned = plan_once(query, by_table)
        if planned is None or planned.plan is None or planned.tables:
            continue
        compiled = finish_once(query, planned, catalog, _NO_INDEXES)
        if compiled.is_bounded:
            yield compiled
