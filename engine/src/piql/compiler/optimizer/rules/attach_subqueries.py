"""Rule: a subquery that stands for a value, or is only a part of a test, becomes a column of each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from piql.compiler.binding.outputs import output_columns
from piql.compiler.binding.types import BOOLEAN
from piql.compiler.logical.expressions import (
    Aggregate,
    And,
    ColumnRef,
    Comparison,
    Constant,
    Exists,
    Expression,
    InSubquery,
    Or,
    ScalarSubquery,
    conjuncts,
)
from piql.compiler.logical.operators import (
    Derived,
    GroupBy,
    Join,
    LogicalNode,
    Projection,
    Selection,
    SemiJoin,
    Sort,
    SortKey,
    Stop,
)
from piql.compiler.optimizer.analysis.facts import facts_about
from piql.compiler.optimizer.analysis.first_match import first_match
from piql.compiler.optimizer.analysis.left_join_subqueries import with_left_columns
from piql.compiler.optimizer.analysis.nulls import is_null_with
from piql.compiler.optimizer.analysis.one_row import gives_one_row
from piql.compiler.optimizer.analysis.predicates import conjunction, has_subquery, holds_subquery, key_of, relations_of
from piql.compiler.optimizer.analysis.region import aliases_below, is_region, read_region
from piql.compiler.optimizer.analysis.restrictions import restrictions_on
from piql.compiler.optimizer.analysis.subqueries import outer_relations
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.unnest_subqueries import SemiJoins
from piql.trees.node import Node


def attach_subqueries(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Join the value of a subquery to each row, or mark each row with whether the subquery finds something.

        Projection p.id, (→ u.town)               Projection p.id, u.town
          Relation p                        →       LeftJoin u.id = p.author      (a whole key: one row at most)
                                                      Relation p
                                                      Relation u

        Selection p.a = 1 OR EXISTS (…)           Selection p.a = 1 OR test_1.found
          Relation p                        →       SemiJoin … AS test_1.found
                                                      Relation p
                                                      …

    Comes after `unnest_subqueries`, which joins those that are tests of their own. A value must come from one row at
    most: a whole key is fixed, the subquery is not correlated and gives one row, or it is the first match in an order
    that an index has (`first_match`). In the ON of a left join it reads columns of the left side
    (`left_join_subqueries`). The planner refuses all others: in an aggregate, or correlated in another way.
    """
    if not holds_subquery(plan):
        return plan
    attach = _Attach(context)

    def visit(node: Node) -> Node:
        changed = node.map_children(visit)
        match changed:
            case Selection() if has_subquery(changed.predicate):
                return attach.to_selection(changed)
            case Join(kind="left") if changed.condition is not None and has_subquery(changed.condition):
                return attach.to_left_join(changed)
            case Projection() if any(map(has_subquery, changed.outputs)) or _is_sorted_by_subquery(changed):
                return attach.to_projection(changed)
            case _:
                return changed

    return visit(plan)  # type: ignore[return-value]


