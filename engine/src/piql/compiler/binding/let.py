"""LET of a unit: a value that is read or computed before the statements behind it, which use it as `[name]`.

    LET price = (SELECT price FROM item WHERE id = [item])
    → Projection((SELECT price FROM item …) AS price) over one row that reads nothing

The query has one row, whatever is found: a value that is not there is NULL. Its name stands where a parameter stands,
but has the type of the value, and the caller does not give it.
"""

from __future__ import annotations

from collections.abc import Iterable

from piql.compiler.binding.expressions import ExpressionBinder, QueryContext
from piql.compiler.binding.one_row import row_without_table
from piql.compiler.binding.parameters import LetValue
from piql.compiler.binding.scope import Scope, TableNames
from piql.compiler.binding.types import bare, type_of
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, Table
from piql.text.diagnostics.diagnostic import Label
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
    """Return the query of a value, and declare its name for the statements behind it.

    `table` is any table of the unit. None, after a report, where the value has errors or its name is taken.
    """
    name = node.name.text
    if _is_taken(context, name, node.name.span):
        return None
    value = ExpressionBinder(context, Scope([]), "LET").value(node.value)
    if value is None or table is None:
        context.parameters.lets[name] = LetValue(None, node.name.span)
        return None
    value_type = bare(type_of(value))
    if value_type.kind is Kind.NULL:
        context.diagnostics.append(
            report(
                "unit-form",
                f"nothing here determines the type of [{name}]",
                node.value.span,
                help="let a value have a type: CAST([value] AS INT), or a column that is read",
            )
        )
        context.parameters.lets[name] = LetValue(None, node.name.span)
        return None
    context.parameters.lets[name] = LetValue(value_type, node.name.span)
    row = row_without_table(context, table, node.span)
    return logical.Projection(outputs=(logical.Output(name=name, expression=value),), input=row, span=node.span)


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
