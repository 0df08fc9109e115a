"""How many rows leave each operator, and how many its requests fetch."""

from __future__ import annotations

from typing import assert_never

from piql.bounds.facts import of_count, of_prefix, of_row_limit
from piql.bounds.formula import ONE, ZERO, Formula, number, smaller
from piql.bounds.values import combinations_of
from piql.logical.expressions import Expression
from piql.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    Kept,
    LocalDistinct,
    LocalGroupBy,
    LocalJoin,
    LocalProjection,
    LocalSelection,
    LocalSemiJoin,
    LocalSort,
    LocalStop,
    LocalUnion,
    PhysicalNode,
    SortedIndexJoin,
)


def rows_out(node: PhysicalNode, below: tuple[Formula, ...]) -> Formula:
    """Give the most rows that an operator hands on, given those of the operators below it."""
    match node:
        case IndexScan():
            # Several reads of a stopped scan are merged, and a LocalStop above counts them together.
            return of_prefix(node.prefix) * number(node.index.buckets) * of_row_limit(node.table, node.limit)
        case IndexFKJoin():
            return below[0]
        case SortedIndexJoin():
            found = rows_fetched(node, below)
            if node.kept is not None:
                found = smaller(below[0] * rows_kept(node.kept), found)
            return below[0] if node.kind == "left" and found.value < below[0].value else found
        case Dereference() | LocalSelection() | LocalSort() | LocalProjection() | LocalSemiJoin():
            return below[0]
        case LocalDistinct():
            return _told_apart(node.keys, node.child, below[0])
        case LocalJoin():
            found = below[0] * below[1]
            if node.is_left_once:
                found = smaller(found, below[0])
            if node.is_right_once and node.kind == "inner":
                found = smaller(found, below[1])
            return below[0] if node.kind == "left" and found.value < below[0].value else found
        case LocalStop():
            return smaller(below[0], of_count(node.count))
        case LocalGroupBy():
            return ONE if node.is_one or not node.keys else _told_apart(node.keys, node.child, below[0])
        case LocalUnion():
            total = ZERO
            for each in below:
                total = total + each
            return total
        case _:
            assert_never(node)


def _told_apart(keys: tuple[Expression, ...], child: PhysicalNode, rows: Formula) -> Formula:
    """Give the most rows that differ in some keys."""
    found = combinations_of(keys, child)
    return rows if found is None else smaller(found, rows)


def rows_kept(kept: Kept) -> Formula:
    """Give the most rows that pass a test, by the fact that says so."""
    return of_prefix(kept.prefix) * (ONE if kept.limit is None else of_row_limit(kept.table, kept.limit))


def rows_fetched(node: PhysicalNode, below: tuple[Formula, ...]) -> Formula:
    """Give the most rows that the requests of one operator bring back."""
    match node:
        case IndexScan():
            return rows_out(node, below)
        case IndexFKJoin() | Dereference():
            return below[0]
        case SortedIndexJoin():
            reads = below[0] * of_prefix(node.prefix) * number(node.index.buckets)
            return reads * of_row_limit(node.table, node.limit)
        case _:
            return ZERO
