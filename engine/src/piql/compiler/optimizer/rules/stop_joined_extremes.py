"""Rule: MIN and MAX over a join read only the first match of each row."""

from __future__ import annotations

from dataclasses import replace

from piql.compiler.logical.expressions import Aggregate, ColumnRef, Expression, IsNull, Not
from piql.compiler.logical.operators import GroupBy, Join, LogicalNode, Relation, Selection, SortKey, map_inputs
from piql.compiler.optimizer.analysis.first_match import completed_by_primary_key
from piql.compiler.optimizer.analysis.predicates import all_conjuncts, relations_of
from piql.compiler.optimizer.analysis.region import aliases_below
from piql.compiler.optimizer.analysis.restrictions import Restrictions, restrictions_on
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import kinds_of


def stop_joined_extremes(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Read only the match with the smallest or largest value for each row, where that takes less than all matches.

        GroupBy s.target: MAX(t.posted)           GroupBy s.target: MAX(t.posted)
          Join t.owner = s.target          →        Join t.owner = s.target, first by t.posted DESC
            Selection s.owner = [me]                  Selection s.owner = [me]
              Relation s                                Relation s
            Relation t                                Relation t

    The largest value of a group is the largest among the first matches of its rows. The rule fires only where the query
    asks for one MIN or MAX of a column of the joined table, and for no other column of that table except those that
    equal a column of the row. Needs the final join order.
    """
    if GroupBy not in kinds_of(plan):
        return plan
    if not any(_extreme(node) is not None for node in plan.find(GroupBy)):
        return plan

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        extreme = _extreme(changed) if isinstance(changed, GroupBy) else None
        if not isinstance(changed, GroupBy) or extreme is None:
            return changed
        below = _first_of(changed.input, extreme, changed.keys)
        return changed if below is None else replace(changed, input=below)

    stopped = visit(plan)
    if stopped == plan or not context.is_cheaper(stopped, plan):
        return plan
    context.note("MIN and MAX are read as the first match of each row")
    return stopped


def _extreme(group: GroupBy) -> Aggregate | None:
    """Return the only aggregate, where it is the MIN or MAX of a column."""
    match group.aggregates:
        case (Aggregate(function="MIN" | "MAX", operand=ColumnRef()) as extreme,):
            return extreme
        case _:
            return None


def _first_of(node: LogicalNode, extreme: Aggregate, keys: tuple[Expression, ...]) -> LogicalNode | None:
    """Return joins of which the one with the column of `extreme` gives only its first match; None where that differs.

    `keys` are the grouping columns: they must not tell the matches of one row apart.
    """
    column = extreme.operand
    assert isinstance(column, ColumnRef)
    if not isinstance(node, Join) or node.first:
        return None
    relation = node.right
    while isinstance(relation, Selection):
        relation = relation.input
    if not isinstance(relation, Relation) or relation.alias != column.relation:
        if column.relation in relations_of(node.right) or (
            node.condition is not None and column.relation in relations_of(node.condition)
        ):
            return None
        left = _first_of(node.left, extreme, keys)
        return None if left is None else replace(node, left=left)
    right = node.right
    restrictions = restrictions_on(
        relation.alias, all_conjuncts((node.condition, *_tests(right))), aliases_below(node.left)
    )
    if extreme.function == "MIN" and column.nullable and column.name not in restrictions.ranges:
        if node.kind == "inner":
            return None  # a group of NULLs alone would be missing
        right = Selection(predicate=Not(operand=IsNull(operand=column)), input=right, span=extreme.span)
    if not all(_is_same_for_matches(key, relation, restrictions) for key in keys):
        return None
    order = (SortKey(expression=column, ascending=extreme.function == "MIN"),)
    return replace(node, right=right, first=completed_by_primary_key(order, relation, restrictions))


def _tests(node: LogicalNode) -> tuple[Expression, ...]:
    """Return the predicates of the selections on top of a plan."""
    predicates: list[Expression] = []
    while isinstance(node, Selection):
        predicates.append(node.predicate)
        node = node.input
    return tuple(predicates)


def _is_same_for_matches(key: Expression, relation: Relation, restrictions: Restrictions) -> bool:
    """Whether all matches of a row have the same value of a key."""
    columns = (node for node in key.walk() if isinstance(node, ColumnRef) and node.relation == relation.alias)
    return all(node.name in restrictions.equal and restrictions.equal[node.name].count == 1 for node in columns)
