"""Rule: MIN and MAX read only the first row of an order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from piql.compiler.logical.expressions import (
    Aggregate,
    ColumnRef,
    Comparison,
    Expression,
    IsNull,
    Not,
)
from piql.compiler.logical.operators import Count, GroupBy, LogicalNode, Selection, Sort, SortKey, Stop, map_inputs
from piql.compiler.optimizer.analysis.predicates import ColumnKey, is_given, key_of
from piql.compiler.optimizer.analysis.region import is_region, read_region
from piql.compiler.optimizer.rule import RuleContext


def stop_extremes(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Read MIN or MAX as the first value of an index.

        GroupBy: MAX(t.posted)                    GroupBy: MAX(t.posted)
          Selection t.owner = [me]          →       Stop 1
            Relation t                                Sort t.posted DESC
                                                        Selection t.owner = [me]
                                                          Relation t

    Applies to one MIN or MAX of a column (`split_extremes` has come before), over one relation, where equalities fix
    the grouping columns. MAX reads in descending order, where NULL comes last. For MIN a test drops NULL. So a MIN of a
    column that may be NULL is left alone where there are grouping columns: a group of NULLs alone would be lost.
    """

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        match changed:
            case GroupBy(aggregates=(Aggregate(function="MIN" | "MAX", operand=ColumnRef() as column) as extreme,)):
                if not is_one_group(changed) or (extreme.function == "MIN" and column.nullable and changed.keys):
                    return changed
                context.note(f"{extreme.function} is read as the first value of an order")
                return replace(changed, input=_first(changed.input, column, extreme))
            case _:
                return changed

    return visit(plan)


def is_one_group(group: GroupBy) -> bool:
    """Whether a group is made of one relation, and equalities fix its keys."""
    if not is_region(group.input):
        return False
    region = read_region(group.input)
    if len(region.legs) > 1 or region.legs[0].relation is None or region.above or region.conditions:
        return False
    fixed = fixed_by(region.legs[0].filters)
    return all(isinstance(key, ColumnRef) and key_of(key) in fixed for key in group.keys)


def _first(plan: LogicalNode, column: ColumnRef, aggregate: Aggregate) -> LogicalNode:
    """Return the row of a plan with the smallest or largest value of a column."""
    if column.nullable and aggregate.function == "MIN":
        plan = Selection(predicate=Not(operand=IsNull(operand=column)), input=plan, span=aggregate.span)
    order = SortKey(expression=column, ascending=aggregate.function == "MIN")
    return Stop(count=Count(max=1), is_page=False, input=Sort(keys=(order,), input=plan), span=aggregate.span)


def fixed_by(filters: Iterable[Expression]) -> set[ColumnKey]:
    """Return the columns that an equality fixes to one value."""
    columns: set[ColumnKey] = set()
    for predicate in filters:
        match predicate:
            case Comparison(operator="=", left=ColumnRef() as column, right=value) if is_given(value):
                columns.add(key_of(column))
            case Comparison(operator="=", left=value, right=ColumnRef() as column) if is_given(value):
                columns.add(key_of(column))
            case _:
                pass
    return columns
