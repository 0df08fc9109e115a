"""Queries whose results are told before the whole set is there: those that somebody looks at, then all others.

    with listening(Listener(names, tell)):       outside
        compile(texts)                           tells the queries of these names, plans all others, tells these

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
from piql.compiler.index_design import IndexesByTable, PlannedQuery
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
    """Who is told early, and of which queries first."""

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
        if query.name not in names or not _may_be_settled(query):
            continue
        planned = plan_once(query, by_table)
        if planned is None or not _is_settled(planned):
            continue
        compiled = finish_once(query, planned, catalog, _NO_INDEXES)
        if compiled.is_bounded:
            yield compiled


def tell_others(
    results: Sequence[tuple[BoundQuery, PlannedQuery | None, CompiledQuery]], definitions: Sequence[ast.ParsedFile]
) -> None:
    """Tell who listens, if somebody does, what is known of all other queries before the set is put together."""
    audience = _listener.get()
    if audience is None or len(results) <= FEW:
        return
    early = tuple(
        compiled
        for query, planned, compiled in results
        if query.name not in audience.names
        and _may_be_settled(query)
        and planned is not None
        and _is_settled(planned)
        and compiled.is_bounded
    )
    if early:
        audience.tell(Early(early, definitions))


def _may_be_settled(query: BoundQuery) -> bool:
    """Whether no other query may change the plan of this one, unless it reads a secondary index."""
    return query.kind == "select" and query.unit is None and not query.has_errors


def _is_settled(planned: PlannedQuery) -> bool:
    """Whether a plan reads no secondary index."""
    return planned.plan is not None and not planned.tables
