"""Rule: a read of groups of a striped view names all stripes, so that each of them is found by its key."""

from __future__ import annotations

from dataclasses import replace

from piql.compiler.logical.expressions import ColumnRef, Comparison, Constant, Expression, InList, columns_in, conjuncts
from piql.compiler.logical.operators import LogicalNode, Relation, SemiJoin, map_inputs
from piql.compiler.optimizer.analysis.region import Leg, Region, is_region, map_regions, read_region, write_region
from piql.compiler.optimizer.rule import RuleContext
from piql.schema.view_stripes import STRIPE
from piql.trees.node import kinds_of


def name_stripes(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Add the numbers of all stripes where all other columns of the key are compared with values.

        Selection l.post = [post]               Selection l.post = [post] AND l.stripe IN (0, 1, 2, 3)
          Relation likes_of_post l       →        Relation likes_of_post l

    No row has another number, so the result stays the same, and each stripe is a get. The condition of a semi join
    counts as well: EXISTS and NOT EXISTS read the stripes of the group that they look for.
    """
    if Relation not in kinds_of(plan) or not any(map(_has_stripes, plan.find(Relation))):
        return plan

    def name(node: LogicalNode, matched: tuple[Expression, ...] = ()) -> LogicalNode:
        region = read_region(node)
        legs = tuple(_named(leg, region, matched) for leg in region.legs)
        if all(leg is named for leg, named in zip(region.legs, legs, strict=True)):
            return node
        context.note("each stripe of a group is read by its key")
        return write_region(region._replace(legs=legs))

    def name_matches(node: LogicalNode) -> LogicalNode:
        node = map_inputs(node, name_matches)
        if not isinstance(node, SemiJoin) or not is_region(node.right) or node.condition is None:
            return node
        right = name(node.right, conjuncts(node.condition))
        return node if right is node.right else replace(node, right=right)

    plan = map_regions(plan, name)
    return name_matches(plan) if SemiJoin in kinds_of(plan) else plan


def _has_stripes(relation: Relation) -> bool:
    return relation.table.view is not None and relation.table.view.stripes is not None


def _named(leg: Leg, region: Region, matched: tuple[Expression, ...]) -> Leg:
    """Return a leg with the test of its stripes, where it reads groups of a striped view by their keys.

    `matched` are the tests of the semi join whose right side the region is.
    """
    relation = leg.relation
    if relation is None or relation.table.view is None or relation.table.view.stripes is None:
        return leg
    (stripe,) = relation.columns((STRIPE,))
    fixed: set[str] = set()
    for test in (*leg.filters, *leg.on, *region.conditions, *matched):
        if stripe.name in _columns_of(relation, test):
            return leg
        fixed |= _fixed_by(relation, test)
    if not fixed >= set(relation.table.primary_key) - {STRIPE}:
        return leg
    numbers = range(relation.table.view.stripes.count)
    items = tuple(Constant(value=number, type=stripe.type) for number in numbers)
    return leg._replace(filters=(*leg.filters, InList(operand=stripe, items=items)))


def _columns_of(relation: Relation, test: Expression) -> set[str]:
    return {column.name for column in columns_in(test) if column.relation == relation.alias}


def _fixed_by(relation: Relation, test: Expression) -> set[str]:
    """Return the columns of a relation that a test compares with values."""
    match test:
        case Comparison(operator="=", left=left, right=right):
            sides: tuple[Expression, ...] = (left, right)
        case InList(operand=operand):
            sides = (operand,)
        case _:
            return set()
    return {side.name for side in sides if isinstance(side, ColumnRef) and side.relation == relation.alias}
