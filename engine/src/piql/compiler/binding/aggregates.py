"""The aggregates of an expression, and its columns outside of aggregates and group keys."""

from __future__ import annotations

from collections.abc import Iterator

from piql.compiler.logical import expressions as bound
from piql.trees.node import Node


def aggregates_in(expression: Node) -> Iterator[bound.Aggregate]:
    """Yield the aggregates of an expression, without those of its subqueries."""
    if isinstance(expression, bound.Aggregate):
        yield expression
    elif isinstance(expression, bound.InSubquery):
        for value in expression.values:
            yield from aggregates_in(value)
    elif not isinstance(expression, bound.Exists | bound.ScalarSubquery | bound.ColumnRef | bound.Constant):
        for child in expression.children():
            yield from aggregates_in(child)


def ungrouped(expression: Node, keys: list[bound.Expression], aliases: set[str]) -> bound.ColumnRef | None:
    """Return a column of the relations `aliases` that is in no group key and no aggregate; None if there is none."""
    if isinstance(expression, bound.Aggregate) or expression in keys:
        return None
    if isinstance(expression, bound.ColumnRef):
        return expression if expression.relation in aliases else None
    for child in expression.children():
        column = ungrouped(child, keys, aliases)
        if column is not None:
            return column
    return None
