"""What the scalar functions and operators of the language compute, on values; NULL in any argument gives NULL.

Each agrees with DuckDB, except that a division by zero is NULL.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

_WIDE = Context(prec=100)
_MOST_DIGITS = 300


def divide(left: Any, right: Any) -> float | None:
    if right == 0:
        return None
    found = float(left) / float(right)
    return found if math.isfinite(found) else None


def remainder(left: Any, right: Any) -> Any:
    """Give the remainder with the sign of what is divided."""
    if right == 0:
        return None
    if isinstance(left, int) and isinstance(right, int):
        found = abs(left) % abs(right)
        return -found if left < 0 else found
    if isinstance(left, float) or isinstance(right, float):
        return math.fmod(left, right)
    return _WIDE.remainder(Decimal(left), Decimal(right))


def substring(text: str, start: int, length: int | None = None) -> str:
    """Give characters from `start`, counted from 1, or from the end when negative."""
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else -1
    if length is None:
        return text[max(begin, 0) :]
    if length < 0:
        begin, length = begin + length, -length
    return text[max(begin, 0) : max(begin + length, 0)]


def round_half_away(number: Any, digits: int = 0) -> Any:
    """Round halves away from zero, as SQL does."""
    if isinstance(number, int):
        if digits >= 0:
            return number
        if digits < -_MOST_DIGITS:
            return 0
        step = 10**-digits
        found = (abs(number) + step // 2) // step * step
        return -found if number < 0 else found
    exact = number if isinstance(number, Decimal) else Decimal(repr(number))
    digits = max(-_MOST_DIGITS, min(digits, _MOST_DIGITS))
    exponent = exact.as_tuple().exponent
    if isinstance(exponent, int) and -exponent <= digits:
        return number
    found = exact.quantize(Decimal((0, (1,), -digits)), rounding=ROUND_HALF_UP, context=Context(prec=1000))
    return found if isinstance(number, Decimal) else float(found)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "LOWER": str.lower,
    "UPPER": str.upper,
    "LENGTH": len,
    "SUBSTR": substring,
    "TRIM": lambda text: text.strip(" "),
    "ABS": abs,
    "ROUND": round_half_away,
    "NEGATE": lambda number: -number,
    "IF_FOUND": lambda value, key: value,
    "GREATEST": max,
    "LEAST": min,
}
