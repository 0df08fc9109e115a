"""Calls of functions: `LOWER(name)`; those of aggregates are bound by `aggregate_calls`.

A call of an unknown function is reported with the nearest known one, or with what to write instead of a function of
another database. Window functions are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.binding.aggregate_calls import bind_aggregate
from piql.compiler.binding.alike import awaits_type, bind_alike, report_different
from piql.compiler.binding.cast import as_text
from piql.compiler.binding.dates import DATE_FUNCTIONS, bind_date_function
from piql.compiler.binding.functions import AGGREGATES, FUNCTIONS, USAGES, Function
from piql.compiler.binding.scope import spelling_fix, suggestion
from piql.compiler.binding.supplied import SUPPLIED, bind_supplied
from piql.compiler.binding.types import type_of
from piql.compiler.binding.windows import HELP, refusal
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast, unsupported
from piql.compiler.syntax.cursor import DEFAULT_WORD
from piql.schema.catalog import SqlType

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder


def bind_call(binder: ExpressionBinder, node: ast.Call, expected: SqlType | None) -> logical.Expression | None:
    """Bind a call of a function or aggregate; None, after a report, for one that is unknown or misused."""
    name = node.name.text.upper()
    if node.over is not None:
        binder.report("window-function", refusal(name), node.span, HELP)
        return None
    if name in AGGREGATES:
        return bind_aggregate(binder, node, name)
    if name == DEFAULT_WORD:
        way_out = "DEFAULT stands alone, as one of the VALUES of INSERT"
        binder.report("function-arguments", "DEFAULT is no part of an expression", node.span, way_out)
        return None
    if node.filter is not None:
        binder.report("aggregate-misuse", f"FILTER belongs to an aggregate, and {name} is none", node.filter.span)
        return None
    if node.order is not None:
        binder.report("aggregate-misuse", f"ORDER BY belongs to an aggregate, and {name} is none", node.order.span)
        return None
    supplied = SUPPLIED.get(name)
    if supplied is not None:
        return bind_supplied(binder, node, supplied, expected)
    date_function = DATE_FUNCTIONS.get(name)
    if date_function is not None:
        return bind_date_function(binder, node, date_function, expected)
    function = FUNCTIONS.get(name)
    if function is None:
        _report_unknown(binder, node.name)
        return None
    return _scalar(binder, node, function, expected)


def _report_unknown(binder: ExpressionBinder, name: ast.Name) -> None:
    """Report a function that there is not, with the nearest name, or what to write instead."""
    known = [*USAGES, *AGGREGATES]
    alternative = unsupported.FUNCTIONS.get(name.text.upper())
    near = None if alternative is not None else suggestion(name.text.upper(), known)
    way_out = f"did you mean {near}?" if near else alternative or "the functions are " + ", ".join(sorted(known))
    fixes = (spelling_fix(name.span, near),) if near else ()
    binder.report("unknown-function", f"there is no function {name.text}", name.span, way_out, *fixes)


def _scalar(
    binder: ExpressionBinder, node: ast.Call, function: Function, expected: SqlType | None
) -> logical.Expression | None:
    """Bind a call of a scalar function; None, after a report, where its arguments do not fit."""
    name = node.name.text.upper()
    if node.is_star or node.is_distinct or not function.low <= len(node.arguments) <= function.high:
        binder.report(
            "function-arguments", f"{name} has the wrong number of arguments: write {function.usage}", node.span
        )
        return None
    if function.operator is not None:
        left, right = node.arguments
        return binder.value(ast.Binary(operator=function.operator, left=left, right=right, span=node.span), expected)
    if function.takes == "a":
        arguments = bind_alike(binder, node.arguments, expected)
    else:
        arguments = _arguments(binder, node, function)
    if arguments is None:
        return None
    result = function.result(arguments)
    if result is None:
        report_different(binder, f"the arguments of {name} have no type in common", arguments, node.span)
        return None
    return logical.FunctionCall(name=function.name, arguments=tuple(arguments), type=result, span=node.span)


def _arguments(binder: ExpressionBinder, node: ast.Call, function: Function) -> list[logical.Expression] | None:
    """Bind the arguments of a function that has a type for each; None after a report."""
    bound: list[logical.Expression] = []
    for position, argument in enumerate(node.arguments):
        value = binder.value(argument, function.argument_type(position) if awaits_type(argument) else None)
        if value is None:
            return None
        if not function.accepts(position, type_of(value)):
            binder.report(
                "function-arguments",
                f"{function.name} does not take {type_of(value).with_article} here",
                argument.span,
                f"call it as {function.usage}",
            )
            return None
        bound.append(as_text(value, argument.span) if function.takes == "x" else value)
    return bound
