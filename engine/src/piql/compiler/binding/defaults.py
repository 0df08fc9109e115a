"""DEFAULT of a column: a literal, or a time or id that each execution gives. Also what an INSERT takes from it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from piql.compiler.binding.supplied import KINDS_SUPPLIED, SUPPLIED, supplied_value
from piql.compiler.binding.types import bare
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import DEFAULT_WORD
from piql.schema.catalog import Column, Default, Kind, SqlType, Supply
from piql.schema.types import COLUMN_TYPES, WHOLE, convert
from piql.schema.values import ValueMismatch
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.report import report
from piql.text.source import Span

_FORMS = "a DEFAULT is a literal, NULL, " + ", ".join(function.usage for function in SUPPLIED.values())


def bind_default(node: ast.Expression, column: str, type: SqlType, may_be_null: bool) -> Default | Diagnostic:
    """Return the default of a column of this type, or why it is none."""
    if type.kind is Kind.NULL:
        return Default()  # the type of the column is reported already
    match node:
        case ast.LiteralValue(value=None) if not may_be_null:
            return report("null-value", f"{column} cannot be NULL", node.span, help="leave out DEFAULT NULL")
        case ast.LiteralValue(value=value):
            return _literal(node, value, type)
        case ast.Call(arguments=()) if node.name.text.upper() in SUPPLIED and not node.is_star:
            return _supplied(node, column, type)
    return report("type-mismatch", f"{node.span.text} is computed", node.span, help=_FORMS)


def _literal(node: ast.LiteralValue, value: object, type: SqlType) -> Default | Diagnostic:
    if type.kind in WHOLE and isinstance(value, float | Decimal) and value == int(value):
        value = int(value)
    try:
        return Default(convert(value, type))
    except ValueMismatch as mismatch:
        return report("type-mismatch", str(mismatch), node.span, help=COLUMN_TYPES[type.kind].written)


def _supplied(node: ast.Call, column: str, type: SqlType) -> Default | Diagnostic:
    supply: Supply = SUPPLIED[node.name.text.upper()].gives
    if node.name.text.upper() == "NOW" and type.kind is Kind.TIMEUUID:
        supply = "TIMEUUID"
    if KINDS_SUPPLIED[supply] is type.kind:
        return Default(supplied=supply)
    fitting = [function.usage for function in SUPPLIED.values() if KINDS_SUPPLIED[function.gives] is type.kind]
    message = f"{column} is {type.with_article}, {node.span.text} gives {SqlType(KINDS_SUPPLIED[supply]).with_article}"
    return report("type-mismatch", message, node.span, help=f"write {fitting[0]}" if fitting else _FORMS)


def is_default(node: ast.Expression) -> bool:
    """Return whether a value of INSERT is the word DEFAULT."""
    return isinstance(node, ast.Call) and node.name.text == DEFAULT_WORD and not node.arguments


def default_value(column: Column, new_id: Callable[[], int], span: Span) -> logical.Expression:
    """Return what a column gets from its DEFAULT, NULL where it has none; each new id takes a number of `new_id`."""
    default = column.default or Default()
    if default.supplied is None:
        return logical.Constant(value=default.value, type=bare(column.type), span=span)
    is_time = default.supplied in ("CURRENT_TIMESTAMP", "CURRENT_DATE")
    return supplied_value(default.supplied, 0 if is_time else new_id(), span)
