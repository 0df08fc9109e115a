"""Rule: MIN and MAX of each value of a list need the first row of each read only."""

from __future__ import annotations

from dataclasses import replace

from piql.compiler.logical.expressions import Aggregate, ColumnRef, Constant, InList, Parameter
from piql.compiler.logical.operators import Count, GroupBy, LogicalNode, Sort, SortKey, Stop, map_inputs
from piql.compiler.optimizer.analysis.predicates import ColumnKey, key_of
from piql.compiler.optimizer.analysis.region import is_region, read_region
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.stop_extremes import fixed_by
from piql.trees.node import kinds_of


def stop_extremes_of_values(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Read MIN or MAX for each value of a list as the first value of its index range.

        GroupBy t.owner: MAX(t.posted)            GroupBy t.owner: MAX(t.posted)
          Selection t.owner IN [friends]    →       Stop 1 of each t.owner
            Relation t                                Sort t.posted DESC
                                                        Selection t.owner IN [friends]
                                                          Relation t

    As `stop_extremes`, which does it where equalities fix all that is grouped by. More rows than the first of each may
    pass this stop: the group above takes the extreme of them.
    """
    if GroupBy not in kinds_of(plan) or not any(_listed(by) for by in plan.find(GroupBy)):
        return plan

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        return _stopped(changed) if isinstance(changed, GroupBy) else changed

    stopped = visit(plan)
    if context.cost(stopped) is None:
        return plan
    context.note("MIN and MAX for each value of a list are read as its first row")
    return stopped


def _stopped(group: GroupBy) -> LogicalNode:
    listed = _listed(group)
    (extreme,) = group.aggregates if listed else (None,)
    if extreme is None or not isinstance(extreme.operand, ColumnRef):
        return group
    key = SortKey(expression=extreme.operand, ascending=extreme.function == "MIN")
    below = Sort(keys=(key,), input=group.input)
    return replace(
        group, input=Stop(count=Count(max=1), is_page=False, input=below, group_keys=listed, span=extreme.span)
    )


def _listed(group: GroupBy) -> tuple[ColumnRef, ...]:
    """Return the keys of a group of one relation that have the values of lists; none where others are not fixed."""
    match group.aggregates:
        case (Aggregate(function="MIN" | "MAX" as function, operand=ColumnRef(nullable=nullable)),):
            if (function == "MIN" and nullable) or isinstance(group.input, Stop) or not is_region(group.input):
                return ()
        case _:
            return ()
    region = read_region(group.input)
    if len(region.legs) > 1 or region.legs[0].relation is None or region.above or region.conditions:
        return ()
    filters = region.legs[0].filters
    fixed = fixed_by(filters)
    lists: set[ColumnKey] = set()
    for predicate in filters:
        match predicate:
            case InList(operand=ColumnRef() as column, items=items) if all(
                isinstance(item, Constant | Parameter) for item in items
            ):
                lists.add(key_of(column))
            case _:
                pass
    keys = [key for key in group.keys if isinstance(key, ColumnRef)]
    if len(keys) < len(group.keys) or not all(key_of(key) in fixed | lists for key in keys):
        return ()
    return tuple(key for key in keys if key_of(key) not in fixed)
