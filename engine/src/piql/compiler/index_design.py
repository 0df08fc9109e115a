"""Settles the indexes of a whole set after its queries are planned: the fewest that serve them all.

Enters: each query planned as if it were alone. Leaves: the indexes of the set, and new plans of the queries that now
read an index of others. The indexes of a table are designed again only when a query that reads them has changed.
`physical.indexes.fewest_indexes` chooses the indexes of one table; here are the caches, and the plans over its choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TypeAlias

from piql.compiler.binding.binder import BoundQuery
from piql.compiler.bounds.queries import bound_of, section_cost
from piql.compiler.logical.operators import LogicalNode, Relation
from piql.compiler.optimizer.trace import RuleApplication
from piql.compiler.physical.indexes.fewest_indexes import TableDesign, design_table, secondary_reads
from piql.compiler.physical.indexes.index_set import IndexSet, identity, settle_indexes
from piql.compiler.physical.operators import PhysicalNode
from piql.compiler.physical.planner.planner import plan_query
from piql.compiler.physical.planner.unbounded import Gap
from piql.schema.catalog import Catalog, Index, Table
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.trees.caches import Cached

IndexesByTable: TypeAlias = Mapping[str, tuple[Index, ...]]

# Results for the very same queries and tables as before.
_designs: Cached[tuple[TableDesign, tuple[PlannedQuery, ...]]] = Cached(2048)
_plans_again: Cached[tuple[tuple[tuple[tuple[Index, ...], ...], PlannedQuery | None], ...]] = Cached(2048)


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """One SELECT after both phases: a plan, or the gaps in it."""

    logical: LogicalNode
    steps: tuple[RuleApplication, ...]
    plan: PhysicalNode | None
    gaps: tuple[Gap, ...]
    findings: tuple[Diagnostic, ...] = ()
    tables: frozenset[str] = frozenset()  # whose secondary indexes it reads


def settle(
    queries: Sequence[BoundQuery], planned: list[PlannedQuery | None], catalog: Catalog, required: IndexesByTable
) -> tuple[IndexSet, dict[str, tuple[Index, ...]]]:
    """Return the indexes of the whole set, and those of each table by its name.

    Queries that now read another index are replaced in `planned`. `required` are the indexes that constraints need.
    """
    designed = design(queries, planned, catalog.tables.values(), required)
    return settle_indexes(catalog, chain.from_iterable(designed.values())), designed


def design(
    queries: Sequence[BoundQuery],
    planned: list[PlannedQuery | None],
    tables: Iterable[Table],
    required: IndexesByTable,
) -> dict[str, tuple[Index, ...]]:
    """Return the indexes of some tables by name; replace queries that now read another index in `planned`.

    `queries`, and `planned` beside them, hold at least those that read indexes of these tables.
    """
    readers: dict[str, list[int]] = {}
    for at, query in enumerate(planned):
        for name in query.tables if query is not None else ():
            readers.setdefault(name, []).append(at)
    indexes: dict[str, tuple[Index, ...]] = {}
    for table in tables:
        before = {at: plan for at in readers.get(table.name, ()) if (plan := planned[at]) is not None}
        table_design, readers_now = _designs.recall(
            (table, required, *before.values()),
            partial(_design, queries, table, before, required),
        )
        for number, plan in zip(before, readers_now, strict=True):
            planned[number] = plan
        indexes[table.name] = tuple(table_design.indexes)
    return indexes


def design_alone(query: BoundQuery, planned: PlannedQuery, required: IndexesByTable) -> PlannedQuery:
    """Return a query as it is planned once its own reads share indexes, as if nothing else were in its set.

    An index that one read needs may hold all that another asks for, which then fetches no records.
    """
    reads = () if planned.plan is None else secondary_reads(planned.plan)
    indexes: dict[str, set[Index]] = {}
    for read in reads:
        indexes.setdefault(read.index.table, set()).add(read.index)
    shared = {read.index.table: read.table for read in reads if len(indexes[read.index.table]) > 1}
    alone: list[PlannedQuery | None] = [planned]
    design((query,), alone, shared.values(), required)
    return alone[0] or planned


def _design(
    queries: Sequence[BoundQuery], table: Table, before: Mapping[int, PlannedQuery], required: IndexesByTable
) -> tuple[TableDesign, tuple[PlannedQuery, ...]]:
    """Return the indexes of one table, and its readers in their order, some of them planned anew.

    `before` are the readers by their numbers in `queries`.
    """
    replanned_by_plan: dict[int, PlannedQuery] = {}  # by the id of the plan

    def replan(at: int, plan: PhysicalNode, indexes: tuple[Index, ...]) -> PhysicalNode | None:
        """Plan a reader over `indexes` of this table; None if that is worse, or needs other indexes of other tables."""
        available = dict(required)
        for read in secondary_reads(plan):
            of_table = available.get(read.index.table, ())
            if read.index.table != table.name and read.index not in of_table:
                available[read.index.table] = (*of_table, read.index)
        available[table.name] = indexes
        replanned = _plan_again(queries[at], before[at], available)
        if replanned is None or replanned.plan is None:
            return None
        of_others = {identity(read.index) for read in secondary_reads(plan)}
        if any(
            read.index.table != table.name and identity(read.index) not in of_others
            for read in secondary_reads(replanned.plan)
        ):
            return None
        replanned_by_plan[id(replanned.plan)] = replanned
        return replanned.plan

    design = design_table(
        table, required.get(table.name, ()), {at: query.plan for at, query in before.items() if query.plan}, replan
    )
    return design, tuple(
        replanned_by_plan[id(design.changed[at])] if at in design.changed else query for at, query in before.items()
    )


def _plan_again(query: BoundQuery, before: PlannedQuery, indexes: IndexesByTable) -> PlannedQuery | None:
    """Plan a query over other indexes, unless it was before; None where a bound gets worse."""
    tables = () if query.plan is None else sorted({node.table.name for node in query.plan.find(Relation)})
    basis = tuple(indexes.get(table, ()) for table in tables)
    earlier = _plans_again.get((query, before)) or ()
    for over, planned in earlier:
        if over == basis:
            return planned
    planned = _plan_no_worse(before, indexes)
    _plans_again.put((query, before), (*earlier[-3:], (basis, planned)))
    return planned


def _plan_no_worse(before: PlannedQuery, indexes: IndexesByTable) -> PlannedQuery | None:
    """Take a query through Phase II once more, in the order of joins that Phase I chose.

    It may read more rows or bytes where it takes at least 10 % less time all the same.
    """
    plan = plan_query(before.logical, indexes, section_cost).plan
    if before.plan is None or plan is None:
        return None
    old, new = bound_of(before.plan), bound_of(plan)
    if new.operations > old.operations or new.round_trips > old.round_trips or new.rows > old.rows:
        return None
    reads_more = new.rows_fetched > old.rows_fetched or new.bytes > old.bytes
    if reads_more and section_cost(plan, {}).step >= section_cost(before.plan, {}).step:
        return None
    return replace(before, plan=plan, tables=tables_read(plan))


def tables_read(plan: PhysicalNode | None) -> frozenset[str]:
    """Return the tables whose secondary indexes a plan reads."""
    return frozenset(index.table for index in indexes_read(plan))


def indexes_read(plan: PhysicalNode | None) -> list[Index]:
    """Return the secondary indexes that a plan reads."""
    if plan is None:
        return []
    return list(dict.fromkeys(read.index for read in secondary_reads(plan)))
