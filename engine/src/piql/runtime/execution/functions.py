"""The scalar functions of the language as Python functions of values (not stored values).

Only those that take NULL are called with one: else generated source returns NULL where an argument is. Each agrees
with DuckDB. Arithmetic is in `numbers`, what makes texts longer in `texts`; which types a function takes and returns is
in `compiler/binding/functions.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, Decimal
from typing import Any

from piql.runtime.execution import numbers, texts
from piql.runtime.execution.numbers import absolute, negate, rounded
from piql.schema.calendar import add_interval, beginning, days_between, milliseconds_between, part_of
from piql.schema.catalog import Kind
from piql.schema.types import WHOLE


def substring(text: str, start: int, length: int | None = None) -> str:
    """Return characters from `start`, counted from 1, or from the end when negative."""
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else -1
    if length is None:
        return text[max(begin, 0) :]
    if length < 0:
        begin, length = begin + length, -length
    return text[max(begin, 0) : max(begin + length, 0)]


def null_if(value: Any, other: Any) -> Any:
    """Return NULL where two values are equal, else the first; a DECIMAL beside a DOUBLE is compared as DOUBLE."""
    kinds = {type(value), type(other)}
    is_equal = float(value) == float(other) if kinds == {Decimal, float} else value == other
    return None if is_equal else value


@dataclass(frozen=True, slots=True)
class Computation:
    """What a function computes of arguments that are not NULL.

    `may_leave` are the types of which a result may be outside the range, so that it has to be checked. A dated one
    raises OverflowError or ValueError for what is outside of the years 1 to 9999.
    """

    function: Callable[..., Any]
    may_leave: tuple[Kind, ...] = ()
    is_dated: bool = False


# IF_FOUND, HIGHER_END, LOWER_END, NEXT and PREVIOUS are put into plans by the optimizer; no user can write them. Sums
# and differences of days and times are ADD_INTERVAL, DAYS_BETWEEN and MILLISECONDS_BETWEEN in a plan.
FUNCTIONS: dict[str, Computation] = {
    "LOWER": Computation(str.lower),
    "UPPER": Computation(str.upper),
    "LENGTH": Computation(len),
    "SUBSTR": Computation(substring),
    "TRIM": Computation(lambda text, characters=" ": text.strip(characters)),
    "LTRIM": Computation(lambda text, characters=" ": text.lstrip(characters)),
    "RTRIM": Computation(lambda text, characters=" ": text.rstrip(characters)),
    "LPAD": Computation(
        lambda text, length, filling=" ": texts.filling(text, length, filling) + text[: max(length, 0)]
    ),
    "RPAD": Computation(
        lambda text, length, filling=" ": text[: max(length, 0)] + texts.filling(text, length, filling)
    ),
    "LEFT": Computation(lambda text, length: text[:length]),
    "RIGHT": Computation(lambda text, length: text[max(len(text) - length, 0) :] if length >= 0 else text[-length:]),
    "REPLACE": Computation(texts.replace),
    "POSITION": Computation(lambda part, text: text.find(part) + 1),
    "STRPOS": Computation(lambda text, part: text.find(part) + 1),
    "CONCAT": Computation(lambda *parts: "".join(part for part in parts if part is not None)),
    "NULLIF": Computation(null_if),
    "GREATEST": Computation(lambda *values: max((value for value in values if value is not None), default=None)),
    "LEAST": Computation(lambda *values: min((value for value in values if value is not None), default=None)),
    "SIGN": Computation(lambda number: (number > 0) - (number < 0)),
    "POWER": Computation(numbers.power),
    "SQRT": Computation(lambda number: math.sqrt(number) if number >= 0 else None),
    "ABS": Computation(absolute, may_leave=WHOLE),
    "ROUND": Computation(rounded, may_leave=(*WHOLE, Kind.DECIMAL)),
    "FLOOR": Computation(lambda number: rounded(number, rounding=ROUND_FLOOR)),
    "CEIL": Computation(lambda number: rounded(number, rounding=ROUND_CEILING)),
    "TRUNC": Computation(lambda number, digits=0: rounded(number, digits, ROUND_DOWN)),
    "NEGATE": Computation(negate, may_leave=WHOLE),
    "IF_FOUND": Computation(lambda value, key: value),
    "HIGHER_END": Computation(max),
    "LOWER_END": Computation(min),
    "NEXT": Computation(lambda number: number + 1),
    "PREVIOUS": Computation(lambda number: number - 1),
    "ADD_INTERVAL": Computation(add_interval, is_dated=True),
    "DAYS_BETWEEN": Computation(days_between),
    "MILLISECONDS_BETWEEN": Computation(milliseconds_between),
    "EXTRACT": Computation(part_of),
    "DATE_TRUNC": Computation(beginning),
}
