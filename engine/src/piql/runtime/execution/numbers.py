"""Arithmetic and number functions on values that are not NULL. What happens to a result that its type cannot hold:

DOUBLE        it is NULL: infinity, not a number, and any division by zero
DECIMAL       NumberOutOfRange if the exact result takes more than 38 digits
INT, BIGINT   NumberOutOfRange; callers in generated source check the range themselves (`range_refusal`)

`words` is the expression as the user wrote it, for the message. Sums and averages of a group are here, too.
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

_ROUNDING = Context(prec=WIDE.prec, Emin=WIDE.Emin, Emax=WIDE.Emax, traps=[])


def finite(number: float) -> float | None:
    """Return a number, None if it is infinite or not a number; -0.0 becomes 0.0."""
    return number + 0.0 if math.isfinite(number) else None


def divide(left: Any, right: Any) -> float | None:
    """Divide as DOUBLEs; None for a division by zero."""
    return finite(float(left) / float(right)) if right else None


def power(number: Any, exponent: Any) -> float | None:
    """Return the power as a DOUBLE; None where it is not finite, or no real number."""
    try:
        return finite(math.pow(number, exponent))
    except (ValueError, OverflowError):
        return None


def remainder(left: Any, right: Any) -> Any:
    """Return the remainder of whole numbers, which has the sign of `left`; None for a division by zero."""
    if right == 0:
        return None
    result = abs(left) % abs(right)
    return -result if left < 0 else result


def remainder_of_doubles(left: float, right: float) -> float | None:
    """Return the remainder, which has the sign of `left`; None for a division by zero or of infinity."""
    return finite(math.fmod(left, right)) if right and math.isfinite(left) else None


def _remainder_of_decimals(left: Any, right: Any) -> Decimal | None:
    return RESULT.plus(WIDE.remainder(left, right)) if right else None


_OF_DECIMALS: dict[str, Compute] = {
    "+": RESULT.add,
    "-": RESULT.subtract,
    "*": RESULT.multiply,
    "%": _remainder_of_decimals,
}


def exact_operator(operator: str, words: str) -> Compute:
    """Return the function of `+`, `-`, `*` or `%` on DECIMALs and whole numbers; it may raise NumberOutOfRange."""
    compute = _OF_DECIMALS[operator]

    def computed(left: Any, right: Any) -> Any:
        try:
            result = compute(left, right)
        except DoesNotFit:
            raise too_many_digits(words) from None
        return result if result or result is None else without_minus_zero(result)

    return computed


def too_many_digits(words: str) -> NumberOutOfRange:
    """Return the error of a DECIMAL result with more than 38 digits."""
    return NumberOutOfRange(f"{words} does not fit: a DECIMAL that is computed has at most {MAX_PRECISION} digits")


def range_refusal(type: SqlType, words: str) -> Callable[[int], int]:
    """Return a function that raises NumberOutOfRange for a number outside of a whole type's range."""
    low, high = range_of(type)

    def refuse(number: int) -> int:
        raise NumberOutOfRange(f"{words} is {shown(number)}, outside the range of {type.kind.value}, {low} to {high}")

    return refuse


def range_check(type: SqlType, words: str) -> Callable[[int], int]:
    """Return a function that returns a number in a whole type's range, and raises NumberOutOfRange for others."""
    low, high = range_of(type)
    refuse = range_refusal(type, words)
    return lambda number: number if low <= number <= high else refuse(number)


def negate(number: Any) -> Any:
    """Return the number with the other sign; there is no minus zero."""
    return without_minus_zero(number.copy_negate()) if isinstance(number, Decimal) else 0 - number


def absolute(number: Any) -> Any:
    """Return the number without its sign, of the same type."""
    return number.copy_abs() if isinstance(number, Decimal) else abs(number)


def rounded(number: Any, digits: int = 0, rounding: str = ROUND_HALF_UP) -> Any:
    """Return the number, of its type, with so many digits behind the point (negative: before it).

    Halves go away from zero, as in SQL, unless `rounding`, a mode of `decimal`, says otherwise.
    """
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    exponent = exact.as_tuple().exponent
    if isinstance(exponent, int) and -exponent <= digits:
        return number
    before_point = max(exact.adjusted() + 1, 0)  # to one digit more before the point than it has, it is 0 already
    digits = max(digits, -before_point - 1)
    result = without_minus_zero(exact.quantize(unit(digits), rounding, _ROUNDING))
    if isinstance(number, float):
        return finite(float(result))
    return int(result) if isinstance(number, int) else result


def sum_of_whole(values: Sequence[int]) -> int:
    """Add exactly; the sum may be outside of the type's range."""
    return sum(values)


def sum_of_decimals(values: Sequence[Decimal]) -> Decimal:
    """Add exactly, in any order."""
    total = Decimal(0)
    for value in values:
        total = WIDE.add(total, value)
    return without_minus_zero(total)


def sum_of_doubles(values: Sequence[float]) -> float | None:
    """Return the DOUBLE next to the exact sum, whatever the order; None where it is too large for a DOUBLE."""
    if not all(map(math.isfinite, values)):  # another program put them into the store
        return None
    try:
        return finite(math.fsum(values))
    except OverflowError:  # an intermediate sum is too large; the whole sum may still be a DOUBLE
        return _nearest(sum(map(Fraction, values), Fraction()))


def average_of_whole(values: Sequence[int]) -> float:
    """Return the DOUBLE next to the exact average."""
    return sum(values) / len(values)


def average_of_sum(total: int | Decimal, count: int) -> float | None:
    """Return the DOUBLE next to an exact sum divided by how many were added."""
    return _nearest(Fraction(total) / count)


def average_of_decimals(values: Sequence[Decimal]) -> float | None:
    """Return the DOUBLE next to the exact average."""
    return average_of_sum(sum_of_decimals(values), len(values))


def average_of_doubles(values: Sequence[float]) -> float | None:
    """Divide the sum; None where the sum is too large for a DOUBLE."""
    total = sum_of_doubles(values)
    return None if total is None else total / len(values) + 0.0


def _nearest(exact: Fraction) -> float | None:
    """Return the DOUBLE next to an exact number; None where it is too large."""
    try:
        return float(exact)
    except OverflowError:
        return None


def checked_result(type: SqlType, words: str) -> Callable[[Any], Any]:
    """Return a function that returns an exact result which fits its type, and raises NumberOutOfRange for others.

    A DECIMAL with a scale may have at most 38 digits less its scale before the point.
    """
    if type.kind is not Kind.DECIMAL:
        return range_check(type, words)
    most_before_point = MAX_PRECISION - type.scale if type.scale is not None else None

    def checked(exact: Decimal) -> Decimal:
        try:
            result = RESULT.plus(exact)
        except DoesNotFit:
            raise too_many_digits(words) from None
        if most_before_point is not None and result and result.adjusted() >= most_before_point:
            raise too_many_digits(words)
        return result

    return checked
