"""Also plans a query as if a limit were not declared, and takes the cheaper plan: a limit must not make a query dearer.

A limit bounds a read that nothing bounded before, and rules that look for another bound then have no reason to. So a
query that reads many rows by a limit is planned without it, too, and the cheaper plan is taken. The same holds for a
limit or UNIQUE whose rows are tested and then lead to other reads: the tests, or each branch of an OR, may name a key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import TypeVar, cast

from piql.compiler.logical.expressions import ColumnRef, Comparison, Expression, InList, Or, conjuncts
from piql.compiler.logical.operators import GroupBy, LogicalNode, Relation, Stop
from piql.compiler.optimizer.analysis.effort import REQUEST, ROUND_TRIP, Effort
from piql.compiler.optimizer.analysis.predicates import holds_subquery
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    LocalSelection,
    PassingRows,
    PhysicalNode,
    SortedIndexJoin,
    inputs,
    operators,
)
from piql.schema.catalog import CardinalityLimit, Table, UniqueKey
from piql.trees.node import Node, kinds_of

N = TypeVar("N", bound=Node)
_WITH_TABLE = (Relation, IndexScan, IndexFKJoin, SortedIndexJoin, Dereference, PassingRows)


def may_do_without(plan: LogicalNode) -> bool:
    """Whether something else than limits could bound a query: a stop, the end of a group, an OR, or a subquery."""
    kinds = kinds_of(plan)
    return Stop in kinds or GroupBy in kinds or Or in kinds or holds_subquery(plan)


def dear_limits(plan: PhysicalNode) -> tuple[tuple[str, CardinalityLimit | UniqueKey], ...]:
    """Return the limits, each with its table, whose reads together take longer than a round trip.

    Of a table that is limited as a whole all limits are tried: any of them may end the search for a better one. Limits
    whose rows are tested for what another key might find, and lead to other reads, follow, among them UNIQUE. What can
    be saved of another read is not worth planning a query twice.
    """
    limits: dict[tuple[str, CardinalityLimit | UniqueKey], None] = {}
    for node in operators(plan):
        read = node.child if isinstance(node, Dereference) else node
        if not isinstance(read, IndexScan | SortedIndexJoin) or not isinstance(read.limit.because, CardinalityLimit):
            continue
        rows = read.limit.max * (_most_rows(read.child) if isinstance(read, SortedIndexJoin) else 1)
        requests = rows if isinstance(node, Dereference) else 1
        if any(not limit.columns for limit in read.table.limits):
            limits |= {(read.table.name, limit): None for limit in read.table.limits}
        elif Effort(requests, rows).nanoseconds > ROUND_TRIP + REQUEST:
            limits[read.table.name, read.limit.because] = None
    for read in _tested_for_another(plan, (), leads_to_reads=False):
        if isinstance(read.limit.because, CardinalityLimit | UniqueKey):
            limits[read.table.name, read.limit.because] = None
    return tuple(limits)


def _most_rows(node: PhysicalNode) -> int:
    """Return how many rows leave an operator at most, as its reads alone tell: stops above them are not counted."""
    rows = node.limit.max if isinstance(node, IndexScan | SortedIndexJoin) else 1
    return rows * prod(_most_rows(below) for below in inputs(node))


def _tested_for_another(
    node: PhysicalNode, tests: tuple[Expression, ...], *, leads_to_reads: bool
) -> Iterator[IndexScan | SortedIndexJoin]:
    """Yield the reads below a node that other reads follow, and that `tests` above them could find otherwise."""
    if isinstance(node, IndexScan | SortedIndexJoin) and leads_to_reads and _may_find(node, tests):
        yield node
    leads_to_reads = leads_to_reads or isinstance(node, Dereference | IndexFKJoin | SortedIndexJoin)
    if isinstance(node, LocalSelection):
        tests = (*tests, *conjuncts(node.predicate))
    for below in inputs(node):
        yield from _tested_for_another(below, tests, leads_to_reads=leads_to_reads)


def _may_find(read: IndexScan | SortedIndexJoin, tests: Sequence[Expression]) -> bool:
    """Whether tests on a read's rows might be a key: an OR, or equalities on all columns of another limit or UNIQUE."""
    if any(Or in kinds_of(test) for test in tests):
        return True
    tested: set[str] = set()
    for test in tests:
        match test:
            case Comparison(operator="=", left=ColumnRef() as left, right=right):
                sides = (left, right)
                tested |= {side.name for side in sides if isinstance(side, ColumnRef) and side.relation == read.alias}
            case Comparison(operator="=", right=ColumnRef(relation=read.alias, name=name)):
                tested.add(name)
            case InList(operand=ColumnRef(relation=read.alias, name=name)):
                tested.add(name)
            case _:
                pass
    fixed = tested | {part.column for part in read.prefix}
    others: tuple[CardinalityLimit | UniqueKey, ...] = (*read.table.limits, *read.table.unique_keys)
    return any(
        declared != read.limit.because and tested.intersection(declared.columns) and fixed.issuperset(declared.columns)
        for declared in others
    )


def without_limit(table: Table, limit: CardinalityLimit | UniqueKey) -> Table:
    """Return a table as though a limit or UNIQUE were not declared."""
    if isinstance(limit, UniqueKey):
        return replace(table, unique_keys=tuple(declared for declared in table.unique_keys if declared != limit))
    return replace(table, limits=tuple(declared for declared in table.limits if declared != limit))


def with_tables(node: N, tables: Mapping[str, Table]) -> N:
    """Return a plan that reads other tables of the same names."""

    def change(below: Node) -> Node:
        if isinstance(below, _WITH_TABLE) and below.table.name in tables:
            return replace(below, table=tables[below.table.name])
        return below

    return cast("N", node.transform_up(change))
