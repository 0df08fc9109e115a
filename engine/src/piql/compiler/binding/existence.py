"""`SELECT EXISTS (SELECT …)` without FROM: one row that says whether the subquery has any.

SELECT EXISTS (SELECT s.target FROM …) AS follows

Projection COUNT(*) > 0 AS follows
└─ GroupBy COUNT(*)
   └─ Derived
      └─ Stop 1
         └─ Projection 1 AS one
            └─ …
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from piql.compiler.binding.types import BARE
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import QueryContext

_NAME = "exists"  # of the column without an alias, as in PostgreSQL


def only_existence(node: ast.Select) -> ast.ExistsQuery | None:
    """Return the EXISTS of a SELECT that asks for nothing but this, or for its opposite; None for any other."""
    clauses = (node.from_clause, node.where, node.group, node.having, node.order, node.stop, node.offset)
    if len(node.items) != 1 or any(clause is not None for clause in clauses):
        return None
    match node.items[0]:
        case ast.SelectItem(expression=ast.ExistsQuery() as exists):
            return exists
        case ast.SelectItem(expression=ast.Unary(operator="NOT", operand=ast.ExistsQuery() as exists)):
            return exists
        case _:
            return None


def bind_existence(context: QueryContext, node: ast.Select, exists: ast.ExistsQuery) -> logical.LogicalNode | None:
    """Return the plan of `SELECT EXISTS (…)` or `SELECT NOT EXISTS (…)`; None after a report."""
    query = context.bind_nested(context, exists.query, None, True, True)
    if query is None:
        return None
    (item,) = node.items
    assert isinstance(item, ast.SelectItem)
    bigint = BARE[Kind.BIGINT]
    count = bound.Aggregate(function="COUNT", operand=None, distinct=False, type=bigint, span=exists.span)
    operator: Literal["=", ">"] = ">" if item.expression is exists else "="
    answer = bound.Comparison(
        operator=operator, left=count, right=bound.Constant(value=0, type=bigint), span=item.expression.span
    )
    rows = logical.Derived(alias=context.unique_alias(_NAME), input=_first_row(query), span=exists.span)
    group = logical.GroupBy(keys=(), aggregates=(count,), input=rows, span=exists.span)
    output = logical.Output(name=item.alias.text if item.alias is not None else _NAME, expression=answer)
    return logical.Projection(outputs=(output,), input=group, span=node.items_span)


def _first_row(query: logical.LogicalNode) -> logical.LogicalNode:
    """Return a query for its first row, whatever this holds; one that has a LIMIT keeps it."""
    if isinstance(query, logical.Stop):
        return query
    if isinstance(query, logical.Projection):
        one = bound.Constant(value=1, type=BARE[Kind.INT], span=query.span)
        query = replace(query, outputs=(logical.Output(name="one", expression=one),))
    return logical.Stop(count=logical.Count(max=1), is_page=False, input=query, span=query.span)
