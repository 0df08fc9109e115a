"""Arithmetic with days and times, EXTRACT and DATE_TRUNC, bound to functions of `schema.calendar`.

    at + INTERVAL '7 days'    → ADD_INTERVAL(at, months 0, days 7, milliseconds 0)
    day + 7                   → the same of days          day - day    → DAYS_BETWEEN
    at - at                   → MILLISECONDS_BETWEEN      EXTRACT(YEAR FROM at)    → EXTRACT('YEAR', at)

What consists of literals alone is computed here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from piql.compiler.binding.types import BARE, type_of
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.schema.calendar import (
    PART_OF_WORD,
    PARTS,
    SHORTER_THAN_A_DAY,
    UNIT_OF_WORD,
    UNITS,
    add_interval,
    beginning,
    part_of,
)
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import WHOLE
from piql.text.source import Span

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder

DATED = (Kind.DATE, Kind.TIMESTAMP)
_BIGINT = BARE[Kind.BIGINT]
INTERVAL_PLACE = "an INTERVAL is added to a day or time, or subtracted from one: column + INTERVAL '7 days'"


@dataclass(frozen=True, slots=True)
class DateFunction:
    """A function of a day or time, whose first argument is a word; all is for the editor and the reference."""

    usage: str
    words: tuple[str, ...]
    gives: str
    meaning: str
    examples: tuple[str, ...]


_EXTRACT = DateFunction(
    "EXTRACT(part FROM time)",
    tuple(PARTS),
    "BIGINT; DOUBLE for EPOCH",
    "a part of the day or time; EPOCH: seconds since 1970",
    (
        "EXTRACT(YEAR FROM '2024-02-29')",
        "EXTRACT(DOW FROM '2024-02-29')",
        "EXTRACT(EPOCH FROM '1970-01-02T00:00:00.5Z')",
    ),
)
DATE_FUNCTIONS: dict[str, DateFunction] = {
    "EXTRACT": _EXTRACT,
    "DATE_PART": DateFunction(
        "DATE_PART('part', time)", _EXTRACT.words, _EXTRACT.gives, "the same", ("DATE_PART('week', '2021-01-03')",)
    ),
    "DATE_TRUNC": DateFunction(
        "DATE_TRUNC('unit', time)",
        tuple(UNITS),
        "DATE or TIMESTAMP, as its argument",
        "when the unit began in which the day or time lies; weeks begin on Monday",
        ("DATE_TRUNC('month', '2024-02-29')", "DATE_TRUNC('hour', '2024-02-29T10:45:00Z')"),
    ),
}


def is_dated(node: ast.Expression) -> bool:
    """Return whether an expression is a sum or difference with an INTERVAL."""
    return (
        isinstance(node, ast.Binary)
        and node.operator in ("+", "-")
        and (isinstance(node.left, ast.Interval) or isinstance(node.right, ast.Interval))
    )


def takes_day(node: ast.Expression) -> bool:
    """Return whether an operand takes its type from the day or time beside it: a parameter, or a text."""
    return isinstance(node, ast.ParameterUse) or (isinstance(node, ast.LiteralValue) and isinstance(node.value, str))


def operand_type(
    operator: str, known: logical.Expression | None, is_left: bool, expected: SqlType | None
) -> SqlType | None:
    """Return the type of a parameter or text beside a day or time in `+` or `-`; None where there is none.

    `is_left` says that the known operand is the left one: `day - [x]` is a number of days where a DATE is expected, and
    there `[x] + 1` is a day.
    """
    if known is None or operator not in ("+", "-"):
        return None
    kind, wants_day = type_of(known).kind, expected is not None and expected.kind is Kind.DATE
    if kind in WHOLE and not is_left and wants_day:
        return BARE[Kind.DATE]
    if kind is Kind.TIMESTAMP:
        return BARE[Kind.TIMESTAMP] if operator == "-" else None
    if kind is not Kind.DATE:
        return None
    is_count = operator == "+" or (is_left and wants_day)
    return BARE[Kind.INT] if is_count else BARE[Kind.DATE]


def bind_interval_sum(
    binder: ExpressionBinder, node: ast.Binary, expected: SqlType | None
) -> logical.Expression | None:
    """Bind `time + INTERVAL …`; None, after a report, where the INTERVAL stands beside anything else."""
    moment_node, interval = node.left, node.right
    if isinstance(moment_node, ast.Interval) and node.operator == "+":
        moment_node, interval = interval, moment_node
    if isinstance(moment_node, ast.Interval) or not isinstance(interval, ast.Interval):
        binder.report("type-mismatch", "an INTERVAL alone is no value", node.span, INTERVAL_PLACE)
        return None
    moment = bind_moment(binder, moment_node, expected)
    if moment is None:
        return None
    if type_of(moment).kind not in (*DATED, Kind.NULL):
        message = f"an INTERVAL cannot be added to {type_of(moment).with_article}"
        binder.report("type-mismatch", message, node.span, INTERVAL_PLACE)
        return None
    sign = -1 if node.operator == "-" else 1
    amounts = _amounts(binder, interval, sign)
    if amounts is None:
        return None
    has_time = any(part.unit in SHORTER_THAN_A_DAY for part in interval.parts)
    is_day = type_of(moment).kind is Kind.DATE and not has_time
    return _added(binder, moment, amounts, BARE[Kind.DATE if is_day else Kind.TIMESTAMP], node.span)


def _amounts(
    binder: ExpressionBinder, interval: ast.Interval, sign: int
) -> tuple[logical.Expression, logical.Expression, logical.Expression] | None:
    """Return the months, days and milliseconds of an interval."""
    totals = [0, 0, 0]
    for part in interval.parts:
        factors = [sign * factor for factor in UNITS[part.unit]]
        if isinstance(part.count, ast.ParameterUse):
            count = binder.value(part.count, BARE[Kind.INT])
            if count is None:
                return None
            months, days, milliseconds = [_times(count, factor) for factor in factors]
            return months, days, milliseconds
        number = Decimal(str(part.count.value))
        totals = [total + int(number * factor) for total, factor in zip(totals, factors, strict=True)]
    months, days, milliseconds = [logical.Constant(value=total, type=_BIGINT, span=interval.span) for total in totals]
    return months, days, milliseconds


def _times(count: logical.Expression, factor: int) -> logical.Expression:
    constant = logical.Constant(value=factor, type=BARE[Kind.INT], span=count.span)
    if factor == 0:
        return constant
    return logical.Arithmetic(operator="*", left=count, right=constant, type=_BIGINT, span=count.span)


def _added(
    binder: ExpressionBinder,
    moment: logical.Expression,
    amounts: tuple[logical.Expression, logical.Expression, logical.Expression],
    type: SqlType,
    span: Span,
) -> logical.Expression | None:
    arguments = (moment, *amounts)
    return _folded(binder, "ADD_INTERVAL", add_interval, arguments, type, span)


def _folded(
    binder: ExpressionBinder,
    name: str,
    compute: Callable[..., object],
    arguments: tuple[logical.Expression, ...],
    type: SqlType,
    span: Span,
) -> logical.Expression | None:
    """Return a call, or its value where all arguments are literals; None, after a report, where that is too large."""
    values = [argument.value for argument in arguments if isinstance(argument, logical.Constant)]
    if len(values) < len(arguments):
        return logical.FunctionCall(name=name, arguments=arguments, type=type, span=span)
    if None in values:
        return logical.Constant(value=None, type=type, span=span)
    try:
        return logical.Constant(value=compute(*values), type=type, span=span)
    except (OverflowError, ValueError):
        binder.report("bad-number", f"{span.text} is outside the years 1 to 9999", span)
        return None


def bind_difference(
    binder: ExpressionBinder, node: ast.Binary, left: logical.Expression, right: logical.Expression
) -> logical.Expression | None:
    """Bind `+` or `-` of operands of which one is a day or time; None, after a report, where it has no meaning."""
    kinds = type_of(left).kind, type_of(right).kind
    match node.operator, kinds:
        case "-", (Kind.DATE, Kind.DATE):
            return logical.FunctionCall(name="DAYS_BETWEEN", arguments=(left, right), type=_BIGINT, span=node.span)
        case "-", (Kind.TIMESTAMP, Kind.TIMESTAMP):
            name = "MILLISECONDS_BETWEEN"
            return logical.FunctionCall(name=name, arguments=(left, right), type=_BIGINT, span=node.span)
    day, days = (left, right) if type_of(left).kind is Kind.DATE else (right, left)
    is_count = type_of(days).kind in (*WHOLE, Kind.NULL)
    if type_of(day).kind is not Kind.DATE or not is_count or (node.operator == "-" and day is right):
        message = f"`{node.operator}` has no meaning for {type_of(left)} and {type_of(right)}"
        binder.report("type-mismatch", message, node.span, INTERVAL_PLACE)
        return None
    if node.operator == "-":
        days = logical.FunctionCall(name="NEGATE", arguments=(days,), type=_BIGINT, span=days.span)
        if isinstance(right, logical.Constant) and isinstance(right.value, int):
            days = logical.Constant(value=-right.value, type=_BIGINT, span=right.span)
    none = logical.Constant(value=0, type=_BIGINT)
    return _added(binder, day, (none, days, none), BARE[Kind.DATE], node.span)


def bind_moment(binder: ExpressionBinder, node: ast.Expression, expected: SqlType | None) -> logical.Expression | None:
    """Bind a day or time. A parameter or text takes the type expected, where that is one of a day or time.

    Else a parameter is a TIMESTAMP, and a text a DATE unless it has a time.
    """
    known = expected if expected is not None and expected.kind in DATED else None
    if isinstance(node, ast.LiteralValue) and isinstance(node.value, str):
        kind = Kind.DATE if len(node.value) <= len("2024-02-29") else Kind.TIMESTAMP
        return binder.literal(node, known or BARE[kind])
    return binder.value(node, known or BARE[Kind.TIMESTAMP])


def bind_date_function(
    binder: ExpressionBinder, node: ast.Call, function: DateFunction, expected: SqlType | None
) -> logical.Expression | None:
    """Bind EXTRACT, DATE_PART or DATE_TRUNC; None, after a report, for a wrong word or argument."""
    name = node.name.text.upper()
    words = UNIT_OF_WORD if name == "DATE_TRUNC" else PART_OF_WORD
    if len(node.arguments) != 2 or node.is_distinct:
        message = f"{name} has the wrong number of arguments: write {function.usage}"
        binder.report("function-arguments", message, node.span)
        return None
    first, second = node.arguments
    word = first.value if isinstance(first, ast.LiteralValue) else None
    known = words.get(word.upper()) if isinstance(word, str) else None
    if known is None:
        way_out = "it is one of " + ", ".join(function.words)
        binder.report("function-arguments", f"{name} has no {first.span.text}", first.span, way_out)
        return None
    is_truncated = name == "DATE_TRUNC"
    moment = bind_moment(binder, second, expected if is_truncated else None)
    if moment is None:
        return None
    kind = type_of(moment).kind
    if known == "EPOCH" and isinstance(moment, logical.FunctionCall) and moment.name == "MILLISECONDS_BETWEEN":
        thousand = logical.Constant(value=1000, type=BARE[Kind.INT])
        return logical.Arithmetic(operator="/", left=moment, right=thousand, type=BARE[Kind.DOUBLE], span=node.span)
    if kind not in (*DATED, Kind.NULL):
        message = f"{name} takes a day or time, not {type_of(moment).with_article}"
        binder.report("function-arguments", message, second.span, f"call it as {function.usage}")
        return None
    unit = logical.Constant(value=known, type=BARE[Kind.TEXT], span=first.span)
    if is_truncated:
        is_day = kind is Kind.DATE and known not in SHORTER_THAN_A_DAY
        result = BARE[Kind.DATE if is_day else Kind.TIMESTAMP]
        return _folded(binder, "DATE_TRUNC", beginning, (unit, moment), result, node.span)
    result = BARE[Kind.DOUBLE if known == "EPOCH" else Kind.BIGINT]
    return _folded(binder, "EXTRACT", part_of, (unit, moment), result, node.span)
