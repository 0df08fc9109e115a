"""Plans of a query for other numbers in the limits of its tables, where planning would take the very same way.

    LIMIT 100 ──▶ planned      LIMIT 120 ──▶ planned, and traced      LIMIT 130 ──▶ filled in, or planned and traced
                                                                                    where a test comes out otherwise

A change of a limit plans all queries again that rest on it, and hardly ever changes more than numbers. So the second
time the limits are traced numbers (`trees.traced_numbers`): what planning computes of them and each test that it makes
is written down, and the plan becomes a template; likewise the bound that is read off it. For other numbers all tests
are made again. Only if each comes out as it did, the template is filled in: it is what planning from nothing gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from piql.compiler.binding.binder import BoundQuery, tables_of
from piql.compiler.binding.same_but_limits import are_same_but_limits, objects_of
from piql.compiler.index_design import IndexesByTable, PlannedQuery
from piql.compiler.logical.operators import LogicalNode
from piql.compiler.physical.planner.left_out import with_tables
from piql.compiler.result import CompiledQuery
from piql.forking import RenewedLock
from piql.schema.catalog import Index, SqlType, Table
from piql.schema.thresholds import Thresholds
from piql.text.source import Source, Span
from piql.trees.caches import Cached
from piql.trees.templates import NoTemplate, Template
from piql.trees.traced_numbers import TooLong, Trace

MOST_WAYS = 3  # that are kept of one query: planning takes another for 10 rows than for 10,000

Plan = Callable[[BoundQuery, IndexesByTable], PlannedQuery | None]
Finish = Callable[[BoundQuery, PlannedQuery], CompiledQuery]


@dataclass(slots=True, eq=False)
class _Way:
    """One way that planning took, and what came of it."""

    trace: Trace
    query: BoundQuery  # over tables with traced limits
    planned: PlannedQuery  # what came of that
    swapped: Mapping[int, int]  # what in it is of the tables, by id
    template: Template  # of `planned`
    finished: Template | None = None  # of the result, once it is traced, too
    thresholds: Thresholds | None = None  # with which it was; None as long as nobody has tried
    lock: RenewedLock = field(default_factory=RenewedLock)  # held by the one who finishes it first


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What is known of a query: the tables and indexes it was planned over, and ways, that used last first."""

    tables: tuple[Table, ...]
    indexes: tuple[tuple[Index, ...], ...]  # of each table
    ways: tuple[_Way, ...] = ()
    may_be_traced: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class _Filled:
    """The numbers and objects by which a plan was made of a template."""

    way: _Way
    numbers: Sequence[int]  # of the limits
    steps: int  # of the trace, when it was replayed for them
    values: Sequence[int]  # that came of it
    objects: Sequence[object]


_known: Cached[_Known] = Cached(1024)  # by statement
_filled: Cached[_Filled] = Cached(2048)  # by plan


def plan_for_numbers(query: BoundQuery, indexes: IndexesByTable, plan: Plan) -> PlannedQuery | None:
    """Return what `plan` returns for a query: where only limits have other numbers, if possible without planning."""
    if query.kind != "select" or query.unit is not None or query.has_errors:
        return plan(query, indexes)
    tables = tables_of(query)
    if not any(table.limits for table in tables):
        return plan(query, indexes)
    of_tables = tuple(indexes.get(table.name, ()) for table in tables)
    known = _known.get((query.ast,))
    if known is None or of_tables != known.indexes or not are_same_but_limits(known.tables, tables):
        _known.put((query.ast,), _Known(tables, of_tables))
        return plan(query, indexes)
    if not known.may_be_traced:
        return plan(query, indexes)
    numbers = [limit.limit for table in tables for limit in table.limits]
    objects = _objects(tables, of_tables)
    for way in known.ways:
        steps = way.trace.steps
        values = way.trace.replay(numbers)
        if values is not None:
            if way is not known.ways[0]:
                ways = (way, *(another for another in known.ways if another is not way))
                _known.put((query.ast,), replace(known, ways=ways))
            return _fill(_Filled(way, numbers, steps, values, objects))
    traced = _traced(query, indexes, plan)
    if traced is None:
        _known.put((query.ast,), replace(known, may_be_traced=False))
        return plan(query, indexes)
    _known.put((query.ast,), replace(known, ways=(traced, *known.ways[: MOST_WAYS - 1])))
    return _fill(_Filled(traced, numbers, traced.trace.steps, traced.trace.values, objects))


def finish_for_numbers(
    query: BoundQuery, planned: PlannedQuery, thresholds: Thresholds, finish: Finish
) -> CompiledQuery:
    """Return what `finish` returns for a plan that reads no secondary index; if possible from a template, too."""
    filled = _filled.get((planned,))
    if filled is None or query.diagnostics:
        return finish(query, planned)
    way = filled.way
    with way.lock.lock:
        if way.thresholds is None:
            try:
                way.finished = Template(finish(way.query, way.planned), way.swapped, _whole(query))
            except (NoTemplate, TooLong):
                way.finished = None
            way.thresholds = thresholds
    if way.finished is None or way.thresholds != thresholds:
        return finish(query, planned)
    # What finishing tests of numbers is in the trace since, and may not have been asked of the numbers of this plan.
    values = filled.values if filled.steps == way.trace.steps else way.trace.replay(filled.numbers)
    return finish(query, planned) if values is None else way.finished.fill(values, filled.objects)


def _fill(filled: _Filled) -> PlannedQuery:
    planned: PlannedQuery = filled.way.template.fill(filled.values, filled.objects)
    _filled.put((planned,), filled)
    return planned


def _traced(query: BoundQuery, indexes: IndexesByTable, plan: Plan) -> _Way | None:
    """Plan a query with traced limits, and return the way that planning takes; None where that cannot be kept."""
    trace = Trace()
    tables = tables_of(query)
    traced = {table.name: _with_traced_limits(table, trace) for table in tables}
    of_tables = [indexes.get(table.name, ()) for table in tables]
    objects = _objects([traced[table.name] for table in tables], of_tables)
    swapped = {id(part): at for at, part in enumerate(objects)}
    assert isinstance(query.plan, LogicalNode)
    query = replace(query, plan=with_tables(query.plan, traced))
    try:
        planned = plan(query, indexes)
        if planned is None:
            return None
        trace.keeps_hashes = False  # only the search for an order of joins does
        return _Way(trace, query, planned, swapped, Template(planned, swapped, _whole(query)))
    except (NoTemplate, TooLong):
        return None


def _with_traced_limits(table: Table, trace: Trace) -> Table:
    return replace(table, limits=tuple(replace(limit, limit=trace.number(limit.limit)) for limit in table.limits))


def _whole(query: BoundQuery) -> frozenset[type[object]]:
    """Return the classes of values that hold neither a number nor an object of a table."""
    return frozenset((Source, Span, SqlType, type(query.ast)))


def _objects(tables: Sequence[Table], indexes: Sequence[tuple[Index, ...]]) -> list[object]:
    """Return what a plan may hold of its tables and of their indexes, with the spans of these."""
    objects = objects_of(tables)
    for of_table in indexes:
        for index in of_table:
            objects += (index, index.span)
    return objects