@dataclass(slots=True)
class _Attach:
    """Attaches the subqueries of one plan; counts them, so that each gets an alias of its own."""

    context: RuleContext
    semi_joins: SemiJoins = field(default_factory=lambda: SemiJoins("test"))
    values: int = 0  # of the aliases value_1, value_2, …

    def to_selection(self, node: Selection) -> LogicalNode:
        """Attach the subqueries of a WHERE or HAVING.

        Values are joined below all tests. Marks stand above the tests without a subquery, which drop rows first.
        """
        parts = conjuncts(node.predicate)
        below = node.input
        plain_tests: list[Expression] = []
        subquery_tests: list[Expression] = []
        for part in parts:
            below, part = self._with_values(below, part, {}, is_test=True)
            (subquery_tests if has_subquery(part) else plain_tests).append(part)
        plan = below if not plain_tests else replace(node, predicate=_all(plain_tests), input=below)
        if subquery_tests:
            unmarked = plan
            plan, marked = self._with_marks(plan, subquery_tests, are_tests=True)
            if plan is unmarked and below is node.input:
                return node
            plan = replace(node, predicate=_all(marked), input=plan)
        return plan

    def to_left_join(self, node: Join) -> Join:
        """Attach the subqueries of an ON, all or none: their values are joined to the left side of the join."""
        below = node.left
        parts: list[Expression] = []
        for part in with_left_columns(node) if is_region(below) else ():
            below, part = self._with_values(below, part, {}, is_test=True)
            parts.append(part)
        if not parts or any(map(has_subquery, parts)):
            return node
        return replace(node, left=below, condition=conjunction(parts))

    def to_projection(self, node: Projection) -> LogicalNode:
        """Attach the subqueries of a select list: values below the sort, which may be by them, and marks above it."""
        sort = node.input if isinstance(node.input, Sort) and _comes_of_region(node.input.input) else None
        below = node.input if sort is None else sort.input
        joined: dict[ScalarSubquery, Expression] = {}
        outputs: list[Expression] = []
        for output in node.outputs:
            below, expression = self._with_values(below, output.expression, joined)
            outputs.append(expression)
        if sort is not None:
            keys: list[SortKey] = []
            for key in sort.keys:
                below, expression = self._with_values(below, key.expression, joined)
                keys.append(replace(key, expression=expression))
            below = sort if below is sort.input else replace(sort, keys=tuple(keys), input=below)
        below, outputs = self._with_marks(below, outputs)
        changed = (
            replace(output, expression=expression) for output, expression in zip(node.outputs, outputs, strict=True)
        )
        return replace(node, outputs=tuple(changed), input=below)

    def _with_values(
        self,
        plan: LogicalNode,
        expression: Expression,
        joined: dict[ScalarSubquery, Expression],
        *,
        is_test: bool = False,
    ) -> tuple[LogicalNode, Expression]:
        """Join the values of an expression's scalar subqueries to a plan; return it, and the expression with columns.

        `joined` maps the subqueries that are joined already to their columns, and is added to. `is_test`: the
        expression is a test, not an output. The joins stand below selections and semi-joins, which only test rows.
        """
        if isinstance(plan, Selection | SemiJoin) and not is_region(plan) and _comes_of_region(plan):
            rows = plan.left if isinstance(plan, SemiJoin) else plan.input
            below, changed = self._with_values(rows, expression, joined, is_test=is_test)
            if below is rows:
                return plan, changed
            return _over(plan, below), changed
        if not is_region(plan):
            return self._joined_by(self._below_groups, plan, expression, joined)

        def join_value(plan: LogicalNode, query: LogicalNode) -> tuple[LogicalNode, Expression] | None:
            return (
                self._looked_up(plan, query)
                or self._read_once(plan, query)
                or first_match(plan, query, is_test)
                or self._read_unbounded(plan, query)
            )

        return self._joined_by(join_value, plan, expression, joined)

    def _joined_by(
        self,
        join_value: Callable[[LogicalNode, LogicalNode], tuple[LogicalNode, Expression] | None],
        plan: LogicalNode,
        expression: Expression,
        joined: dict[ScalarSubquery, Expression],
    ) -> tuple[LogicalNode, Expression]:
        """Replace each scalar subquery of an expression by a column.

        `join_value` takes a plan and a subquery, and returns the plan with the value joined and the column, or None.
        """

        def change(node: Node) -> Node:
            nonlocal plan
            match node:
                case ScalarSubquery() if node in joined:
                    return joined[node]
                case ScalarSubquery(query=query):
                    joined_value = join_value(plan, query)
                    if joined_value is None:
                        return node
                    plan, joined[node] = joined_value
                    self.context.note("the value of a subquery is joined to each row")
                    return joined[node]
                case Aggregate() | Exists() | InSubquery():
                    return node
                case _:
                    return node.map_children(change)

        changed: Expression = change(expression)  # type: ignore[assignment]
        return plan, changed

    def _below_groups(self, plan: LogicalNode, query: LogicalNode) -> tuple[LogicalNode, Expression] | None:
        """Join a value below a GROUP BY and group by it, too; None where a group could have several values.

        The subquery must not be correlated, or only by columns that are grouped by. A GROUP BY without keys gives one
        group even of no rows; with this key it would give none, so it is left alone.
        """
        group = _group_below(plan)
        if group is None or not group.keys or not is_region(group.input):
            return None
        outside, grouped = outer_relations(query), _group_keys(group)
        outer_columns = (column for column in query.find(ColumnRef) if column.relation in outside)
        if grouped is None or not all(key_of(column) in grouped for column in outer_columns):
            return None
        joined_value = (
            self._looked_up(group.input, query)
            or self._read_once(group.input, query)
            or self._read_unbounded(group.input, query)
        )
        if joined_value is None:
            return None
        below, value = joined_value
        return _with_group(plan, replace(group, keys=(*group.keys, value), input=below)), value

    def _looked_up(self, plan: LogicalNode, query: LogicalNode) -> tuple[LogicalNode, Expression] | None:
        """Return a left join with the only row of a relation whose key the subquery fixes; None for others."""
        if isinstance(query, Stop) and query.count.parameter is None and query.count.max > 0 and not query.is_page:
            query = query.input
        if not isinstance(query, Projection):
            return None
        below = query.input.input if isinstance(query.input, Sort) else query.input
        if not is_region(below):
            return None
        region = read_region(below)
        relation = region.legs[0].relation
        tests = (*region.legs[0].filters, *region.conditions)
        if len(region.legs) > 1 or relation is None or region.above or any(map(has_subquery, tests)):
            return None
        outside = outer_relations(query)
        value = query.outputs[0].expression
        if not outside <= aliases_below(plan) or not is_null_with(value, frozenset((relation.alias,))):
            return None
        restrictions = restrictions_on(relation.alias, tests, outside)
        if not any(fact.rows == 1 for fact in facts_about(relation.table, restrictions)):
            return None
        return Join(kind="left", left=plan, right=relation, condition=conjunction(tests), span=query.span), value

    def _read_once(self, plan: LogicalNode, query: LogicalNode) -> tuple[LogicalNode, Expression] | None:
        """Return a left join with an uncorrelated subquery that gives one row at most; None for others."""
        if outer_relations(query) or not gives_one_row(query) or not self.context.is_bounded(query):
            return None
        return self._with_value(plan, query)

    def _read_unbounded(self, plan: LogicalNode, query: LogicalNode) -> tuple[LogicalNode, Expression] | None:
        """Return the same for a subquery that nothing bounds, so that it is refused for what grows in it."""
        if outer_relations(query) or not gives_one_row(query):
            return None
        return self._with_value(plan, query)

    def _with_value(self, plan: LogicalNode, query: LogicalNode) -> tuple[LogicalNode, Expression]:
        self.values += 1
        alias, column = f"value_{self.values}", output_columns(query)[0]
        right = Derived(alias=alias, input=query, span=query.span)
        value = ColumnRef(relation=alias, name=column.name, type=column.type, nullable=True)
        return Join(kind="left", left=plan, right=right, condition=None, span=query.span), value

    def _with_marks(
        self, plan: LogicalNode, expressions: Iterable[Expression], *, are_tests: bool = False
    ) -> tuple[LogicalNode, list[Expression]]:
        """Mark each row with the answers of the EXISTS and IN of some expressions, which then test the marks.

        `are_tests`: rows are dropped for which an expression is unknown, as for one that is false. So an IN under AND
        and OR alone need not tell unknown from false, and is planned as the EXISTS of the same question.
        """
        groups = _group_keys(plan)

        def change(node: Node, is_test: bool) -> Node:
            nonlocal plan
            match node:
                case Exists(query=query) if _is_known(node, groups):
                    semi_join = self.semi_joins.existence(query, node, is_anti=False)
                case InSubquery() if not any(map(has_subquery, node.values)) and _is_known(node, groups):
                    semi_join = self.semi_joins.membership(node, node, is_anti=False)
                    if is_test:
                        semi_join = replace(semi_join, compared=None)
                case Aggregate() | Exists() | InSubquery() | ScalarSubquery():
                    return node
                case And() | Or():
                    return node.map_children(lambda child: change(child, is_test))
                case _:
                    return node.map_children(lambda child: change(child, False))
            if outer_relations(semi_join.right):
                return node
            self.semi_joins.count += 1
            name = f"test_{self.semi_joins.count}"
            mark = ColumnRef(relation=name, name="found", type=BOOLEAN, nullable=semi_join.compared is not None)
            plan = replace(semi_join, left=plan, mark=mark)
            self.context.note("each row is marked with whether a subquery finds something")
            return Comparison(operator="=", left=mark, right=Constant(value=True, type=BOOLEAN), span=node.span)

        changed: list[Expression] = [change(expression, are_tests) for expression in expressions]  # type: ignore[misc]
        return plan, changed


