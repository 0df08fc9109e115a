"""Rewrites the subqueries in the ON of a LEFT JOIN so that they read columns of its left side alone.

Then each has one value for a row of the left, which can be joined before the LEFT JOIN that tests it.
"""

from __future__ import annotations

from piql.compiler.binding.types import type_of
from piql.compiler.logical.expressions import (
    ColumnRef,
    Exists,
    Expression,
    InSubquery,
    IsNull,
    Not,
    ScalarSubquery,
    conjuncts,
)
from piql.compiler.logical.operators import Count, Distinct, Join, LogicalNode, Output, Projection, Selection, Stop
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import ColumnKey, conjunction, has_subquery, key_of, replace_columns
from piql.compiler.optimizer.analysis.region import aliases_below, read_region
from piql.compiler.optimizer.analysis.subqueries import decorrelated, pairwise_equalities
from piql.text.source import Span
from piql.trees.node import Node


def with_left_columns(join: Join) -> tuple[Expression, ...]:
    """Return the conjuncts of an ON, with subqueries that read columns of the left side where equal ones exist.

    EXISTS and IN become tests of a value: whether a key of the first matching row is not NULL.

    t.owner = s.target AND EXISTS (… b.owner = t.owner)
    →
    t.owner = s.target AND (→ b.owner … WHERE b.owner = s.target LIMIT 1) IS NOT NULL
    """
    parts = conjuncts(join.condition) if join.condition is not None else ()
    left_columns = _columns_of_the_left(join, parts)

    def change(node: Node) -> Node:
        if isinstance(node, ScalarSubquery | Exists | InSubquery):
            return replace_columns(node, left_columns)
        return node

    moved: list[Expression] = [part.transform_up(change) if has_subquery(part) else part for part in parts]  # type: ignore[misc]
    return tuple(map(_as_value, moved))


def _columns_of_the_left(join: Join, parts: tuple[Expression, ...]) -> dict[ColumnKey, Expression]:
    """Map each column of the right side to a column of the left side that an ON makes equal to it."""
    left, right = aliases_below(join.left), aliases_below(join.right)
    columns: dict[ColumnKey, Expression] = {}
    for members in Equalities(parts).classes():
        column = next((member for member in members if member.relation in left), None)
        if column is not None:
            columns.update((key_of(member), column) for member in members if member.relation in right)
    return columns


def _as_value(test: Expression) -> Expression:
    """Replace EXISTS and IN by IS NOT NULL of a key of the first row found, and NOT EXISTS by IS NULL of it.

    NOT IN stays as it is: it is unknown, not true, where a compared value is NULL.
    """
    match test:
        case Exists(query=query) | Not(operand=Exists(query=query)):
            value = _first_key(query, (), test.span)
        case InSubquery(query=query, values=values) if not any(map(has_subquery, values)):
            value = _first_key(query, values, test.span)
        case _:
            return test
    if value is None:
        return test
    is_null = IsNull(operand=value, span=test.span)
    return is_null if isinstance(test, Not) else Not(operand=is_null, span=test.span)


def _first_key(query: LogicalNode, values: tuple[Expression, ...], span: Span | None) -> ScalarSubquery | None:
    """Return a subquery for a key column of the first row found; None where it reads more than one relation.

    With `values` only rows whose select list equals them are looked for.
    """
    inner = query.input if isinstance(query, Distinct) else query
    outputs = inner.outputs if isinstance(inner, Projection) else ()
    pulled = decorrelated(query, only_existence=not values)
    if pulled is None or (values and not outputs):
        return None
    right, conditions = pulled
    legs = read_region(right).legs
    relation = legs[0].relation
    if len(legs) > 1 or relation is None:
        return None
    selected: tuple[Expression, ...] = tuple(output.expression for output in outputs) if values else ()
    tests = conjunction((*pairwise_equalities(values, selected, span), *conditions))
    below = right if tests is None else Selection(predicate=tests, input=right, span=span)
    key: ColumnRef = relation.columns(relation.table.primary_key)[0]
    first = Projection(outputs=(Output(name=key.name, expression=key),), input=below, span=span)
    return ScalarSubquery(
        query=Stop(count=Count(max=1), is_page=False, input=first, span=span), type=type_of(key), span=span
    )
