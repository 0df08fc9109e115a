"""Rule: "there is no larger one" (NOT EXISTS) becomes "it equals the MAX", which an index gives as its first entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from piql.compiler.logical.expressions import (
    Aggregate,
    ColumnRef,
    Comparison,
    Exists,
    Expression,
    Not,
    ScalarSubquery,
    conjuncts,
)
from piql.compiler.logical.operators import (
    GroupBy,
    LogicalNode,
    Output,
    Projection,
    Relation,
    Selection,
    Sort,
    Stop,
    map_inputs,
)
from piql.compiler.optimizer.analysis.copies import renamed
from piql.compiler.optimizer.analysis.predicates import MIRRORED, conjunction, equated_columns, has_subquery
from piql.compiler.optimizer.analysis.region import is_region, read_region
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.simplify_predicates import meaning_of
from piql.trees.node import kinds_of


def turn_not_exists_extreme(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Replace NOT EXISTS of a larger (or smaller) value by an equality with MAX (or MIN).

        Selection NOT EXISTS (thoughts n where n.owner = t.owner       Selection t.posted = (MAX(n.posted) of thoughts n
            AND n.posted > t.posted)                              →        where n.owner = t.owner)
          Relation thoughts t                                            Relation thoughts t

    Both relations are of one table, the row is itself one of the group, and no column compared may be NULL. Every
    other test in the NOT EXISTS must also be a test of the row. Only where that takes less.
    """
    if Exists not in kinds_of(plan):
        return plan

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        if not isinstance(changed, Selection) or not is_region(changed.input):
            return changed
        region = read_region(changed)
        tests = (*conjuncts(changed.predicate), *(predicate for leg in region.legs for predicate in leg.filters))
        relations = {leg.relation.alias: leg.relation for leg in region.legs if leg.relation and leg.kind == "inner"}
        parts = []
        for part in conjuncts(changed.predicate):
            match part:
                case Not(operand=Exists(query=query)):
                    equality = _extreme(query, relations, tests, part)
                    parts.append(part if equality is None else equality)
                case _:
                    parts.append(part)
        predicate = conjunction(parts)
        return changed if predicate is None or predicate == changed.predicate else replace(changed, predicate=predicate)

    turned = visit(plan)
    if turned == plan or not context.is_cheaper(turned, plan):
        return plan
    context.note("a row with no larger or smaller one has the MAX or MIN of its group")
    return turned


def _extreme(
    query: LogicalNode, relations: dict[str, Relation], tests: Sequence[Expression], whole: Not
) -> Expression | None:
    """Return the equality with a MIN or MAX that stands for NOT EXISTS; None where they differ.

    `relations` are those of the outer query by alias, `tests` the tests that the outer row passes, and `whole` is the
    NOT EXISTS, for its span.
    """
    while isinstance(query, Projection | Sort | Stop):
        if isinstance(query, Stop) and (query.count.max == 0 or query.count.parameter is not None or query.is_page):
            return None
        query = query.input
    if not isinstance(query, Selection) or not isinstance(query.input, Relation) or has_subquery(query.predicate):
        return None
    compared = query.input
    keys: list[tuple[ColumnRef, ColumnRef]] = []
    inequalities: list[tuple[ColumnRef, str, ColumnRef]] = []
    tests_of_compared: list[Expression] = []
    for test in conjuncts(query.predicate):
        match test:
            case Comparison(operator=operator, left=ColumnRef() as left, right=ColumnRef() as right) if (
                left.relation != right.relation and compared.alias in (left.relation, right.relation)
            ):
                if left.relation != compared.alias:
                    left, operator, right = right, MIRRORED[operator], left
                if operator == "=" and equated_columns(test) is not None:
                    keys.append((left, right))
                else:
                    inequalities.append((left, operator, right))
            case _:
                tests_of_compared.append(test)
    if len(inequalities) != 1 or not keys:
        return None
    ((value, direction, row_value),) = inequalities
    row = relations.get(row_value.relation)
    if row is None or row.table != compared.table or direction not in (">", "<"):
        return None
    pairs = [*keys, (value, row_value)]
    if any(
        compared_column.name != row_column.name or row_column.relation != row.alias or compared_column.nullable
        for compared_column, row_column in pairs
    ):
        return None
    row_tests = {meaning_of(expression) for expression in tests}
    as_of_row = (renamed(expression, {compared.alias: row.alias}) for expression in tests_of_compared)
    if any(meaning_of(expression) not in row_tests for expression in as_of_row):
        return None
    extreme = Aggregate(
        function="MAX" if direction == ">" else "MIN", operand=value, distinct=False, type=value.type, span=whole.span
    )
    predicate = conjunction((*tests_of_compared, *(_equal(*pair) for pair in keys)))
    assert predicate is not None
    rows = replace(query, predicate=predicate)
    group = GroupBy(keys=(), aggregates=(extreme,), input=rows, span=whole.span)
    selected = Projection(outputs=(Output(name="extreme", expression=extreme),), input=group, span=whole.span)
    subquery = ScalarSubquery(query=selected, type=value.type, span=whole.span)
    return Comparison(operator="=", left=row_value, right=subquery, span=whole.span)


def _equal(left: ColumnRef, right: ColumnRef) -> Expression:
    return Comparison(operator="=", left=left, right=right, span=left.span)
