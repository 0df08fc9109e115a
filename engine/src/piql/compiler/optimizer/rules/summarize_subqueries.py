"""Rule: a correlated aggregate becomes a left join with its matches, grouped by the row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations

from piql.compiler.binding.types import type_of
from piql.compiler.logical.expressions import (
    Aggregate,
    ColumnRef,
    Constant,
    Exists,
    Expression,
    FunctionCall,
    InSubquery,
    IsNull,
    Not,
    ScalarSubquery,
    conjuncts,
)
from piql.compiler.logical.operators import (
    GroupBy,
    Join,
    LogicalNode,
    Output,
    Projection,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    SortKey,
)
from piql.compiler.optimizer.analysis.facts import facts_about
from piql.compiler.optimizer.analysis.nulls import is_null_with
from piql.compiler.optimizer.analysis.predicates import conjunction, has_subquery, holds_subquery, relations_of
from piql.compiler.optimizer.analysis.region import Leg, aliases_below, is_region, read_region
from piql.compiler.optimizer.analysis.restrictions import restrictions_on
from piql.compiler.optimizer.analysis.row_keys import keys_of_region
from piql.compiler.optimizer.analysis.subqueries import decorrelated
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.simplify_predicates import meaning_of
from piql.text.source import Span
from piql.trees.node import Node

MOST_ORDERED = 3  # of so many relations of one subquery all 6 orders are tried; of more, the one written


def summarize_subqueries(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Join the rows that a correlated aggregate is over, and sum them up for each row.

        Projection u.name, (→ COUNT(*) …)              Projection u.name, COUNT(s.owner)
          Relation u                         →           GroupBy u.name: COUNT(s.owner), for each row
                                                           Left join s.owner = u.name
                                                             Relation u
                                                             Relation s

    In a WHERE, tests without a subquery come first, then this join and grouping, then the tests of the aggregates. In
    HAVING the rows are groups, and their keys find the matches. COUNT(*) becomes the COUNT of a key column, which is
    NULL where there is no match; an operand that would not be NULL there is put into IF_FOUND. Several relations are
    joined one after the other, each only where the one before has a match. The rows must have keys, so that they stay
    apart when they are grouped. Comes after `attach_subqueries`, which joins the values of single rows.
    """
    if not holds_subquery(plan):
        return plan
    summaries = _Summaries(plan, context)

    def visit(node: Node) -> Node:
        changed = node.map_children(visit)
        match changed:
            case Projection() if any(isinstance(descendant, ScalarSubquery) for descendant in changed.walk()):
                return summaries.of_projection(changed)
            case Selection() if any(isinstance(descendant, ScalarSubquery) for descendant in changed.predicate.walk()):
                return summaries.of_selection(changed)
            case _:
                return changed

    return visit(plan)  # type: ignore[return-value]


class _Summaries:
    """The summaries of one plan: left joins and groups that replace its correlated aggregates."""

    def __init__(self, plan: LogicalNode, context: RuleContext) -> None:
        self.plan = plan
        self.context = context
        self.values: dict[object, Expression] = {}  # the values computed so far, by the meaning of their subquery

    def of_projection(self, node: Projection) -> LogicalNode:
        """Replace the aggregates of a select list; a sort by them moves above the groups."""
        sort = node.input if isinstance(node.input, Sort) and any(map(has_subquery, node.input.keys)) else None
        start = node.input if sort is None else sort.input
        readers = (*node.outputs, *(sort.keys if sort is not None else ()))
        rows = self._rows(start, readers)
        if rows is None:
            return node
        outputs: tuple[Output, ...] = tuple(rows.change(output) for output in node.outputs)  # type: ignore[misc]
        order: tuple[SortKey, ...] = ()
        if sort is not None:
            order = tuple(rows.change(key) for key in sort.keys)  # type: ignore[misc]
        if not rows.values or any(map(has_subquery, order)):
            return node
        self.values |= rows.summaries
        rows_plan = rows.plan if sort is None else replace(sort, keys=order, input=rows.plan)
        return replace(node, outputs=outputs, input=rows_plan)

    def of_selection(self, node: Selection) -> LogicalNode:
        """Replace the aggregates of a WHERE or HAVING; tests without a subquery come first."""
        parts = conjuncts(node.predicate)
        plain_tests = conjunction(part for part in parts if not has_subquery(part))
        start = node.input if plain_tests is None else replace(node, predicate=plain_tests)
        rows = self._rows(start, (self.plan,))
        if rows is None:
            return node
        predicate = conjunction(rows.change(part) for part in parts if has_subquery(part))  # type: ignore[misc]
        if not rows.values or predicate is None:
            return node
        self.values |= rows.summaries
        return replace(node, predicate=predicate, input=rows.plan)

    def _rows(self, plan: LogicalNode, readers: tuple[Node, ...]) -> _Rows | None:
        """Return the rows of a plan, to be joined with summaries; None where they have no keys.

        They are grouped by their keys, by the columns that `readers` read, and by the aggregates of a GROUP BY below.
        """
        keys = self._row_keys(plan)
        if keys is None:
            return None
        relations = aliases_below(plan)
        read = [column for reader in readers for column in reader.find(ColumnRef) if column.relation in relations]
        group = self._group_below(plan)
        sums = [] if group is None else [*_sums(group.keys), *group.aggregates]
        if group is not None:  # above a group, only its keys can be read of the rows that it is made of
            own_relations = aliases_below(group.input)
            read = [column for column in read if column in group.keys or column.relation not in own_relations]
        values = {query: value for query, value in self.values.items() if set(value.find(Aggregate)) <= set(sums)}
        return _Rows(plan, relations, list(dict.fromkeys((*keys, *read, *sums))), values, self.context)

    def _group_below(self, plan: LogicalNode) -> GroupBy | None:
        """Return the GROUP BY below: that of the query, or of an earlier summary of the same rows."""
        while isinstance(plan, Sort | Selection | SemiJoin):
            plan = plan.left if isinstance(plan, SemiJoin) else plan.input
        return plan if isinstance(plan, GroupBy) else None

    def _row_keys(self, plan: LogicalNode) -> tuple[Expression, ...] | None:
        """Return the columns that tell the rows of a section apart; None where nothing does."""
        while not is_region(plan):
            match plan:
                case Sort() | Selection():
                    plan = plan.input
                case SemiJoin():
                    plan = plan.left
                case GroupBy(keys=(_, *_) as keys):
                    return tuple(key for key in keys if not isinstance(key, Aggregate))
                case _:
                    return None
        return keys_of_region(plan)


