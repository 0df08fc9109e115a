"""Counts the whole numbers between the two ends of a range.

stock BETWEEN 10 AND 20          11
id >= [next] - 20 AND id < [next]    20, whatever the parameter is
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import ceil, floor, isfinite

from piql.compiler.logical.expressions import Arithmetic, Constant, Expression, FunctionCall, Parameter
from piql.compiler.optimizer.analysis.restrictions import Range
from piql.schema.catalog import SqlType
from piql.schema.types import WHOLE
from piql.text.source import Span
from piql.trees.node import Node

MOST_VALUES = 100_000  # a wider range is no bound that anybody wants: it may hold as many rows

_End = tuple[str | None, int]  # a parameter's name and what is added to it; without a parameter the number itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch(Node):
    """A range of whole numbers of a column, with the number of values in it."""

    column: str
    values: int  # at most, and at least 1
    span: Span | None = field(default=None, compare=False, repr=False)  # of what the query says of its ends


def stretch_of(range_: Range, column_type: SqlType) -> Stretch | None:
    """Return how many values a range has at most; None for more than `MOST_VALUES`, an open range, or other types."""
    if column_type.kind not in WHOLE or range_.low is None or range_.high is None:
        return None
    lows = _ends(range_.low, 0 if range_.is_low_included else 1, is_low=True)
    highs = _ends(range_.high, 0 if range_.is_high_included else -1, is_low=False)
    widths = [highs[parameter] - low + 1 for parameter, low in lows.items() if parameter in highs]
    if not widths or min(widths) > MOST_VALUES:
        return None
    spans = sorted(
        (predicate.span for predicate in range_.predicates if predicate.span is not None), key=lambda span: span.start
    )
    span = replace(spans[0], end=max(part.end for part in spans)) if spans else None
    return Stretch(column=range_.column, values=max(min(widths), 1), span=span)


def _ends(value: Expression, added: int, *, is_low: bool) -> dict[str | None, int]:
    """Return the included ends that an expression stands for, by parameter: of several the narrowest."""
    ends: dict[str | None, int] = {}
    for parameter, number in _bounds_in(value, added, is_low=is_low):
        present = ends.get(parameter)
        ends[parameter] = number if present is None else (max if is_low else min)(present, number)
    return ends


def _bounds_in(value: Expression, added: int, *, is_low: bool) -> Iterator[_End]:
    """Yield the ends that `value + added` stands for: each argument of HIGHER_END is one of a low end."""
    match value:
        case Constant(value=bool()):
            return
        case Constant(value=int() as number):
            yield None, number + added
        case Constant(value=float() | Decimal() as number) if isfinite(number):
            whole = ceil(number) if is_low else floor(number)
            yield None, whole + (added if whole == number else 0)
        case Parameter(name=name, type=SqlType(kind=kind), max_items=None) if kind in WHOLE:
            yield name, added
        case Arithmetic(operator="+" | "-" as operator, left=left, right=Constant(value=int() as number)):
            yield from _bounds_of_operand(left, added + (number if operator == "+" else -number))
        case Arithmetic(operator="+", left=Constant(value=int() as number), right=right):
            yield from _bounds_of_operand(right, added + number)
        case FunctionCall(name="HIGHER_END" | "LOWER_END" as name, arguments=arguments) if (
            name == "HIGHER_END"
        ) is is_low:
            for expression in arguments:
                yield from _bounds_in(expression, added, is_low=is_low)
        case FunctionCall(name="NEXT", arguments=(argument,)):
            yield from _bounds_in(argument, added + 1, is_low=is_low)
        case FunctionCall(name="PREVIOUS", arguments=(argument,)):
            yield from _bounds_in(argument, added - 1, is_low=is_low)
        case _:
            return


def _bounds_of_operand(value: Expression, added: int) -> Iterator[_End]:
    """Yield the ends that the operand of a sum stands for; none unless it is of whole numbers."""
    if isinstance(value, Parameter | Arithmetic):
        yield from _bounds_in(value, added, is_low=True)
