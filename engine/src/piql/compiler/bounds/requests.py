"""How many requests each operator makes, how many rows these fetch, and how many round trips lie on the longest path.

Enters: an operator and the rows that leave the operators below it. Leaves: a `Formula`. Local operators make none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from piql.compiler.bounds.distinct_values import Path, keys_of_reads, ranges_of_page
from piql.compiler.bounds.facts import of_prefix, of_row_limit
from piql.compiler.bounds.formula import ZERO, Formula, number, smaller
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    Local,
    LocalCases,
    LocalJoin,
    LocalSemiJoin,
    LocalUnion,
    PhysicalNode,
    RecursiveUnion,
    RemoteOperator,
    SortedIndexJoin,
    Stopping,
    inputs,
)


def requests_of(node: PhysicalNode, path: Path, rows: Mapping[Path, Formula]) -> Formula:
    """Return the most requests that the operator at `path` makes; `rows` are those that leave the operators below it.

    A join asks once for each key, however many rows of its child have it.
    """
    match node:
        case IndexScan() | SortedIndexJoin() if _keeps_none(node):
            return ZERO
        case IndexScan():
            return of_prefix(node.prefix) * number(node.index.buckets)
        case IndexFKJoin():
            return keys_of_reads(node, path, rows) * of_prefix(node.prefix)
        case SortedIndexJoin():
            reads = of_prefix(node.prefix) * number(node.index.buckets)
            once = keys_of_reads(node, path, rows) * number(ranges_of_page(node))
            return smaller(once, rows[(*path, 0)]) * reads
        case Dereference():
            return keys_of_reads(node, path, rows)
        case Local():
            return ZERO
        case _:
            assert_never(node)


def rows_fetched(node: PhysicalNode, requests: Formula) -> Formula:
    """Return the most rows that the requests of one operator fetch."""
    match node:
        case IndexScan() | SortedIndexJoin():
            return requests * of_row_limit(node.table, node.limit)
        case IndexFKJoin() | Dereference():
            return requests
        case Local():
            return ZERO
        case _:
            assert_never(node)


def round_trips(plan: PhysicalNode) -> int:
    """Count the requests that must wait for one another; the inputs of a local join or union run side by side."""
    below = [round_trips(source) for source in inputs(plan)]
    match plan:
        case LocalJoin() | LocalSemiJoin() | LocalUnion() | LocalCases():
            return max(below)
        case RecursiveUnion():
            return below[0] + plan.levels * below[1]
        case Stopping() if is_zero(plan):
            return 0
        case IndexScan() | IndexFKJoin() | SortedIndexJoin() | Dereference() | Local():
            return sum(below) + (isinstance(plan, RemoteOperator) and not _keeps_none(plan))
        case _:
            assert_never(plan)


def is_zero(node: PhysicalNode) -> bool:
    """Return whether this is LIMIT 0, for which nothing below is read."""
    return isinstance(node, Stopping) and node.count.max == 0


def _keeps_none(node: RemoteOperator) -> bool:
    """Return whether a read gives no row by a contradiction or a LIMIT 0, so that it is never made."""
    return isinstance(node, IndexScan | SortedIndexJoin) and node.limit.max == 0