def _all(predicates: list[Expression]) -> Expression:
    predicate = conjunction(predicates)
    assert predicate is not None
    return predicate


def _is_sorted_by_subquery(node: Projection) -> bool:
    return isinstance(node.input, Sort) and any(map(has_subquery, node.input.keys))


def _comes_of_region(plan: LogicalNode) -> bool:
    """Whether a plan is a join part under selections and semi-joins."""
    while isinstance(plan, Selection | SemiJoin) and not is_region(plan):
        plan = plan.left if isinstance(plan, SemiJoin) else plan.input
    return is_region(plan)


def _over(test: Selection | SemiJoin, rows: LogicalNode) -> LogicalNode:
    """Return the same selection or semi-join over other rows."""
    return replace(test, left=rows) if isinstance(test, SemiJoin) else replace(test, input=rows)


def _group_below(plan: LogicalNode) -> GroupBy | None:
    """Return the GROUP BY under selections, sorts and semi-joins; None where there is none."""
    while isinstance(plan, Selection | Sort | SemiJoin):
        plan = plan.left if isinstance(plan, SemiJoin) else plan.input
    return plan if isinstance(plan, GroupBy) else None


def _with_group(plan: LogicalNode, group: GroupBy) -> LogicalNode:
    """Return the same plan with another GROUP BY at its bottom."""
    match plan:
        case Selection() | Sort():
            return replace(plan, input=_with_group(plan.input, group))
        case SemiJoin():
            return replace(plan, left=_with_group(plan.left, group))
        case _:
            return group


def _group_keys(plan: LogicalNode) -> frozenset[tuple[str, str]] | None:
    """Return the columns that the rows of a plan are grouped by; None where no GROUP BY stands below."""
    group = _group_below(plan)
    return None if group is None else frozenset(key_of(key) for key in group.keys if isinstance(key, ColumnRef))


def _is_known(test: Exists | InSubquery, groups: frozenset[tuple[str, str]] | None) -> bool:
    """Whether the outer columns of a test can be read where it stands: above a GROUP BY only its keys can."""
    if groups is None:
        return True
    values = test.values if isinstance(test, InSubquery) else ()
    if any(isinstance(node, Aggregate) for value in values for node in value.walk()):
        return False
    outside = outer_relations(test.query).union(*map(relations_of, values))
    outer_columns = (node for node in test.walk() if isinstance(node, ColumnRef) and node.relation in outside)
    return all(key_of(column) in groups for column in outer_columns)
