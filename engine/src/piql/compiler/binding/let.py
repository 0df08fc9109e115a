"""LET of a unit: a value that is read or computed before the statements behind it, which use it as `[name]`.

    LET price = (SELECT price FROM item WHERE id = [item])
    → Projection((SELECT price FROM item …) AS price) over one row that reads nothing

The query has one row, whatever is found: a value that is not there is NULL. `LET (price, title) = (SELECT …)` is the
query itself, which finds one row at most; all its values are NULL without it. A name stands where a parameter stands,
but has the type of the value, and the caller does not give it.
"""

from __future__ import annotations

from collections.abc import Iterable

from piql.compiler.binding.expressions import ExpressionBinder, QueryContext
from piql.compiler.binding.one_row import row_without_table
from piql.compiler.binding.outputs import output_columns
from piql.compiler.binding.parameters import LetValue
from piql.compiler.binding.scope import Scope, TableNames
from piql.compiler.binding.types import bare, type_of
from piql.compiler.logical import operators as logical
from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, SqlType, Table
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span


def written_table(statements: Iterable[ast.UnitStatement], names: TableNames) -> Table | None:
    """Return the first table that a unit writes and that is declared; None where it writes none."""
    for statement in statements:
        table = None if isinstance(statement, ast.Let) else names.find(statement.table)
        if table is not None:
            return table
    return None


def bind_let(context: QueryContext, node: ast.Let, table: Table | None) -> logical.Projection | None:
    """Return the query of a value, or of those of a row, and declare their names for the statements behind it.

    `table` is any table of the unit. None, after a report, where the value has errors or its name is taken.
    """
    if node.more:
        return _bind_row(context, node)
    name = node.name.text
    if _is_taken(context, name, node.name.span):
        return None
    value = ExpressionBinder(context, Scope([]), "LET").value(node.value)
    if value is None or table is None:
        context.parameters.lets[name] = LetValue(None, node.name.span)
        return None
    value_type = bare(type_of(value))
    if value_type.kind is Kind.NULL:
        context.diagnostics.append(_without_type(name, node.value.span))
        context.parameters.lets[name] = LetValue(None, node.name.span)
        return None
    context.parameters.lets[name] = LetValue(value_type, node.name.span)
    row = row_without_table(context, table, node.span)
    return logical.Projection(outputs=(logical.Output(name=name, expression=value),), input=row, span=node.span)


def _without_type(name: str, span: Span) -> Diagnostic:
    message = f"nothing here determines the type of [{name}]"
    return report(
        "unit-form", message, span, help="let a value have a type: CAST([value] AS INT), or a column that is read"
    )


def _bind_row(context: QueryContext, node: ast.Let) -> logical.Projection | None:
    """Return the query whose columns are the values of a LET with several names."""
    texts = [name.text for name in node.names]
    for number, name in enumerate(node.names):
        if name.text in texts[:number]:
            message = f"[{name.text}] is named twice in this LET"
            context.diagnostics.append(
                report("unit-form", message, name.span, help="give each value a name of its own")
            )
            return None
        if _is_taken(context, name.text, name.span):
            return None
    query: logical.LogicalNode | None = None
    if isinstance(node.value, ast.ScalarQuery):
        query = context.bind_nested(context, node.value.query, Scope([]), False, True)
    else:
        message = "several values of a LET are the columns of a row"
        way_out = "write LET (a, b) = (SELECT a, b FROM …), or a LET for each value"
        context.diagnostics.append(report("unit-form", message, node.value.span, help=way_out))
    columns = output_columns(query) if query is not None else []
    if query is not None and len(columns) != len(texts):
        message = f"this LET names {len(texts)} values, and its query returns {len(columns)} columns"
        way_out = "name each column of the SELECT, in its order"
        context.diagnostics.append(report("unit-form", message, node.value.span, help=way_out))
        query = None
    for name, column in zip(node.names, columns, strict=False):
        if query is not None and column.type.kind is Kind.NULL:
            context.diagnostics.append(_without_type(name.text, node.value.span))
            query = None
    types: list[SqlType | None] = [None] * len(texts)
    if query is not None:
        types = [bare(column.type) for column in columns]
    for name, value_type in zip(node.names, types, strict=True):
        context.parameters.lets[name.text] = LetValue(value_type, name.span)
    if query is None:
        return None
    row = logical.Derived(alias=context.unique_alias("found"), input=query, span=node.span)
    outputs = tuple(
        logical.Output(
            name=name.text,
            expression=ColumnRef(relation=row.alias, name=column.name, type=column.type, nullable=True, span=name.span),
        )
        for name, column in zip(node.names, columns, strict=True)
    )
    return logical.Projection(outputs=outputs, input=row, span=node.span)


def _is_taken(context: QueryContext, name: str, span: Span) -> bool:
    """Return whether an earlier statement uses or declares a name, after a report."""
    earlier, use = context.parameters.lets.get(name), context.parameters.uses.get(name)
    if earlier is None and use is None:
        return False
    message, way_out = f"[{name}] is the value of a LET already", "give the value another name"
    first = earlier.span if earlier is not None else span
    if earlier is None and use is not None:
        message, first = f"[{name}] is a parameter of this unit already", use.first
        way_out = "move the LET before the statements that use its value, or give the value another name"
    labels = (Label(first, "here"),)
    context.diagnostics.append(report("unit-form", message, span, labels=labels, help=way_out))
    return True


def several_rows(node: ast.AstNode, rows: int) -> Diagnostic:
    """Return the report of a LET whose query may find several rows, with the fix that takes the first."""
    query = node.value.query if isinstance(node, ast.Let) and isinstance(node.value, ast.ScalarQuery) else None
    span = query.span if query is not None else node.span
    fixes: tuple[Fix, ...] = ()
    if query is not None and query.stop is None:
        fixes = (Fix("Take the first row", (Edit(span.file, span.end, span.end, " LIMIT 1"),)),)
    return report(
        "unit-form",
        f"this query may find {rows:,} rows, and each name of a LET is one value",
        span,
        help="fix the columns of a key, or write LIMIT 1, with ORDER BY where it matters which row comes first",
        fixes=fixes,
    )
