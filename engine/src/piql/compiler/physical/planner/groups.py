"""Finds the operator below a GROUP BY or DISTINCT whose rows determine the groups: there are no more groups than rows.

    LocalGroupBy s.target                    depth 2: the columns of s determine s.target,
      SortedIndexJoin thoughts t             whatever number of matches t adds to each row
        IndexScan subscriptions s

Enters: the keys, and the section below. Leaves: the depth, how many levels below that operator stands. Next: `bounds`,
which also counts the values that the keys may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from piql.compiler.logical.expressions import Expression, columns_in
from piql.compiler.logical.operators import GroupBy
from piql.compiler.optimizer.analysis.predicates import ColumnKey, key_of
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    Local,
    LocalJoin,
    LocalProjection,
    LocalSelection,
    LocalSort,
    PhysicalNode,
    SortedIndexJoin,
    inputs,
    operators,
)
from piql.compiler.physical.planner.scans import has_many

Reads = IndexScan | IndexFKJoin | SortedIndexJoin


def depth_of_rows(group: GroupBy, plan: PhysicalNode) -> int:
    """Return the depth of the rows that a group per row stands for (`summed` names the joins above them).

    0 where another join came in between.
    """
    summed, depth = set(group.summed), 1
    while summed:
        joined = _joined_by(plan)
        if not joined <= summed:
            return 0
        summed -= joined
        below = inputs(plan)
        if not below:
            return 0
        plan, depth = below[0], depth + 1
    return depth


def depth_of_keys(keys: Sequence[Expression], plan: PhysicalNode) -> int:
    """Return the depth of the lowest rows, before further joins, whose columns determine the keys; 0 if none do."""
    read = {key_of(column) for key in keys for column in columns_in(key)}
    depth, deepest = 1, 0
    while read:
        match plan:
            case IndexFKJoin() | SortedIndexJoin():
                columns = _columns_on_the_left(read, plan)
                if columns is None:
                    break
                read, deepest = columns, depth + 1
            case LocalSelection() | LocalSort() | Dereference():
                pass
            case IndexScan() | Local():
                break
            case _:
                assert_never(plan)
        plan, depth = inputs(plan)[0], depth + 1
    return deepest


def _columns_on_the_left(read: set[ColumnKey], join: IndexFKJoin | SortedIndexJoin) -> set[ColumnKey] | None:
    """Return columns of the left of a join that determine those read; None where matches of one row differ in them."""
    columns = {key for key in read if key[0] != join.alias}
    fixed = {part.column: part for part in join.prefix}
    for _, name in read - columns:
        part = fixed.get(name)
        if part is None or has_many(part):
            return None
        columns.update(map(key_of, columns_in(part.values[0])))
    return columns


def depth_of_outputs(plan: PhysicalNode) -> int:
    """Return the depth of the rows whose columns determine the select list of a DISTINCT; 0 if none do."""
    if not isinstance(plan, LocalProjection):
        return 0
    depth = depth_of_keys(tuple(output.expression for output in plan.outputs), plan.child)
    return depth + 1 if depth else 0


def _joined_by(plan: PhysicalNode) -> set[str]:
    """Return the relations that the operator on top of a plan joins."""
    match plan:
        case IndexFKJoin() | SortedIndexJoin():
            return {plan.alias}
        case LocalJoin():
            return _aliases(plan.right)
        case IndexScan() | Dereference() | Local():
            return set()
        case _:
            assert_never(plan)


def _aliases(plan: PhysicalNode) -> set[str]:
    return {operator.alias for operator in operators(plan) if isinstance(operator, Reads)}
