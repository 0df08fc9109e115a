"""What + - * / % and the functions of numbers compute, on values that are not NULL; each result is one of its type.

DOUBLE     NULL where the result is not finite, as after a division by zero
DECIMAL    exact; NumberOutOfRange where that takes more than 38 digits
INT BIGINT NumberOutOfRange outside of the type
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

from piql.errors import NumberOutOfRange
from piql.schema.catalog import Kind, SqlType
from piql.schema.decimals import MAX_PRECISION, RESULT, WIDE, DoesNotFit, unit, without_minus_zero
from piql.schema.types import range_of
from piql.schema.values import shown

Compute = Callable[..., Any]

_MOST_DIGITS = 300
_ROUNDING = Context(prec=WIDE.prec, rounding=ROUND_HALF_UP, Emin=WIDE.Emin, Emax=WIDE.Emax, traps=[])


def finite(number: float) -> float | None:
    """Return a DOUBLE, NULL for what is none; there is one zero."""
    return number + 0.0 if math.isfinite(number) else None


def divide(left: Any, right: Any) -> float | None:
    return finite(float(left) / float(right)) if right else None


def remainder(left: Any, right: Any) -> Any:
    """Return the remainder of whole numbers with the sign of what is divided."""
    if right == 0:
        return None
    result = abs(left) % abs(right)
    return -result if left < 0 else result


def remainder_of_doubles(left: float, right: float) -> float | None:
    return finite(math.fmod(left, right)) if right and math.isfinite(left) else None


def _remainder_of_decimals(left: Any, right: Any) -> Decimal | None:
    return RESULT.plus(WIDE.remainder(left, right)) if right else None


_OF_DECIMALS: dict[str, Compute] = {
    "+": RESULT.add,
    "-": RESULT.subtract,
    "*": RESULT.multiply,
    "%": _remainder_of_decimals,
}


def exactly(operator: str, words: str) -> Compute:
    """Return what computes an operator of DECIMALs and whole numbers; `words` are the expression's."""
    compute = _OF_DECIMALS[operator]

    def computed(left: Any, right: Any) -> Any:
        try:
            result = compute(left, right)
        except DoesNotFit:
            raise too_many_digits(words) from None
        return result if result or result is None else without_minus_zero(result)

    return computed


def too_many_digits(words: str) -> NumberOutOfRange:
    return NumberOutOfRange(f"{words} does not fit: a DECIMAL that is computed has at most {MAX_PRECISION} digits")


def out_of(type: SqlType, words: str) -> Callable[[int], int]:
    """Return what refuses a whole number that is none of a type."""
    low, high = range_of(type)

    def refuse(number: int) -> int:
        raise NumberOutOfRange(f"{words} is {shown(number)}, outside the range of {type.kind.value}, {low} to {high}")

    return refuse


def within(type: SqlType, words: str) -> Callable[[int], int]:
    """Return what gives a whole number that is one of a type, and refuses any other."""
    low, high = range_of(type)
    refuse = out_of(type, words)
    return lambda number: number if low <= number <= high else refuse(number)


def negate(number: Any) -> Any:
    return without_minus_zero(number.copy_negate()) if isinstance(number, Decimal) else 0 - number


def absolute(number: Any) -> Any:
    return number.copy_abs() if isinstance(number, Decimal) else abs(number)


def round_half_away(number: Any, digits: int = 0) -> Any:
    """Round halves away from zero, as SQL does."""
    if isinstance(number, int):
        if digits >= 0:
            return number
        if digits < -_MOST_DIGITS:
            return 0
        step = 10**-digits
        result = (abs(number) + step // 2) // step * step
        return -result if number < 0 else result
    exact = number if isinstance(number, Decimal) else Decimal(repr(number))
    digits = max(-_MOST_DIGITS, min(digits, _MOST_DIGITS))
    exponent = exact.as_tuple().exponent
    if isinstance(exponent, int) and -exponent <= digits:
        return number
    rounded = without_minus_zero(_ROUNDING.quantize(exact, unit(digits)))
    return rounded if isinstance(number, Decimal) else finite(float(rounded))


def sum_of_whole(values: Sequence[int]) -> int:
    return sum(values)


def sum_of_decimals(values: Sequence[Decimal]) -> Decimal:
    """Add exactly, in any order."""
    total = Decimal(0)
    for value in values:
        total = WIDE.add(total, value)
    return without_minus_zero(total)


def sum_of_doubles(values: Sequence[float]) -> float | None:
    """Return the DOUBLE next to the exact sum, whatever the order; NULL where there is none."""
    if not all(map(math.isfinite, values)):  # another program put them into the store
        return None
    try:
        return finite(math.fsum(values))
    except OverflowError:  # on the way: the sum itself may be one
        return _nearest(sum(map(Fraction, values), Fraction()))


def average_of_whole(values: Sequence[int]) -> float:
    return sum(values) / len(values)


def average_of_decimals(values: Sequence[Decimal]) -> float | None:
    return _nearest(Fraction(sum_of_decimals(values)) / len(values))


def average_of_doubles(values: Sequence[float]) -> float | None:
    """Divide the sum; NULL where that is no DOUBLE."""
    total = sum_of_doubles(values)
    return None if total is None else total / len(values) + 0.0


def _nearest(exact: Fraction) -> float | None:
    try:
        return float(exact)
    except OverflowError:
        return None


def held_to(type: SqlType, words: str) -> Callable[[Any], Any]:
    """Return what holds the sum of exact numbers to the type of SUM."""
    if type.kind is not Kind.DECIMAL:
        return within(type, words)
    most = MAX_PRECISION - type.scale if type.scale is not None else None

    def hold(total: Decimal) -> Decimal:
        try:
            result = RESULT.plus(total)
        except DoesNotFit:
            raise too_many_digits(words) from None
        if most is not None and result and result.adjusted() >= most:
            raise too_many_digits(words)
        return result

    return hold
