"""Rule: keys and limits of the schema are written into the plan as data-stops (VLDB 2012, Algorithm 1, lines 3-9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from piql.compiler.logical.expressions import Expression, conjuncts
from piql.compiler.logical.operators import (
    DataStop,
    Derived,
    Join,
    LogicalNode,
    Relation,
    Selection,
    SemiJoin,
    map_inputs,
)
from piql.compiler.optimizer.analysis.facts import Fact, facts_about
from piql.compiler.optimizer.analysis.predicates import all_conjuncts, conjunction
from piql.compiler.optimizer.analysis.region import aliases_below, is_region
from piql.compiler.optimizer.analysis.restrictions import Restrictions, restrictions_on
from piql.compiler.optimizer.rule import RuleContext


def insert_data_stops(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Put a data-stop above each set of equalities that covers a key or a cardinality limit.

        Selection s.owner = [me] AND s.approved = TRUE          Selection s.approved = TRUE
          Relation s                                       →      DataStop 100 subscriptions.owner
                                                                    Selection s.owner = [me]
                                                                      Relation s

    A data-stop stands directly above the predicates that caused it: it passes all others, because fewer rows agree
    with more. On the right of a join the equalities of the join count, too. Where a primary key is covered, nothing
    else can be tighter, and only that data-stop is written.
    """

    def visit(node: LogicalNode) -> LogicalNode:
        if isinstance(node, SemiJoin) and is_region(node.right):
            tests = all_conjuncts((node.condition,))
            right = _insert(node.right, tests, aliases_below(node.left), context, visit)
            return replace(node, left=visit(node.left), right=right)
        if is_region(node):
            return _insert(node, (), frozenset(), context, visit)
        return map_inputs(node, visit)

    return visit(plan)


def _insert(
    node: LogicalNode,
    joining: Sequence[Expression],
    available: frozenset[str],
    context: RuleContext,
    visit: Callable[[LogicalNode], LogicalNode],
) -> LogicalNode:
    """Put data-stops over the relations of a join part.

    `joining` are the tests of the join whose right side `node` is, and `available` the relations that they may read.
    `visit` is applied to derived tables and what else is no part of the join.
    """
    match node:
        case Join():
            left = _insert(node.left, (), available, context, visit)
            joined = available | aliases_below(node.left)
            right = _insert(node.right, all_conjuncts((node.condition,)), joined, context, visit)
            return node if left is node.left and right is node.right else replace(node, left=left, right=right)
        case Relation():
            return _stop(node, (), joining, available, None, context)
        case Selection(input=Relation() as relation):
            return _stop(relation, conjuncts(node.predicate), joining, available, node, context)
        case Selection():
            below = _insert(node.input, joining, available, context, visit)
            return node if below is node.input else replace(node, input=below)
        case Derived():
            return map_inputs(node, visit)
        case _:
            return visit(node)


def _stop(
    relation: Relation,
    filters: tuple[Expression, ...],
    joining: Sequence[Expression],
    available: frozenset[str],
    selection: Selection | None,
    context: RuleContext,
) -> LogicalNode:
    """Build the selections and data-stops over one relation."""
    restrictions = restrictions_on(relation.alias, (*joining, *filters), available)
    facts = _without_wider(facts_about(relation.table, restrictions))
    if not facts:
        return relation if selection is None else selection
    span = selection.span if selection is not None else None
    plan: LogicalNode = relation
    remaining = list(filters)
    for fact in reversed(facts):  # the tightest on top
        causes = [expression for expression in remaining if _is_cause(expression, fact, restrictions)]
        remaining = [expression for expression in remaining if expression not in causes]
        predicate = conjunction(causes)
        if predicate is not None:
            plan = Selection(predicate=predicate, input=plan, span=span)
        columns = relation.columns(fact.columns)
        plan = DataStop(
            limit=fact.rows, relation=relation.alias, columns=columns, because=fact.because, input=plan, span=span
        )
        context.note(f"{relation.table.name}: {say(fact, relation)}")
    untested = conjunction(remaining)
    return plan if untested is None else Selection(predicate=untested, input=plan, span=span)


def _without_wider(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Drop each fact whose columns include those of a tighter one, which already limits the same rows."""
    tightest: list[Fact] = []
    for fact in facts:
        if not any(tighter.limit <= fact.limit and set(tighter.columns) <= set(fact.columns) for tighter in tightest):
            tightest.append(fact)
    if tightest and tightest[0].limit == 1:
        return (tightest[0],)
    return tuple(tightest)


def _is_cause(predicate: Expression, fact: Fact, restrictions: Restrictions) -> bool:
    """Whether a fact relies on a predicate."""
    if fact.is_token:
        return any(word.predicate is predicate for word in restrictions.words)
    if fact.within is not None and any(
        expression is predicate for expression in restrictions.ranges[fact.within.column].predicates
    ):
        return True
    return any(restrictions.equal[column].predicate is predicate for column in fact.columns)


def say(fact: Fact, relation: Relation) -> str:
    """Return a sentence for people that states a fact."""
    if fact.limit == 0:
        return "a test keeps no row"
    columns = ", ".join(fact.columns)
    if fact.within is not None:
        sentence = f"at most {fact.limit} rows have one of {fact.within.values} values of {fact.within.column}"
        return f"{sentence} and one of {columns}" if columns else sentence
    if not fact.columns:
        return f"at most {fact.limit} rows are in the table"
    if fact.limit == 1:
        return f"one row has one value of {columns}"
    return f"at most {fact.limit} rows {'hold one word in' if fact.is_token else 'share one value of'} {columns}"
