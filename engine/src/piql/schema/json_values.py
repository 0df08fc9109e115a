"""Values between JSON and the engine: what JSON cannot hold travels as a string, bytes with a marker.

    engine                              JSON
    TIMESTAMP 2026-01-01 00:00 UTC      "2026-01-01T00:00:00.000Z"
    DECIMAL 9.50, DATE, TIME, UUID      "9.50" and so on: always strings
    integers beyond ±2^53               "9007199254740993"
    infinite floats                     "Infinity", "-Infinity", "NaN"
    bytes                               {"$base64": "…"}

The workbench, the query service and load runs send and read values in this form.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeAlias

from piql.schema.catalog import Kind
from piql.schema.values import QUOTED

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

BYTES = "$base64"
_EXACT = 2**53  # a JavaScript number beyond it is not exact
_EXACT_DIGITS = 15  # a decimal number of so many digits survives a 64-bit floating-point number unchanged
_BIGINT_DIGITS = 19


class UnreadableJson(ValueError):
    """JSON that does not hold a value exactly: `problem` follows the name of the value, `advice` says what to write."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem}: {advice}" if advice else problem)
        self.problem = problem
        self.advice = advice


def to_json(value: object) -> Json:
    """Return a value as JSON; TypeError for one that is no value of the engine."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return exact_number(value)
        case float():
            return value if math.isfinite(value) else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")
        case list() | tuple():
            return [to_json(item) for item in value]
        case _:
            return without_type(value)


def exact_number(value: int) -> int | str:
    """Return a whole number as a string where a reader in JavaScript would round it."""
    return value if -_EXACT <= value <= _EXACT else str(value)


def without_type(value: object) -> str | dict[str, Json]:
    """Return the JSON of a value whose type JSON does not have; TypeError for one that is no value of the engine."""
    match value:
        case datetime():
            return moment_text(value)
        case bytes():
            return {BYTES: base64_text(value)}
        case Decimal():
            return decimal_text(value)
        case _ if isinstance(value, QUOTED):
            return str(value)
        case _:
            raise TypeError(f"no JSON for {type(value).__name__}")


def decimal_text(value: Decimal) -> str:
    """Return all digits of a number, without an exponent: `0.0000000000`, not `0E-10`."""
    return f"{value:f}"


def moment_text(value: datetime) -> str:
    """Return a moment in UTC to the millisecond: `2026-01-31T12:00:00.000Z`."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def base64_text(value: bytes) -> str:
    """Return bytes as base64: b"\\x00\\xff" → `AP8=`."""
    return base64.b64encode(value).decode("ascii")


def read_decimal(value: object) -> object:
    """Refuse a number that may have had more digits in the JSON text than a float keeps."""
    if isinstance(value, float) and not (math.isfinite(value) and _digits(value) <= _EXACT_DIGITS):
        raise UnreadableJson("has too many digits for a JSON number", 'write it as a string, "9.50"')
    return value


def _digits(number: float) -> int:
    return len(Decimal(repr(number)).as_tuple().digits)


def read_bigint(value: object) -> object:
    """Return a string of digits as the number that it is."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) <= _BIGINT_DIGITS:
            return int(value)
    return value


def read_bytes(value: object) -> object:
    """Return the bytes of `{"$base64": "…"}`."""
    match value:
        case {"$base64": str(text), **rest} if not rest:
            try:
                return base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                raise UnreadableJson("is not valid base64") from None
    return value


READERS: Mapping[Kind, Callable[[object], object]] = {
    Kind.DECIMAL: read_decimal,
    Kind.BIGINT: read_bigint,
    Kind.BLOB: read_bytes,
}
"""What reads the JSON of a type as a value that the engine takes. Types that are not here need no reader.

What a reader does not know is left as it is: the engine refuses it. A reader raises UnreadableJson.
"""
