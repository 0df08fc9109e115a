"""Phase I: the logical plan is rewritten until each read has its stop (VLDB 2012, Algorithm 1).

Enters: the plan as bound. Leaves: an equal plan with predicates pushed down, joins in order, data-stops where the
schema limits rows and stops as low as they may stand, and what each rule did. Next: `physical.planner.planner`.

    rules/            one file for each rule                      rule, trace       what a rule is, what it did
    analysis/         answers about a plan that rules ask for     contradictions    tests that are never true
    joins/            the search for the join order                cases             a query for each case of parameters
"""

from __future__ import annotations

from collections.abc import Callable

from piql.compiler.logical.operators import Cases, LogicalNode, map_inputs
from piql.compiler.optimizer.analysis.effort import Cost
from piql.compiler.optimizer.rule import Rule, RuleContext
from piql.compiler.optimizer.rules.attach_subqueries import attach_subqueries
from piql.compiler.optimizer.rules.complete_order import complete_order
from piql.compiler.optimizer.rules.drop_distinct import drop_distinct
from piql.compiler.optimizer.rules.drop_implied_predicates import drop_implied_predicates
from piql.compiler.optimizer.rules.fix_correlations import fix_correlations
from piql.compiler.optimizer.rules.group_after_joining import group_after_joining
from piql.compiler.optimizer.rules.insert_data_stops import insert_data_stops
from piql.compiler.optimizer.rules.join_extremes_of_groups import join_extremes_of_groups
from piql.compiler.optimizer.rules.leave_out_null import leave_out_null
from piql.compiler.optimizer.rules.merge_derived import merge_derived
from piql.compiler.optimizer.rules.merge_first_match import merge_first_match
from piql.compiler.optimizer.rules.merge_same_rows import merge_same_rows
from piql.compiler.optimizer.rules.name_stripes import name_stripes
from piql.compiler.optimizer.rules.narrow_tests import narrow_tests
from piql.compiler.optimizer.rules.order_joins import order_joins
from piql.compiler.optimizer.rules.push_selection_down import push_selection_down
from piql.compiler.optimizer.rules.push_selection_into_groups import push_selection_into_groups
from piql.compiler.optimizer.rules.push_stop_down import push_stop_down
from piql.compiler.optimizer.rules.push_stop_into_union import push_stop_into_union
from piql.compiler.optimizer.rules.simplify_predicates import simplify_predicates
from piql.compiler.optimizer.rules.split_extremes import split_extremes
from piql.compiler.optimizer.rules.spread_equalities import spread_equalities
from piql.compiler.optimizer.rules.spread_or import spread_or
from piql.compiler.optimizer.rules.spread_union import spread_union
from piql.compiler.optimizer.rules.stop_extremes import stop_extremes
from piql.compiler.optimizer.rules.stop_extremes_of_values import stop_extremes_of_values
from piql.compiler.optimizer.rules.stop_joined_extremes import stop_joined_extremes
from piql.compiler.optimizer.rules.summarize_subqueries import summarize_subqueries
from piql.compiler.optimizer.rules.turn_left_join_inner import turn_left_join_inner
from piql.compiler.optimizer.rules.turn_not_exists_extreme import turn_not_exists_extreme
from piql.compiler.optimizer.rules.unnest_subqueries import unnest_subqueries
from piql.compiler.optimizer.trace import RuleApplication

# The order matters; each group relies on those before it.
RULES: tuple[Rule, ...] = (
    simplify_predicates,
    drop_distinct,
    # An OR with a subquery becomes a union, and a union is spread while it is still a derived table.
    spread_or,
    spread_union,
    # Derived tables and subqueries become joins, so that all later rules see them.
    merge_derived,
    turn_not_exists_extreme,
    fix_correlations,
    unnest_subqueries,
    attach_subqueries,
    summarize_subqueries,
    # Predicates find their relation before they are copied to equal columns.
    turn_left_join_inner,
    merge_same_rows,
    push_selection_down,
    push_selection_into_groups,
    join_extremes_of_groups,
    group_after_joining,
    split_extremes,
    stop_extremes,
    stop_extremes_of_values,
    push_stop_into_union,
    spread_equalities,
    name_stripes,
    # What then says the same is said once; a sort is completed while the relations stand as written.
    narrow_tests,
    leave_out_null,
    complete_order,
    # The join order is chosen by all these predicates.
    order_joins,
    # Only in the final order it is known what an earlier relation implies, and where the first match is enough.
    drop_implied_predicates,
    merge_first_match,
    stop_joined_extremes,
    # Equalities are fixed when a relation is read (data-stops), and stops pass joins that keep every row.
    insert_data_stops,
    push_stop_down,
)

# Rules that ask for a plan's cost even while the cost of another plan is computed, since they may bound it.
FOR_COST: tuple[Rule, ...] = (
    spread_union,
    unnest_subqueries,
    leave_out_null,
    order_joins,
    merge_first_match,
    stop_joined_extremes,
)


def optimize(
    plan: LogicalNode, cost: Callable[[LogicalNode], Cost | None] = lambda plan: None
) -> tuple[LogicalNode, tuple[RuleApplication, ...]]:
    """Apply the rules once each, in their order.

    Each of the `Cases` of a query is optimized as a plan of its own. `cost` takes a plan that has been through all
    rules and returns what it may take at most, or None where it has no bound. Returns the rewritten plan, and an
    application for each rule that changed something.
    """
    trace: list[RuleApplication] = []
    context = RuleContext(_is_bounded(cost), lambda plan, following: _cost_after(following, plan, cost))
    for following, rule in enumerate(RULES, 1):
        context.begin(following)
        after = _of_each_case(rule, plan, context) if isinstance(plan, Cases) else rule(plan, context)
        if after is not plan and after != plan:
            trace.append(RuleApplication(rule.__name__, "; ".join(context.notes) or _effect(rule), after))
        plan = after
    return plan, tuple(trace)


def _of_each_case(rule: Rule, cases: Cases, context: RuleContext) -> LogicalNode:
    return map_inputs(cases, lambda case: rule(case, context))


def _cost_after(start: int, plan: LogicalNode, cost: Callable[[LogicalNode], Cost | None]) -> Cost | None:
    """Return the cost of a plan once the rules from number `start` on are applied to it."""

    def cost_while_counting(plan: LogicalNode, following: int) -> Cost | None:
        return _cost_after(following, plan, cost) if RULES[following - 1] in FOR_COST else None

    context = RuleContext(_is_bounded(cost), cost_while_counting)
    for following, rule in enumerate(RULES[start:], start + 1):
        context.begin(following)
        plan = rule(plan, context)
    return cost(plan)


def _is_bounded(cost: Callable[[LogicalNode], Cost | None]) -> Callable[[LogicalNode], bool]:
    """Return a function that tells whether a subquery alone, after all rules, has a bound."""
    return lambda subquery: cost(optimize(subquery, cost)[0]) is not None


def _effect(rule: Rule) -> str:
    """The first line of a rule's docstring, which says what the rule does."""
    return (rule.__doc__ or rule.__name__).strip().splitlines()[0]
