"""Calls of aggregates: `COUNT(DISTINCT owner)`, `SUM(price) FILTER (WHERE paid)`, `STRING_AGG(name, ', ' ORDER BY no)`.

BOOL_OR and BOOL_AND are the largest and the smallest BOOLEAN. Only what lists values has an order; elsewhere it has no
effect, as in other databases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.binding.cast import as_text
from piql.compiler.binding.order import sort_keys
from piql.compiler.binding.types import BARE, is_number, summed_type, type_of
from piql.compiler.logical import expressions as logical
from piql.compiler.logical.operators import SortKey
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, SqlType

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder


_EXTREMES = {"BOOL_OR": "MAX", "BOOL_AND": "MIN", "EVERY": "MIN"}  # of BOOLEANs: FALSE is less than TRUE
_NAMES = {**_EXTREMES, "JSON_AGG": "ARRAY_AGG", "GROUP_CONCAT": "STRING_AGG"}
_LISTS = ("ARRAY_AGG", "STRING_AGG")
_SEPARATOR = ","  # of a GROUP_CONCAT that names none


def bind_aggregate(binder: ExpressionBinder, node: ast.Call, name: str) -> logical.Expression | None:
    """Bind an aggregate; None, after a report, where none may stand or its argument does not fit."""
    if binder.inside_aggregate:
        binder.report("aggregate-misuse", f"{name} cannot be used inside another aggregate", node.span)
        return None
    if not binder.allows_aggregates:
        way_out = "conditions on groups belong in HAVING" if binder.clause == "WHERE" else ()
        binder.report("aggregate-misuse", f"{name} cannot be used in {binder.clause}", node.span, way_out)
        return None
    if node.is_star:
        if name != "COUNT":
            binder.report("function-arguments", f"{name}(*) has no meaning", node.span, f"write {name}(column)")
            return None
        if node.filter is not None:
            return _counted(binder, node, node.filter)
        return logical.Aggregate(function="COUNT", operand=None, distinct=False, type=BARE[Kind.BIGINT], span=node.span)
    separator = _separator(binder, node, name)
    if separator is None:
        return None
    binder.inside_aggregate = True
    operand = binder.value(node.arguments[0])
    binder.inside_aggregate = False
    if operand is None or not _fits(binder, node, name, type_of(operand)):
        return None
    function = _NAMES.get(name, name)
    order = _order(binder, node, operand) if function in _LISTS else []
    if order is None:
        return None
    if function == "STRING_AGG":
        operand = as_text(operand, node.arguments[0].span)
    if node.filter is not None:
        operand = _filtered(binder, operand, node.filter)
        if operand is None:
            return None
    return logical.Aggregate(
        function=function,  # type: ignore[arg-type]
        operand=operand,
        distinct=node.is_distinct,
        type=_result(function, type_of(operand)),
        separator=separator,
        order=tuple(key.expression for key in order),
        ascending=tuple(key.ascending for key in order),
        span=node.span,
    )


def _separator(binder: ExpressionBinder, node: ast.Call, name: str) -> str | None:
    """Return the text between the values of STRING_AGG, empty for another aggregate; None after a report."""
    takes_two = _NAMES.get(name, name) == "STRING_AGG"
    if not takes_two or (name == "GROUP_CONCAT" and len(node.arguments) == 1):
        if len(node.arguments) == 1:
            return _SEPARATOR if takes_two else ""
        binder.report("function-arguments", f"{name} takes one argument", node.span)
        return None
    match node.arguments:
        case (_, ast.LiteralValue(value=str() as separator)):
            return separator
        case (_, second):
            binder.report("function-arguments", f"the separator of {name} must be a text in quotes", second.span)
        case _:
            way_out = f"write {name}(column, ', ')"
            binder.report("function-arguments", f"{name} takes a value and a separator", node.span, way_out)
    return None


def _fits(binder: ExpressionBinder, node: ast.Call, name: str, type: SqlType) -> bool:
    """Return whether an aggregate takes values of a type, and report it if not."""
    text = node.arguments[0].span.text
    if name in ("SUM", "AVG") and not is_number(type) and type.kind is not Kind.NULL:
        problem = f"{name} adds numbers, {text} is {type.with_article}"
    elif name in _EXTREMES and type.kind not in (Kind.BOOLEAN, Kind.NULL):
        problem = f"{name} takes a BOOLEAN, and {text} is {type.with_article}"
    elif _NAMES.get(name, name) in _LISTS and type.kind is Kind.BLOB:
        result_kind = "a text" if _NAMES.get(name, name) == "STRING_AGG" else "a JSON text"
        problem = f"{name} makes {result_kind}, and {text} is a BLOB"
    else:
        return True
    binder.report("function-arguments", problem, node.span)
    return False


def _order(binder: ExpressionBinder, node: ast.Call, operand: logical.Expression) -> list[SortKey] | None:
    """Bind the ORDER BY of an aggregate; None, after a report, also where DISTINCT leaves no such order."""
    keys: list[SortKey] = []
    for item in node.order.items if node.order is not None else ():
        binder.inside_aggregate = True
        expression = binder.value(item.expression)
        binder.inside_aggregate = False
        if expression is None:
            return None
        if node.is_distinct and expression != operand:
            binder.report(
                "distinct-order",
                f"with DISTINCT, the values can only be ordered by themselves, not by {item.expression.span.text}",
                item.span,
                f"write ORDER BY {node.arguments[0].span.text}, or leave DISTINCT out",
            )
            return None
        keys.extend(sort_keys(item, expression))
    return keys


def _result(function: str, operand: SqlType) -> SqlType:
    match function:
        case "ARRAY_AGG" | "STRING_AGG":
            return BARE[Kind.TEXT]
        case "COUNT":
            return BARE[Kind.BIGINT]
        case "AVG":
            return BARE[Kind.DOUBLE]
        case "SUM":
            return summed_type(operand)
    return operand


def _counted(binder: ExpressionBinder, node: ast.Call, condition: ast.Expression) -> logical.Aggregate | None:
    """Bind `COUNT(*) FILTER (WHERE condition)`: it counts a value that rows have which pass the condition."""
    one = logical.Constant(value=1, type=BARE[Kind.INT], span=node.span)
    operand = _filtered(binder, one, condition)
    if operand is None:
        return None
    return logical.Aggregate(function="COUNT", operand=operand, distinct=False, type=BARE[Kind.BIGINT], span=node.span)


def _filtered(binder: ExpressionBinder, operand: logical.Expression, condition: ast.Expression) -> logical.Case | None:
    """Return what an aggregate takes of rows that pass the condition of its FILTER, and NULL for the others."""
    binder.inside_aggregate = True
    with binder.in_a_value():
        test = binder.predicate(condition)
    binder.inside_aggregate = False
    if test is None:
        return None
    nothing = logical.Constant(value=None, type=BARE[Kind.NULL])
    return logical.Case(tests=(test,), values=(operand,), otherwise=nothing, type=type_of(operand), span=condition.span)
