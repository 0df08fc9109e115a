"""Combines two lower or two upper ends of a range into one.

Where the values are only known when the query runs, the combined end is a function call that chooses then.
"""

from __future__ import annotations

from typing import NamedTuple

from piql.compiler.binding.types import BARE, bare, type_of
from piql.compiler.logical.expressions import Constant, Expression, FunctionCall
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import TEXTS, WHOLE


class End(NamedTuple):
    """One end of a range: its value, and whether the value itself is in the range."""

    value: Expression
    is_included: bool


def narrower_end(first: End | None, second: End, column: SqlType, *, is_low: bool) -> End | None:
    """Return the narrower of two ends on one side of a range; None where no single expression stands for it.

    a > [x] AND a > [y] → a > GREATEST([x], [y])      a >= [x] AND a > 2 → a >= GREATEST([x], 3), for whole numbers
    """
    if first is None or first == second:
        return second
    if first.value == second.value:
        return End(second.value, is_included=False)
    if not all(_is_like(type_of(end.value), column) for end in (first, second)):
        return None
    if first.is_included != second.is_included:
        if column.kind not in WHOLE:
            return None
        first, second = _included(first, is_low=is_low), _included(second, is_low=is_low)
    is_included, values = first.is_included, (first.value, second.value)
    if isinstance(first.value, Constant) and isinstance(second.value, Constant):
        return End(values[0] if _is_greater(first.value, second.value) is is_low else values[1], is_included)
    result_type = BARE[Kind.BIGINT] if column.kind in WHOLE else bare(column)
    name = "HIGHER_END" if is_low else "LOWER_END"
    return End(FunctionCall(name=name, arguments=values, type=result_type, span=second.value.span), is_included)


def _is_like(value: SqlType, column: SqlType) -> bool:
    """Whether values of a type are compared with a column as they are: both of one kind, whole numbers, or texts."""
    return value.kind is column.kind or any(value.kind in kinds and column.kind in kinds for kinds in (WHOLE, TEXTS))


def _included(end: End, *, is_low: bool) -> End:
    """Return an equal end of whole numbers that is in the range: > 3 → >= 4."""
    if end.is_included:
        return end
    value, bigint = end.value, BARE[Kind.BIGINT]
    if isinstance(value, Constant) and isinstance(value.value, int):
        neighbour = value.value + (1 if is_low else -1)
        return End(Constant(value=neighbour, type=bigint, span=value.span), is_included=True)
    name = "NEXT" if is_low else "PREVIOUS"
    return End(FunctionCall(name=name, arguments=(value,), type=bigint, span=value.span), is_included=True)


def _is_greater(first: Constant, second: Constant) -> bool:
    return bool(first.value > second.value)  # type: ignore[operator]
