"""Rule: MIN and MAX for each value of an IN list read one row for each value."""

from __future__ import annotations

from dataclasses import replace

from piql.compiler.logical.expressions import Aggregate, ColumnRef, InList
from piql.compiler.logical.operators import Count, GroupBy, LogicalNode, Sort, SortKey, Stop, map_inputs
from piql.compiler.optimizer.analysis.predicates import ColumnKey, are_given, key_of
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

    The same as `stop_extremes` does where equalities fix all grouping columns. The stop may let more rows through than
    the first of each value: the group above takes the extreme of them.
    """
    if GroupBy not in kinds_of(plan) or not any(map(_listed_keys, plan.find(GroupBy))):
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
    """Return a group over the first row of each listed value; the same object where the rule does not apply."""
    listed = _listed_keys(group)
    extreme = group.aggregates[0] if listed else None
    if extreme is None or not isinstance(extreme.operand, ColumnRef):
        return group
    key = SortKey(expression=extreme.operand, ascending=extreme.function == "MIN")
    below = Sort(keys=(key,), input=group.input)
    return replace(
        group, input=Stop(count=Count(max=1), is_page=False, input=below, group_keys=listed, span=extreme.span)
    )


def _listed_keys(group: GroupBy) -> tuple[ColumnRef, ...]:
    """Return the grouping columns that an IN list fixes.

    Empty where the rule does not apply: another aggregate than one MIN or MAX, several relations, or a grouping column
    that neither a list nor an equality fixes.
    """
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
            case InList(operand=ColumnRef() as column, items=items) if are_given(items):
                lists.add(key_of(column))
            case _:
                pass
    keys = [key for key in group.keys if isinstance(key, ColumnRef)]
    if len(keys) < len(group.keys) or not all(key_of(key) in fixed | lists for key in keys):
        return ()
    return tuple(key for key in keys if key_of(key) not in fixed)
