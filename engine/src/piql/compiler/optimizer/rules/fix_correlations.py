"""Rule: an outer column that must equal a value is replaced by this value inside a scalar subquery."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

from piql.compiler.logical.expressions import ColumnRef, Comparison, Expression, ScalarSubquery
from piql.compiler.logical.operators import GroupBy, LogicalNode, Projection, Selection, Sort
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import (
    ColumnKey,
    has_subquery,
    is_given,
    key_of,
    may_stand_for,
    replace_columns,
)
from piql.compiler.optimizer.analysis.region import Region, is_region, read_region
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import Node, kinds_of


def fix_correlations(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Replace an outer column in a subquery by the constant or parameter that it must equal.

        Selection t.owner = [me] AND t.posted = (→ x.owner = t.owner)
          Relation t
        →
        Selection t.owner = [me] AND t.posted = (→ x.owner = [me])
          Relation t

    So the subquery does not depend on the row, and is read once, before the rows that it is compared with.
    Subqueries in the select list and in an order use the rows below them. Only subqueries that give a value are
    changed, and only if the constant has exactly the type of the column, because they may return it. Subqueries of
    tests use the value when they are planned (`physical.planner.semi_joins`).
    """
    if ScalarSubquery not in kinds_of(plan):
        return plan

    def visit(node: Node) -> Node:
        changed = node.map_children(visit)
        match changed:
            case Selection() if has_subquery(changed.predicate):
                below = changed if is_region(changed) else _region_below(changed)
                predicate = _fixed(changed.predicate, below, context)
                return changed if predicate is changed.predicate else replace(changed, predicate=predicate)
            case Projection() if any(map(has_subquery, changed.outputs)):
                below = _region_below(changed)
                outputs = tuple(_fixed(output, below, context) for output in changed.outputs)
                return replace(changed, outputs=outputs)
            case Sort() if any(map(has_subquery, changed.keys)):
                below = _region_below(changed)
                return replace(changed, keys=tuple(_fixed(key, below, context) for key in changed.keys))
            case _:
                return changed

    return visit(plan)  # type: ignore[return-value]


_AnyNode = TypeVar("_AnyNode", bound=Node)


def _region_below(node: LogicalNode) -> LogicalNode | None:
    """Return the join part below projections, sorts, selections and groups; None where there is none."""
    while isinstance(node, Projection | Sort | Selection | GroupBy):
        node = node.input
        if is_region(node):
            return node
    return None


def _fixed(node: _AnyNode, below: LogicalNode | None, context: RuleContext) -> _AnyNode:
    """Replace columns that have one value in all rows of `below` in the scalar subqueries of an expression."""
    values = _values(read_region(below)) if below is not None else {}
    if not values:
        return node

    def change(child: Node) -> Node:
        return replace_columns(child, values) if isinstance(child, ScalarSubquery) else child

    changed = cast("_AnyNode", node.transform_up(change))
    if changed == node:
        return node
    context.note("a subquery uses the value that its row must have")
    return changed


def _values(region: Region) -> dict[ColumnKey, Expression]:
    """Return the columns that equal a literal or parameter of their own type in every row, with that value."""
    tests = (
        *region.conditions,
        *(predicate for leg in region.legs if leg.kind == "inner" for predicate in leg.filters),
    )
    equal = Equalities(tests)
    values: dict[ColumnKey, Expression] = {}
    for test in tests:
        match test:
            case Comparison(operator="=", left=ColumnRef() as column, right=value) if is_given(value):
                pass
            case Comparison(operator="=", left=value, right=ColumnRef() as column):
                pass
            case _:
                continue
        for equal_column in equal.equal_to(column):
            if may_stand_for(value, equal_column):
                values.setdefault(key_of(equal_column), value)
    return values
