"""Values between JSON and the engine: what JSON cannot hold travels as a string, bytes with a marker.

engine                              JSON
TIMESTAMP 2026-01-01 00:00 UTC      "2026-01-01T00:00:00.000Z"
DECIMAL 9.50, DATE, UUID            "9.50" and so on: always strings
integers beyond ±2^53               "9007199254740993"
infinite floats                     "Infinity", "-Infinity", "NaN"
bytes                               {"$base64": "…"}
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Protocol

from piql.schema.catalog import Kind, RowType, SqlType
from pydantic import JsonValue

from piql_backend.web.errors import ApiError

BYTES = "$base64"
_EXACT = 2**53  # beyond it a JavaScript number is not exact
_EXACT_DIGITS = 15  # a decimal number of so many digits survives a JavaScript number unchanged


def to_json(value: object) -> JsonValue:
    """A value of the engine as JSON."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if -_EXACT <= value <= _EXACT else str(value)
        case float():
            return value if math.isfinite(value) else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        case bytes():
            return {BYTES: base64.b64encode(value).decode("ascii")}
        case list() | tuple():
            return [to_json(item) for item in value]
        case _:
            return str(value)


class Typed(Protocol):
    """A parameter or a column: what has a name and a type."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> object: ...


def from_json(parameters: dict[str, JsonValue], declared: Sequence[Typed]) -> dict[str, object]:
    """The JSON parameters as values for the engine, which checks their types itself.

    Raises ApiError 422 for a DECIMAL with too many digits for a JSON number, and for bytes that are not base64.
    """
    types = {column.name: column.type for column in declared}
    return {name: _from_json(name, value, types.get(name)) for name, value in parameters.items()}


def _row(name: str, row: JsonValue, type: RowType) -> object:
    """A row of a list, given by the names of its columns or in their order."""
    types = dict(type.columns)
    match row:
        case dict():
            return {column: _from_json(f"{name}.{column}", value, types.get(column)) for column, value in row.items()}
        case list() if len(row) == len(types):
            return [
                _from_json(f"{name}.{column}", value, types[column]) for column, value in zip(types, row, strict=True)
            ]
        case _:
            return row


def _from_json(name: str, value: JsonValue, type: object) -> object:
    match value:
        case list() if isinstance(type, RowType):
            return [_row(name, row, type) for row in value]
        case list():
            return [_from_json(name, item, type) for item in value]
        case float() if isinstance(type, SqlType) and type.kind is Kind.DECIMAL and _may_be_rounded(value):
            raise ApiError(
                422,
                "invalid-parameter",
                f"{name} has too many digits for a JSON number.",
                'Write it as a string: "9.50".',
                parameter=name,
            )
        case {"$base64": str(text), **rest} if not rest:
            try:
                return base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                raise ApiError(422, "invalid-parameter", f"{name} is not valid base64.", parameter=name) from None
        case str() if isinstance(type, SqlType) and type.kind is Kind.BIGINT and _is_integer(value):
            return int(value)
        case _:
            return value


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 19


def _may_be_rounded(number: float) -> bool:
    """Whether the number in the JSON text may have had more digits than a float keeps."""
    return not math.isfinite(number) or len(Decimal(repr(number)).as_tuple().digits) > _EXACT_DIGITS
