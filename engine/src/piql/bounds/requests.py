"""How many requests each operator makes, and how many round trips lie on the longest path."""

from __future__ import annotations

from piql.bounds.facts import of_prefix
from piql.bounds.formula import ZERO, Formula, number
from piql.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    LocalJoin,
    LocalSemiJoin,
    LocalStop,
    LocalUnion,
    PhysicalNode,
    RemoteOperator,
    SortedIndexJoin,
    inputs,
)


def requests_of(node: PhysicalNode, below: tuple[Formula, ...]) -> Formula:
    """Give the most requests that one operator makes: `below` are the rows of the operators under it."""
    match node:
        case IndexScan() | SortedIndexJoin() if _keeps_none(node):
            return ZERO
        case IndexScan():
            return of_prefix(node.prefix) * number(node.index.buckets)
        case IndexFKJoin():
            return below[0] * of_prefix(node.prefix)
        case SortedIndexJoin():
            return below[0] * of_prefix(node.prefix) * number(node.index.buckets)
        case Dereference():
            return below[0]
        case _:
            return ZERO


def round_trips(plan: PhysicalNode) -> int:
    """Count the requests that must wait for one another; the inputs of a local join or union run side by side."""
    below = [round_trips(each) for each in inputs(plan)]
    match plan:
        case LocalJoin() | LocalSemiJoin() | LocalUnion():
            return max(below)
        case LocalStop() if is_zero(plan):
            return 0
        case _:
            return sum(below) + (isinstance(plan, RemoteOperator) and not _keeps_none(plan))


def is_zero(node: PhysicalNode) -> bool:
    """Whether this is LIMIT 0, for which nothing below is read."""
    return isinstance(node, LocalStop) and node.count.max == 0


def _keeps_none(node: RemoteOperator) -> bool:
    """Whether a test is known to keep no row, or a LIMIT to let none through, so that nothing is read for it."""
    return isinstance(node, IndexScan | SortedIndexJoin) and node.limit.max == 0
