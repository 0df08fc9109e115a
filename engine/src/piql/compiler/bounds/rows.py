"""How many rows leave each operator: `rows_out`, and `rows_passing` for a test of which a fact limits the matches.

Enters: an operator and the rows that leave the operators below it. Leaves: a `Formula`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from piql.compiler.bounds.distinct_values import Path, combinations_of
from piql.compiler.bounds.facts import of_count, of_prefix, of_row_limit
from piql.compiler.bounds.formula import ONE, ZERO, Formula, number, smaller
from piql.compiler.physical.operators import (
    Choosing,
    Dereference,
    IndexFKJoin,
    IndexScan,
    LocalCases,
    LocalDistinct,
    LocalGroupBy,
    LocalJoin,
    LocalProjection,
    LocalSemiJoin,
    LocalUnion,
    PassingRows,
    PhysicalNode,
    RecursiveUnion,
    SortedIndexJoin,
    Stopping,
    WorkTableScan,
    inputs,
)


def rows_out(node: PhysicalNode, path: Path, rows: Mapping[Path, Formula]) -> Formula:
    """Return the most rows that leave the operator at `path`, given those that leave the operators below it."""
    below = [rows[(*path, at)] for at in range(len(inputs(node)))]
    match node:
        case IndexScan():
            # Several reads of a stopped scan are merged, and a LocalStop above counts them together.
            return of_prefix(node.prefix) * number(node.index.buckets) * of_row_limit(node.table, node.limit)
        case IndexFKJoin():
            return below[0]
        case SortedIndexJoin():
            matches = of_prefix(node.prefix) * number(node.index.buckets) * of_row_limit(node.table, node.limit)
            joined = below[0] * matches
            if node.passing is not None:
                joined = smaller(below[0] * rows_passing(node.passing), joined)
            return below[0] if node.kind == "left" and joined.value < below[0].value else joined
        case Stopping():
            return smaller(below[0], of_count(node.count))
        case Dereference() | Choosing() | LocalProjection() | LocalSemiJoin():
            return below[0]
        case LocalDistinct():
            return combinations_of(node.keys, node.child, (*path, 0), rows)
        case LocalJoin():
            joined = below[0] * below[1]
            if node.is_left_once:
                joined = smaller(joined, below[0])
            if node.is_right_once and node.kind == "inner":
                joined = smaller(joined, below[1])
            if node.passing is not None:
                joined = smaller(below[0] * rows_passing(node.passing), joined)
            return below[0] if node.kind == "left" and joined.value < below[0].value else joined
        case LocalGroupBy():
            is_one = node.is_one or not node.keys
            return ONE if is_one else combinations_of(node.keys, node.child, (*path, 0), rows)
        case WorkTableScan():
            return rows.get(path) or number(node.rows)
        case LocalCases():
            return max(below, key=lambda formula: formula.value)
        case LocalUnion() | RecursiveUnion():
            total = ZERO
            for formula in below:
                total = total + formula
            return total
        case _:
            assert_never(node)


def rows_passing(passing: PassingRows) -> Formula:
    """Return the most rows that pass a test, by the key, limit or values in `passing`."""
    return of_prefix(passing.prefix) * (ONE if passing.limit is None else of_row_limit(passing.table, passing.limit))