class _Rows:
    """Rows joined with the summaries of one subquery after the other; equal subqueries share one.

    `plan` grows with each summary; `keys` is all that it is grouped by. `summaries` maps the meaning of a subquery to
    its value in the plan, `values` those of them that the expressions changed so far ask for.
    """

    def __init__(
        self,
        plan: LogicalNode,
        relations: frozenset[str],
        keys: list[Expression],
        summaries: dict[object, Expression],
        context: RuleContext,
    ) -> None:
        self.plan = plan
        self.relations = relations
        self.keys = keys
        self.summaries = summaries
        self.context = context
        self.values: dict[object, Expression] = {}

    def change(self, node: Node) -> Node:
        """Replace the scalar subqueries of an expression by their summaries."""
        match node:
            case ScalarSubquery(query=query):
                matches = _matches_of(query, self.relations)
                if matches is None:
                    return node
                meaning = matches.meaning
                if meaning not in self.summaries:
                    summary = _summary(self.plan, self.relations, tuple(self.keys), matches, query.span)
                    if summary is None:
                        return node
                    self.plan, self.summaries[meaning] = summary
                    self.keys.extend(summary[0].aggregates)
                    self.context.note("the matches of each row are summed up")
                self.values[meaning] = self.summaries[meaning]
                return self.values[meaning]
            case Aggregate() | Exists() | InSubquery():
                return node
            case _:
                return node.map_children(self.change)


def _sums(keys: tuple[Expression, ...]) -> list[Aggregate]:
    """Return the aggregates among grouping keys: those of an earlier summary."""
    return [key for key in keys if isinstance(key, Aggregate)]


@dataclass(frozen=True, slots=True)
class _Matches:
    """A correlated aggregate: the legs that it reads, their tests, its aggregates, and its output."""

    legs: tuple[Leg, ...]
    conditions: tuple[Expression, ...]
    aggregates: tuple[Aggregate, ...]
    output: Expression

    @property
    def meaning(self) -> object:
        """Return a value that is equal for two that differ only in aliases and in the order of tests."""
        tests = (*self.conditions, *(predicate for leg in self.legs for predicate in leg.filters))
        read = [node for test in tests for node in test.find(ColumnRef)]

        def table_and_columns(leg: Leg) -> tuple[str, list[str]]:
            assert leg.relation is not None
            return leg.relation.table.name, sorted(column.name for column in read if column.relation in leg.relations)

        legs = sorted(self.legs, key=table_and_columns)
        plain = {alias: f"#{number}" for number, leg in enumerate(legs) for alias in leg.relations}

        def change(node: Node) -> Node:
            if isinstance(node, ColumnRef) and node.relation in plain:
                return replace(node, relation=plain[node.relation])
            return node

        def named(expression: Expression) -> Expression:
            return expression.transform_up(change)  # type: ignore[return-value]

        tables = tuple(table_and_columns(leg)[0] for leg in legs)
        return tables, frozenset(meaning_of(named(test)) for test in tests), meaning_of(named(self.output))


def _matches_of(query: LogicalNode, outer_relations: frozenset[str]) -> _Matches | None:
    """Take a correlated aggregate apart; None for other subqueries, and where it reads more than `outside`."""
    match query:
        case Projection(outputs=(only,), input=GroupBy(keys=(), aggregates=aggregates, input=inner)):
            pulled = decorrelated(inner)
        case _:
            return None
    if pulled is None:
        return None
    rows, correlations = pulled
    if not correlations or has_subquery(rows):
        return None
    region = read_region(rows)
    if region.above or any(leg.relation is None or leg.kind == "left" for leg in region.legs):
        return None
    conditions = (*correlations, *region.conditions)
    own_relations = frozenset().union(*(leg.relations for leg in region.legs))
    if not frozenset().union(*map(relations_of, (only, *conditions))) <= outer_relations | own_relations:
        return None
    return _Matches(region.legs, conditions, aggregates, only.expression)


