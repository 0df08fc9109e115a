"""Plans as though a limit were not declared: what is found without it must not be lost because it is there.

A limit bounds a read that nothing bounded before, and rules that look for another bound then have no reason to. So a
query that reads many rows by a limit is planned without it, too, and the cheaper plan is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, cast

from piql.compiler.logical.operators import GroupBy, LogicalNode, Relation, Stop
from piql.compiler.optimizer.analysis.effort import REQUEST, ROUND_TRIP, Effort
from piql.compiler.optimizer.analysis.predicates import holds_subquery
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    PassingRows,
    PhysicalNode,
    SortedIndexJoin,
    operators,
)
from piql.schema.catalog import CardinalityLimit, Table
from piql.trees.node import Node, kinds_of

N = TypeVar("N", bound=Node)
_WITH_TABLE = (Relation, IndexScan, IndexFKJoin, SortedIndexJoin, Dereference, PassingRows)


def may_do_without(plan: LogicalNode) -> bool:
    """Whether something else than limits could bound a query: a stop, the end of a group, or a subquery."""
    kinds = kinds_of(plan)
    return Stop in kinds or GroupBy in kinds or holds_subquery(plan)


def dear_limits(plan: PhysicalNode) -> tuple[tuple[str, CardinalityLimit], ...]:
    """Return the limits, each with its table, of which one read takes longer than a round trip.

    What can be saved of a shorter read is not worth planning a query twice.
    """
    limits: dict[tuple[str, CardinalityLimit], None] = {}
    for node in operators(plan):
        read = node.child if isinstance(node, Dereference) else node
        if not isinstance(read, IndexScan | SortedIndexJoin) or not isinstance(read.limit.because, CardinalityLimit):
            continue
        rows = read.limit.max
        requests = rows if isinstance(node, Dereference) else 1
        if Effort(requests, rows).nanoseconds > ROUND_TRIP + REQUEST:
            limits[read.table.name, read.limit.because] = None
    return tuple(limits)


def without_limit(table: Table, limit: CardinalityLimit) -> Table:
    """Return a table as though a limit were not declared."""
    return replace(table, limits=tuple(declared for declared in table.limits if declared != limit))


def with_tables(node: N, tables: Mapping[str, Table]) -> N:
    """Return a plan that reads other tables of the same names."""

    def change(below: Node) -> Node:
        if isinstance(below, _WITH_TABLE) and below.table.name in tables:
            return replace(below, table=tables[below.table.name])
        return below

    return cast("N", node.transform_up(change))
