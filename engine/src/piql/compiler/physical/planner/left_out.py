"""Plans as though a limit were not declared: what is found without it must not be lost because it is there.

A limit bounds a read that nothing bounded before, and rules that look for another bound then have no reason to. So a
query that reads by a limit is planned without it, too, and the cheaper plan is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, cast

from piql.compiler.logical.operators import DataStop, GroupBy, LogicalNode, Relation, Stop
from piql.compiler.optimizer.analysis.predicates import holds_subquery
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    PassingRows,
    SortedIndexJoin,
)
from piql.schema.catalog import CardinalityLimit, Table
from piql.trees.node import Node, kinds_of

N = TypeVar("N", bound=Node)
_WITH_TABLE = (Relation, IndexScan, IndexFKJoin, SortedIndexJoin, Dereference, PassingRows)


def may_do_without(plan: LogicalNode) -> bool:
    """Whether something else than limits could bound a query: a stop, the end of a group, or a subquery."""
    kinds = kinds_of(plan)
    return Stop in kinds or GroupBy in kinds or holds_subquery(plan)


def tables_without_limits(logical: LogicalNode) -> list[Table]:
    """Return for each limit that a plan after Phase I relies on its table without that limit."""
    tables = {relation.alias: relation.table for relation in logical.find(Relation)}
    without: list[Table] = []
    for stop in logical.find(DataStop):
        if isinstance(stop.because, CardinalityLimit):
            table = tables[stop.relation]
            limits = tuple(limit for limit in table.limits if limit != stop.because)
            less = replace(table, limits=limits)
            if less not in without:
                without.append(less)
    return without


def with_tables(node: N, tables: Mapping[str, Table]) -> N:
    """Return a plan that reads other tables of the same names."""

    def change(below: Node) -> Node:
        if isinstance(below, _WITH_TABLE) and below.table.name in tables:
            return replace(below, table=tables[below.table.name])
        return below

    return cast("N", node.transform_up(change))
