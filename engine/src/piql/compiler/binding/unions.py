"""UNION and UNION ALL → a logical plan over the plans of their queries, with ORDER BY over the columns of the result.

    Stop(Sort(Union(Projection…, Projection…)))

`queries` binds each query of the union and calls `bind_union`.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.compiler.binding.expressions import ExpressionBinder, QueryContext
from piql.compiler.binding.order import sort_keys
from piql.compiler.binding.outputs import output_columns, with_output_names
from piql.compiler.binding.scope import Scope, ScopeColumn, ScopeRelation
from piql.compiler.binding.stops import with_stop
from piql.compiler.binding.types import wider
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

SAME_COLUMNS = "all queries of a UNION give the same number of columns, with the same types"


def bind_union(
    context: QueryContext, node: ast.UnionQuery, inputs: Sequence[logical.LogicalNode | None]
) -> logical.LogicalNode | None:
    """Return the plan of a UNION over the plans of its queries; None if one is None, or if they do not fit together.

    All must give as many columns, of types with a type in common. Their outputs take the names of the first query.
    """
    plans = [source for source in inputs if source is not None]
    if len(plans) < len(inputs):
        return None
    columns = output_columns(plans[0])
    names = [column.name for column in columns]
    for plan, query in zip(plans[1:], node.inputs[1:], strict=True):
        difference = column_difference(columns, output_columns(plan), "the first query of the UNION")
        if difference is not None:
            first = Label(_items_span(node.inputs[0]), "the first query")
            context.diagnostics.append(report(*difference, _items_span(query), labels=(first,), help=SAME_COLUMNS))
            return None
    plan = logical.Union(
        inputs=tuple(with_output_names(branch, names) for branch in plans), all=node.is_all, span=node.span
    )
    return _ordered_union(context, node, plan)


def column_difference(
    first: Sequence[bound.ColumnRef | ScopeColumn], others: Sequence[ScopeColumn], whose: str
) -> tuple[str, str] | None:
    """Return how the columns of a query differ from the `first` ones, as a code and a message; None if they fit."""
    if len(others) != len(first):
        return "union-columns", f"this query gives {len(others)} columns, {whose} gives {len(first)}"
    for column, branch_column in zip(first, others, strict=True):
        if wider(column.type, branch_column.type) is None:
            return "type-mismatch", f"{column.name} is {column.type} in {whose} and {branch_column.type} here"
    return None


def _ordered_union(
    context: QueryContext, node: ast.UnionQuery, plan: logical.LogicalNode
) -> logical.LogicalNode | None:
    """Return a union with its ORDER BY, over the output columns of its first query, and its LIMIT or PAGINATE."""
    columns = output_columns(plan)
    if node.order is not None:
        relation = ScopeRelation("", "", {column.name.lower(): column for column in columns}, node.span)
        binder = ExpressionBinder(context, Scope([relation]), "ORDER BY")
        keys: list[logical.SortKey] = []
        for item in node.order.items:
            position = position_of_output(context, item.expression, len(columns))
            key: bound.Expression | None
            if position is not None:
                key = relation.reference(columns[position], item.expression.span)
            else:
                key = binder.value(item.expression)
            if key is None:
                return None
            keys.extend(sort_keys(item, key))
        plan = logical.Sort(keys=tuple(keys), input=plan, span=node.order.span)
    return with_stop(context, node, plan)


def _items_span(query: ast.QueryExpression) -> Span:
    return query.items_span if isinstance(query, ast.Select) else query.span


def position_of_output(context: QueryContext, node: ast.Expression, count: int) -> int | None:
    """Return the position of the output that `ORDER BY 2` means, counted from 0; None if it is no such number."""
    value = node.value if isinstance(node, ast.LiteralValue) else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    if 1 <= value <= count:
        return value - 1
    context.diagnostics.append(
        report(
            "unknown-column",
            f"the result has no column {value}: it has {count}",
            node.span,
            help="write the name of a column, or its place counted from 1",
        )
    )
    return None
