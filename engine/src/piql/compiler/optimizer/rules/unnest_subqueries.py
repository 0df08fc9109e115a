"""Rule: EXISTS and IN (SELECT …) are joins."""

from __future__ import annotations

from dataclasses import dataclass, replace

from piql.compiler.binding.outputs import output_columns
from piql.compiler.binding.types import is_nullable
from piql.compiler.logical.expressions import (
    ColumnRef,
    Comparison,
    Exists,
    Expression,
    InSubquery,
    IsNull,
    Not,
    Or,
    ScalarSubquery,
    conjuncts,
)
from piql.compiler.logical.operators import (
    Derived,
    Distinct,
    GroupBy,
    Join,
    LogicalNode,
    Output,
    Projection,
    Selection,
    SemiJoin,
)
from piql.compiler.optimizer.analysis.predicates import (
    conjunction,
    equated_columns,
    has_subquery,
    holds_subquery,
)
from piql.compiler.optimizer.analysis.region import aliases_below, is_region, map_regions, read_region, write_region
from piql.compiler.optimizer.analysis.subqueries import decorrelated, outer_relations, pairwise_equalities
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import Node


def unnest_subqueries(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Make a join of each subquery in a WHERE.

        Selection t.owner IN (→ s.target)              Join t.owner = q.target
          Relation t                            →        Relation t
                                                         Derived q
                                                           Distinct … s.target

        Selection EXISTS (… s.owner = t.owner)         SemiJoin s.owner = t.owner
          Relation t                            →        Relation t
                                                         Relation s

    An IN whose subquery has its own bound becomes a join with the distinct values, which may then be read first, where
    that takes no more than to test each row. Everything else becomes a semi-join, and predicates that name outer
    columns become its condition. Where it takes less, an EXISTS whose rows are found by equalities is treated like an
    IN. An IN among the one row of an aggregate is an equality with its value. One in the ON of an inner join is tested
    after it. Those that are parts of a test, or stand in HAVING or the select list, are left to `attach_subqueries`.
    """
    if not holds_subquery(plan):
        return plan
    plan = map_regions(plan, lambda region: _tested_above(region) if _has_subquery_in_on(region) else region)
    unnesting = _Unnest(context)
    best = _unnested(plan, unnesting)
    if unnesting.has_joined:
        tested = _unnested(plan, _Unnest(context, joins_in=False))
        best = tested if context.is_cheaper(tested, best) else best
    if any(isinstance(node, Exists) for node in plan.walk()):
        following = _Unnest(context, follows_exists=True)
        followed = _unnested(plan, following)
        best = followed if following.has_followed and context.is_cheaper(followed, best) else best
    return best


def _unnested(plan: LogicalNode, unnest: _Unnest) -> LogicalNode:
    """Join the subqueries of all WHEREs of a plan."""

    def visit(node: Node) -> Node:
        changed = node.map_children(visit)
        if isinstance(changed, Selection) and is_region(changed) and has_subquery(changed.predicate):
            return unnest.selection(changed)
        return changed

    return visit(plan)  # type: ignore[return-value]


def _has_subquery_in_on(node: LogicalNode) -> bool:
    """Whether the ON of an inner join of this join part holds a subquery."""
    match node:
        case Selection():
            return _has_subquery_in_on(node.input)
        case Join():
            is_in_this = node.kind == "inner" and node.condition is not None and has_subquery(node.condition)
            return is_in_this or _has_subquery_in_on(node.left)
        case _:
            return False


def _tested_above(node: LogicalNode) -> LogicalNode:
    """Return a join part with its subqueries in a selection on top, where a region puts them."""
    return write_region(read_region(node))


class _Unnest:
    def __init__(self, context: RuleContext, *, joins_in: bool = True, follows_exists: bool = False) -> None:
        self.context = context
        self.joins_in = joins_in
        self.has_joined = False
        self.semi_joins = SemiJoins("subquery")
        self.follows_exists = follows_exists
        self.has_followed = False  # whether an EXISTS has become a join with distinct values

    def selection(self, node: Selection) -> LogicalNode:
        """Join the subqueries that are conjuncts of a WHERE; the other tests stand below the semi-joins."""
        below = node.input
        tests: list[Expression] = []
        semi_joins: list[SemiJoin] = []
        for predicate in conjuncts(node.predicate):
            is_anti = isinstance(predicate, Not)
            test = predicate.operand if isinstance(predicate, Not) else predicate
            match test:
                case InSubquery(operand=operand, query=query, more=()) if _is_one_group(query):
                    value = ScalarSubquery(query=query, type=output_columns(query)[0].type, span=query.span)
                    tests.append(
                        Comparison(operator="<>" if is_anti else "=", left=operand, right=value, span=test.span)
                    )
                    continue
                case InSubquery(query=query) if not any(map(has_subquery, test.values)):
                    is_joined = self.joins_in and not is_anti and not outer_relations(query)
                    if is_joined and self.context.is_bounded(query):
                        self.has_joined = True
                        below, equalities = self._joined(below, test, predicate)
                        tests.extend(equalities)
                        continue
                    semi_join = self.semi_joins.membership(test, predicate, is_anti=is_anti)
                    if not is_anti:
                        semi_join = replace(semi_join, compared=None)
                case Exists(query=query):
                    followed = self._followed(below, query, predicate) if self.follows_exists and not is_anti else None
                    if followed is not None:
                        below, equalities = followed
                        tests.extend(equalities)
                        continue
                    semi_join = self.semi_joins.existence(query, predicate, is_anti=is_anti)
                case _:
                    tests.append(predicate)
                    continue
            if outer_relations(semi_join.right):  # correlated where no condition of a join can stand
                tests.append(predicate)
            else:
                semi_joins.append(semi_join)
        untested = conjunction(tests)
        plan = below if untested is None else replace(node, predicate=untested, input=below)
        for join in semi_joins:
            plan = replace(join, left=plan)
        if semi_joins or below is not node.input:
            self.context.note("a subquery is joined")
        return plan

    def _joined(
        self, below: LogicalNode, test: InSubquery, predicate: Expression
    ) -> tuple[LogicalNode, list[Expression]]:
        """Join the distinct values of an IN; return the join, and the equalities to be tested above it."""
        query = test.query
        distinct = query if isinstance(query, Distinct) else Distinct(input=query, span=query.span)
        derived, columns = self.semi_joins.derived(distinct)
        equalities: list[Expression] = [*pairwise_equalities(test.values, columns, predicate.span)]
        return Join(kind="inner", left=below, right=derived, condition=None, span=predicate.span), equalities

    def _followed(
        self, below: LogicalNode, query: LogicalNode, predicate: Expression
    ) -> tuple[LogicalNode, list[Expression]] | None:
        """Join the distinct values of an EXISTS that equal columns outside; None where they have no bound alone.

        Returns the join, and the equalities to be tested above it.
        """
        pulled = decorrelated(query, only_existence=True)
        if pulled is None or not pulled[1]:
            return None
        inside, conditions = pulled
        inside_relations = aliases_below(inside)
        pairs: list[tuple[ColumnRef, ColumnRef]] = []  # (column inside, column outside)
        for condition in conditions:
            pair = equated_columns(condition)
            if pair is None or (pair[0].relation in inside_relations) == (pair[1].relation in inside_relations):
                return None
            pairs.append(pair if pair[0].relation in inside_relations else pair[::-1])
        outputs = tuple(Output(name=f"value_{at}", expression=column) for at, (column, _) in enumerate(pairs, start=1))
        values = Distinct(input=Projection(outputs=outputs, input=inside, span=query.span), span=query.span)
        if outer_relations(values) or not self.context.is_bounded(values):
            return None
        self.has_followed = True
        derived, _ = self.semi_joins.derived(values)
        columns = (
            replace(column, relation=derived.alias, name=output.name)
            for (column, _), output in zip(pairs, outputs, strict=True)
        )
        equalities: list[Expression] = [
            Comparison(operator="=", left=outside, right=column, span=predicate.span)
            for (_, outside), column in zip(pairs, columns, strict=True)
        ]
        return Join(kind="inner", left=below, right=derived, condition=None, span=predicate.span), equalities


def _is_one_group(query: LogicalNode) -> bool:
    """Whether a subquery is a correlated aggregate without groups, which gives one row even of no rows."""
    match query:
        case Projection(input=GroupBy(keys=())):
            return bool(outer_relations(query))
        case _:
            return False


@dataclass(slots=True)
class SemiJoins:
    """Makes semi-joins of EXISTS and IN.

    Their `left` is a placeholder, which the caller replaces by the rows that are tested.
    """

    name: str  # of derived tables made of subqueries; each adds its number
    count: int = 0

    def derived(self, query: LogicalNode) -> tuple[Derived, tuple[ColumnRef, ...]]:
        """Return a subquery as a derived table with an alias of its own, and its columns."""
        self.count += 1
        alias = f"{self.name}_{self.count}"
        columns = tuple(
            ColumnRef(relation=alias, name=column.name, type=column.type, nullable=column.nullable)
            for column in output_columns(query)
        )
        return Derived(alias=alias, input=query, span=query.span), columns

    def membership(self, test: InSubquery, predicate: Expression, *, is_anti: bool) -> SemiJoin:
        """Return the semi-join of an IN, or the anti-join of a NOT IN; `predicate` is the whole test, for its span."""
        query = test.query
        inner = query.input if isinstance(query, Distinct) else query
        outputs = inner.outputs if isinstance(inner, Projection) else ()
        pulled = decorrelated(query, counts_rows=False) if outputs else None
        if pulled is None:
            derived, columns = self.derived(query)
            conditions: tuple[Expression, ...] = ()
            right: LogicalNode = derived
            compared: tuple[Expression, ...] = columns
        else:
            right, conditions = pulled
            compared = tuple(output.expression for output in outputs)
        equalities = pairwise_equalities(test.values, compared, predicate.span)
        if is_anti and conditions and any(map(_may_be_unknown, equalities)):
            not_false = tuple(map(_not_false, equalities))
            condition = conjunction((*conditions, *not_false))
            return SemiJoin(left=right, right=right, condition=condition, is_anti=True, span=predicate.span)
        return SemiJoin(
            left=right,
            right=right,
            condition=conjunction((*equalities, *conditions)),
            is_anti=is_anti,
            compared=conjunction(equalities),
            span=predicate.span,
        )

    def existence(self, query: LogicalNode, predicate: Expression, *, is_anti: bool) -> SemiJoin:
        """Return the semi-join of an EXISTS, or the anti-join of a NOT EXISTS."""
        pulled = decorrelated(query, only_existence=True)
        right, conditions = pulled if pulled is not None else (query, ())
        return SemiJoin(
            left=right, right=right, condition=conjunction(conditions), is_anti=is_anti, span=predicate.span
        )


def _may_be_unknown(equality: Comparison) -> bool:
    """Whether a side of an equality may be NULL, so that it is neither true nor false."""
    return is_nullable(equality.left) or is_nullable(equality.right)


def _not_false(equality: Comparison) -> Expression:
    """Return a test that is true where an equality is true or unknown; NOT IN keeps the rows that pass none of them."""
    nulls = (
        IsNull(operand=expression, span=equality.span)
        for expression in (equality.left, equality.right)
        if is_nullable(expression)
    )
    return Or(operands=(equality, *nulls), span=equality.span) if _may_be_unknown(equality) else equality
