"""Calls of scalar functions and aggregates: `LOWER(name)`, `COUNT(DISTINCT owner)`.

A call of an unknown function is reported with the nearest known one, or with what to write instead of a function of
another database. Window functions are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.binding.functions import AGGREGATES, FUNCTIONS, Function
from piql.compiler.binding.scope import spelling_fix, suggestion
from piql.compiler.binding.types import BARE, is_number, summed_type, type_of
from piql.compiler.binding.windows import HELP, refusal
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast, unsupported
from piql.schema.catalog import Kind, SqlType

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder


def bind_call(binder: ExpressionBinder, node: ast.Call, expected: SqlType | None) -> logical.Expression | None:
    """Bind a call of a function or aggregate; None, after a report, for one that is unknown or misused."""
    name = node.name.text.upper()
    if node.over is not None:
        binder.report("window-function", refusal(name), node.span, HELP)
        return None
    if name in AGGREGATES:
        return _aggregate(binder, node, name)
    function = FUNCTIONS.get(name)
    if function is None:
        alternative = unsupported.FUNCTIONS.get(name)
        near = None if alternative is not None else suggestion(name, [*FUNCTIONS, *AGGREGATES])
        if near is not None:
            way_out = f"did you mean {near}?"
        else:
            way_out = alternative or "the functions are " + ", ".join(sorted([*FUNCTIONS, *AGGREGATES]))
        fixes = (spelling_fix(node.name.span, near),) if near else ()
        binder.report("unknown-function", f"there is no function {node.name.text}", node.name.span, way_out, *fixes)
        return None
    if node.is_star or node.is_distinct or not function.low <= len(node.arguments) <= function.high:
        binder.report(
            "function-arguments", f"{name} has the wrong number of arguments: write {function.usage}", node.span
        )
        return None
    arguments = _arguments(binder, node, function, expected)
    if arguments is None:
        return None
    result = function.result(arguments)
    if result is None:
        binder.report("type-mismatch", f"the arguments of {name} have no type in common", node.span)
        return None
    return logical.FunctionCall(name=function.name, arguments=tuple(arguments), type=result, span=node.span)


def _arguments(
    binder: ExpressionBinder, node: ast.Call, function: Function, expected: SqlType | None
) -> list[logical.Expression] | None:
    """Bind the arguments; a parameter of any type takes the type of the other arguments, wherever it stands."""
    bound: dict[int, logical.Expression] = {}
    for position in sorted(range(len(node.arguments)), key=lambda at: awaits_type(node.arguments[at])):
        argument = node.arguments[position]
        argument_type = function.argument_type(position)
        if argument_type is None:
            siblings = [sibling for sibling in bound.values() if type_of(sibling).kind is not Kind.NULL]
            argument_type = function.result(siblings) if siblings else expected
        value = binder.value(argument, argument_type if awaits_type(argument) else None)
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
        bound[position] = value
    return [bound[position] for position in range(len(node.arguments))]


def awaits_type(node: ast.Expression) -> bool:
    """Return whether an expression takes its type from its context: a parameter, or COALESCE of parameters only."""
    match node:
        case ast.ParameterUse():
            return True
        case ast.Call(arguments=arguments) if node.name.text.upper() == "COALESCE":
            return any(map(awaits_type, arguments)) and all(
                awaits_type(argument) or (isinstance(argument, ast.LiteralValue) and argument.value is None)
                for argument in arguments
            )
    return False


def _aggregate(binder: ExpressionBinder, node: ast.Call, name: str) -> logical.Expression | None:
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
        return logical.Aggregate(function="COUNT", operand=None, distinct=False, type=BARE[Kind.BIGINT], span=node.span)
    if len(node.arguments) != 1:
        binder.report("function-arguments", f"{name} takes one argument", node.span)
        return None
    binder.inside_aggregate = True
    operand = binder.value(node.arguments[0])
    binder.inside_aggregate = False
    if operand is None:
        return None
    operand_type = type_of(operand)
    if name in ("SUM", "AVG") and not is_number(operand_type) and operand_type.kind is not Kind.NULL:
        binder.report(
            "function-arguments",
            f"{name} adds numbers, {node.arguments[0].span.text} is {operand_type.with_article}",
            node.span,
        )
        return None
    if name == "COUNT":
        result = BARE[Kind.BIGINT]
    elif name == "AVG":
        result = BARE[Kind.DOUBLE]
    elif name == "SUM":
        result = summed_type(operand_type)
    else:
        result = operand_type
    return logical.Aggregate(
        function=name,  # type: ignore[arg-type]
        operand=operand,
        distinct=node.is_distinct,
        type=result,
        span=node.span,
    )


def takes_type(node: ast.Expression) -> bool:
    """Return whether an expression can take the type that its context expects: a literal, or what `awaits_type`."""
    return isinstance(node, ast.LiteralValue) or awaits_type(node)
