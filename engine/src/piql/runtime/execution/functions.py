"""The scalar functions of the language as Python functions of values (not stored values).

None is called with a NULL: generated source returns NULL where an argument is one. Each agrees with DuckDB. Arithmetic
is in `numbers`; which types a function takes and returns is in `compiler/binding/functions.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from piql.runtime.execution.numbers import absolute, negate, round_half_away
from piql.schema.catalog import Kind
from piql.schema.decimals import WIDE, without_minus_zero
from piql.schema.types import WHOLE


def substring(text: str, start: int, length: int | None = None) -> str:
    """Return characters from `start`, counted from 1, or from the end when negative."""
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else -1
    if length is None:
        return text[max(begin, 0) :]
    if length < 0:
        begin, length = begin + length, -length
    return text[max(begin, 0) : max(begin + length, 0)]


def floor(number: Any) -> Any:
    """Return the largest whole number that is not above `number`, of its type; NULL for a DOUBLE that is not finite."""
    if isinstance(number, int):
        return number
    if isinstance(number, Decimal):
        return without_minus_zero(number.to_integral_value(ROUND_FLOOR, WIDE))
    return float(math.floor(number)) if math.isfinite(number) else None


def ceil(number: Any) -> Any:
    """Return the smallest whole number that is not below `number`, of its type; NULL for a DOUBLE that is infinite."""
    if isinstance(number, int):
        return number
    if isinstance(number, Decimal):
        return without_minus_zero(number.to_integral_value(ROUND_CEILING, WIDE))
    return float(math.ceil(number)) if math.isfinite(number) else None


@dataclass(frozen=True, slots=True)
class Computation:
    """What a function computes of arguments that are not NULL.

    `may_leave` are the types of which a result may be outside the range, so that it has to be checked.
    """

    function: Callable[..., Any]
    may_leave: tuple[Kind, ...] = ()


# IF_FOUND, GREATEST, LEAST, NEXT and PREVIOUS are put into plans by the optimizer; no user can write them.
FUNCTIONS: dict[str, Computation] = {
    "LOWER": Computation(str.lower),
    "UPPER": Computation(str.upper),
    "LENGTH": Computation(len),
    "SUBSTR": Computation(substring),
    "TRIM": Computation(lambda text: text.strip(" ")),
    "ABS": Computation(absolute, may_leave=WHOLE),
    "ROUND": Computation(round_half_away, may_leave=(*WHOLE, Kind.DECIMAL)),
    "FLOOR": Computation(floor),
    "CEIL": Computation(ceil),
    "NEGATE": Computation(negate, may_leave=WHOLE),
    "IF_FOUND": Computation(lambda value, key: value),
    "GREATEST": Computation(max),
    "LEAST": Computation(min),
    "NEXT": Computation(lambda number: number + 1),
    "PREVIOUS": Computation(lambda number: number - 1),
}
