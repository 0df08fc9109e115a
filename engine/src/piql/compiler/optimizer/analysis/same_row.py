"""Two relations of one table that must be one row: whether they are, and a plan in which one stands for both.

t.id = s.id, where `id` is a key    →    s.text becomes t.text, and s.owner = t.owner becomes t.owner IS NOT NULL
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from piql.compiler.logical.expressions import ColumnRef, Comparison, Expression, IsNull, Not
from piql.compiler.logical.operators import GroupBy, LogicalNode, Relation, Sort
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import ColumnKey, key_of
from piql.trees.node import Node


def shares_key(relation: Relation, partner: Relation, equal: Equalities) -> bool:
    """Whether two relations of one table are equal in all columns of a key of it."""
    table = relation.table
    return any(
        all(equal.are_equal((relation.alias, name), (partner.alias, name)) for name in key)
        for key in (table.primary_key, *(key.columns for key in table.unique_keys))
    )


def remaining_test(test: Expression, rows: Collection[ColumnRef]) -> Expression | None:
    """Return a test in which both sides may have become one column: then IS NOT NULL, or None if it is never NULL."""
    match test:
        case Comparison(operator="=", left=ColumnRef() as left, right=ColumnRef() as right) if left == right:
            return Not(operand=IsNull(operand=left, span=test.span), span=test.span) if left.nullable else None
        case Not(operand=IsNull(operand=ColumnRef(nullable=False) as column)) if column in rows:
            return None
        case _:
            return test


def renamed_columns(plan: LogicalNode, row_columns: Mapping[ColumnKey, Expression]) -> LogicalNode:
    """Replace the columns of matches by those of the rows; drop keys of groups and sorts that became equal."""

    def change(node: Node) -> Node:
        match node:
            case ColumnRef():
                return row_columns.get(key_of(node), node)
            case GroupBy():
                return replace(node, keys=tuple(dict.fromkeys(node.keys)))
            case Sort():
                return replace(node, keys=tuple(dict.fromkeys(node.keys)))
            case _:
                return node

    return plan.transform_up(change)  # type: ignore[return-value]