def _summary(
    below: LogicalNode, available: frozenset[str], keys: tuple[Expression, ...], matches: _Matches, span: Span | None
) -> tuple[GroupBy, Expression] | None:
    """Return a GROUP BY of the rows over their matches, and the subquery's output in its columns.

    None where a relation of the subquery is found by no test on the rows or on an earlier relation.
    """
    legs = _in_order(matches.legs, matches.conditions, available)
    if legs is None:
        return None
    last = legs[-1].relation
    assert last is not None
    key = last.columns(last.table.primary_key)[0]
    aggregates: dict[Expression, Expression] = {
        aggregate: _over_matches(aggregate, key) for aggregate in matches.aggregates
    }
    distinct_aggregates = tuple(
        dict.fromkeys(aggregate for aggregate in aggregates.values() if isinstance(aggregate, Aggregate))
    )
    summed = tuple(alias for leg in legs for alias in leg.relations)
    joined = _joined(below, legs, matches.conditions, available, span)
    group = GroupBy(keys=keys, aggregates=distinct_aggregates, input=joined, summed=summed, span=span)

    def substitute(node: Node) -> Node:
        return aggregates.get(node, node) if isinstance(node, Aggregate) else node.map_children(substitute)

    return group, substitute(matches.output)  # type: ignore[return-value]


def _over_matches(aggregate: Aggregate, key: ColumnRef) -> Aggregate:
    """Return an aggregate that leaves out rows whose key is NULL, since nothing matched."""
    if aggregate.operand is None or _counts_rows(aggregate):
        return replace(aggregate, operand=key)
    if is_null_with(aggregate.operand, frozenset((key.relation,))):
        return aggregate
    operand = FunctionCall(
        name="IF_FOUND",
        arguments=(aggregate.operand, key),
        type=type_of(aggregate.operand),
        span=aggregate.operand.span,
    )
    return replace(aggregate, operand=operand)


def _in_order(
    legs: tuple[Leg, ...], conditions: tuple[Expression, ...], available: frozenset[str]
) -> tuple[Leg, ...] | None:
    """Return an order of legs in which each is found by tests on those before it or on the rows; None if there is none.

    An order in which the schema limits the matches of each leg comes first.
    """
    orders = permutations(legs) if len(legs) <= MOST_ORDERED else [legs]
    fitting = [
        order for order in orders if all(_is_found(order, at, conditions, available) for at in range(len(order)))
    ]
    limited = (
        order for order in fitting if all(_is_limited(order, at, conditions, available) for at in range(len(order)))
    )
    return next(limited, fitting[0] if fitting else None)


def _available(order: tuple[Leg, ...], at: int, outer_relations: frozenset[str]) -> frozenset[str]:
    return outer_relations.union(*(leg.relations for leg in order[:at]))


def _is_found(
    order: tuple[Leg, ...], at: int, conditions: tuple[Expression, ...], outer_relations: frozenset[str]
) -> bool:
    """Whether a condition relates the leg at a position to what comes before it."""
    relations, available = order[at].relations, _available(order, at, outer_relations)
    return any(relations < relations_of(condition) <= available | relations for condition in conditions)


def _is_limited(
    order: tuple[Leg, ...], at: int, conditions: tuple[Expression, ...], outer_relations: frozenset[str]
) -> bool:
    """Whether the schema limits the matches of the leg at a position."""
    leg, available = order[at], _available(order, at, outer_relations)
    assert leg.relation is not None
    tests = (
        *leg.filters,
        *(condition for condition in conditions if relations_of(condition) <= available | leg.relations),
    )
    return bool(facts_about(leg.relation.table, restrictions_on(leg.relation.alias, tests, available)))


def _joined(
    plan: LogicalNode,
    legs: tuple[Leg, ...],
    conditions: tuple[Expression, ...],
    available: frozenset[str],
    span: Span | None,
) -> LogicalNode:
    """Join relations to rows one after the other, each condition as soon as it can be tested."""
    waiting = list(conditions)
    relation_before: Relation | None = None
    for leg in legs:
        available = available | leg.relations
        testable = [expression for expression in waiting if relations_of(expression) <= available]
        waiting = [expression for expression in waiting if expression not in testable]
        if relation_before is not None:
            testable.append(Not(operand=IsNull(operand=relation_before.columns(relation_before.table.primary_key)[0])))
        filters = conjunction(leg.filters)
        right = leg.input if filters is None else Selection(predicate=filters, input=leg.input)
        plan = Join(kind="left", left=plan, right=right, condition=conjunction(testable), span=span)
        relation_before = leg.relation
    return plan


def _counts_rows(aggregate: Aggregate) -> bool:
    """Whether this is COUNT(*), or COUNT(1), which is the same."""
    match aggregate:
        case Aggregate(operand=None):
            return True
        case Aggregate(function="COUNT", operand=Constant(value=value), distinct=False):
            return value is not None
        case _:
            return False
