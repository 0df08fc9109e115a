"""Combines two ends on the same side of a range; where only the execution knows their values, it chooses."""

from __future__ import annotations

from piql.compiler.binding.types import BARE, bare, type_of
from piql.compiler.logical.expressions import Constant, Expression, FunctionCall
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import TEXTS, WHOLE

End = tuple[Expression, bool]  # the value, and whether it is within the range


def narrower_end(first: End | None, second: End, column: SqlType, *, is_low: bool) -> End | None:
    """Return the narrower of two ends on one side of a range; None where no single expression stands for it.

    a > [x] AND a > [y] → a > GREATEST([x], [y])      a >= [x] AND a > 2 → a >= GREATEST([x], 3), for whole numbers
    """
    if first is None or first == second:
        return second
    if first[0] == second[0]:
        return second[0], False
    if not all(_is_like(type_of(value), column) for value, _ in (first, second)):
        return None
    if first[1] != second[1]:
        if column.kind not in WHOLE:
            return None
        first, second = _within(first, is_low=is_low), _within(second, is_low=is_low)
    first_value, second_value = first[0], second[0]
    if isinstance(first_value, Constant) and isinstance(second_value, Constant):
        return (first_value if _is_beyond(first_value, second_value) is is_low else second_value), first[1]
    kind = BARE[Kind.BIGINT] if column.kind in WHOLE else bare(column)
    name = "GREATEST" if is_low else "LEAST"
    return FunctionCall(name=name, arguments=(first_value, second_value), type=kind, span=second_value.span), first[1]


def _is_like(type: SqlType, column: SqlType) -> bool:
    return type.kind is column.kind or any(type.kind in kinds and column.kind in kinds for kinds in (WHOLE, TEXTS))


def _within(end: End, *, is_low: bool) -> End:
    """Return an equal end of whole numbers that is included in the range: > 3 → >= 4."""
    value, is_included = end
    if is_included:
        return end
    kind = BARE[Kind.BIGINT]
    if isinstance(value, Constant) and isinstance(value.value, int):
        return Constant(value=value.value + (1 if is_low else -1), type=kind, span=value.span), True
    name = "NEXT" if is_low else "PREVIOUS"
    return FunctionCall(name=name, arguments=(value,), type=kind, span=value.span), True


def _is_beyond(value: Constant, bound: Constant) -> bool:
    return bool(value.value > bound.value)  # type: ignore[operator]
