"""Rule: a column of the query outside that has one value is that value in a subquery."""

from __future__ import annotations

from piql.frozen import replace
from piql.logical.expressions import ColumnRef, Comparison, Constant, Expression, Parameter, ScalarSubquery
from piql.logical.operators import LogicalNode, Selection
from piql.node import Node, kinds_of
from piql.optimizer.equalities import Equalities
from piql.optimizer.predicates import ColumnKey, key_of, replace_columns
from piql.optimizer.region import Region, is_region, read_region
from piql.optimizer.rule import RuleContext


def fix_correlations(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Put the value that a row must have into the subqueries that are tested with it.

        Selection t.owner = [me] AND t.posted = (→ x.owner = t.owner)
          Relation t
        →
        Selection t.owner = [me] AND t.posted = (→ x.owner = [me])
          Relation t

    So the subquery stands alone, and is read once, before the rows that it is compared with. Only the subqueries of
    values are changed, and only where the value has the very type of the column, since they may give it on.
    """

    def visit(node: Node) -> Node:
        changed = node.map_children(visit)
        match changed:
            case Selection() if _has_value_subquery(changed.predicate) and is_region(changed):
                return _fixed(changed, context)
            case _:
                return changed

    return visit(plan) if ScalarSubquery in kinds_of(plan) else plan  # type: ignore[return-value]


def _has_value_subquery(node: Node) -> bool:
    return any(isinstance(each, ScalarSubquery) for each in node.walk())


def _fixed(node: Selection, context: RuleContext) -> Selection:
    values = _values(read_region(node))
    if not values:
        return node

    def change(each: Node) -> Node:
        return replace_columns(each, values) if isinstance(each, ScalarSubquery) else each

    predicate: Expression = node.predicate.transform_up(change)  # type: ignore[assignment]
    if predicate == node.predicate:
        return node
    context.note("a subquery is asked with the value that its row must have")
    return replace(node, predicate=predicate)


def _values(region: Region) -> dict[ColumnKey, Expression]:
    """Give the columns that equal a literal or parameter in every row."""
    tests = (*region.conditions, *(each for leg in region.legs if leg.kind == "inner" for each in leg.filters))
    equal = Equalities(tests)
    found: dict[ColumnKey, Expression] = {}
    for test in tests:
        match test:
            case Comparison(operator="=", left=ColumnRef() as column, right=Constant() | Parameter() as value):
                pass
            case Comparison(operator="=", left=Constant() | Parameter() as value, right=ColumnRef() as column):
                pass
            case _:
                continue
        for each in equal.equal_to(column):
            if each.type.kind is value.type.kind:
                found.setdefault(key_of(each), value)
    return found
