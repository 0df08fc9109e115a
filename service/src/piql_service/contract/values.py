"""Values between JSON and the engine, exact in both directions.

engine                              JSON
TIMESTAMP 2026-01-01 00:00 UTC      "2026-01-01T00:00:00.000Z"
DECIMAL 9.50, DATE, UUID            "9.50" and so on: always strings
integers beyond ±2^53               "9007199254740993"
bytes                               {"$base64": "…"}
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import orjson
from piql.errors import InvalidParameter
from piql.schema.catalog import Kind
from piql.schema.values import QUOTED

from piql_service.contract.deployed_set import ServedColumn, ServedParameter

BYTES = "$base64"
_EXACT = 2**53  # beyond it a JavaScript number is not exact
_EXACT_DIGITS = 15  # a decimal number of so many digits survives a 64-bit floating-point number unchanged
_BIGINT_DIGITS = 19
_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_STRICT_INTEGER


def encoded(answer: Mapping[str, Any]) -> bytes:
    """Return an answer as JSON."""
    try:
        return orjson.dumps(answer, default=_without_type, option=_OPTIONS)
    except orjson.JSONEncodeError:  # a large integer, or half a character: these need a look at every value
        return orjson.dumps(_plain(answer))


def _without_type(value: object) -> object:
    """Return a value that JSON has no type for as one that it has."""
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        case bytes():
            return {BYTES: base64.b64encode(value).decode("ascii")}
        case _ if isinstance(value, (*QUOTED, Decimal)):
            return str(value)
        case _:
            raise TypeError(f"no JSON for {type(value).__name__}")


def _plain(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case bool() | None | float():
            return value
        case int():
            return value if -_EXACT <= value <= _EXACT else str(value)
        case dict():
            return {_plain(name): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return _without_type(value)


_Reader = Callable[[str, object], object]
"""From the name of a parameter and its JSON to a value for the engine."""

Reading = Callable[[dict[str, Any]], dict[str, object]]
"""From the JSON parameters of one query to values for the engine, which checks their types itself."""


def reading(parameters: Sequence[ServedParameter]) -> Reading:
    """Return what reads the parameters of a query. It raises InvalidParameter for what JSON cannot say exactly."""
    readers: dict[str, _Reader] = {
        parameter.name: _READERS[parameter.type.kind]
        for parameter in parameters
        if parameter.type is not None and parameter.type.kind in _READERS
    }
    readers |= {parameter.name: _row_reader(parameter.row) for parameter in parameters if parameter.row}
    if not readers:
        return lambda parameters: parameters

    def read(parameters: dict[str, Any]) -> dict[str, object]:
        values = dict(parameters)
        for name, reader in readers.items():
            if name in values:
                value = values[name]
                values[name] = (
                    [reader(name, item) for item in value] if isinstance(value, list) else reader(name, value)
                )
        return values

    return read


def _row_reader(columns: Sequence[ServedColumn]) -> _Reader:
    """Return what reads a row of a list, given by the names of its columns or in their order."""
    names = [column.name for column in columns]
    readers = {
        column.name: _READERS[column.type.kind]
        for column in columns
        if column.type is not None and column.type.kind in _READERS
    }

    def read(name: str, row: object) -> object:
        if isinstance(row, list) and len(row) == len(names):
            row = dict(zip(names, row, strict=True))
        if not isinstance(row, dict):
            return row
        return {
            column: readers[column](f"{name}.{column}", value) if column in readers else value
            for column, value in row.items()
        }

    return read


def _read_decimal(name: str, value: object) -> object:
    if isinstance(value, float) and len(Decimal(repr(value)).as_tuple().digits) > _EXACT_DIGITS:
        raise InvalidParameter(f'{name} has too many digits for a JSON number: write it as a string, "9.50"', name)
    return value


def _read_bigint(name: str, value: object) -> object:
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) <= _BIGINT_DIGITS:
            return int(value)
    return value


def _read_blob(name: str, value: object) -> object:
    match value:
        case {"$base64": str(text), **rest} if not rest:
            try:
                return base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                raise InvalidParameter(f"{name} is not valid base64", name) from None
    return value


_READERS: Mapping[Kind, _Reader] = {
    Kind.DECIMAL: _read_decimal,
    Kind.BIGINT: _read_bigint,
    Kind.BLOB: _read_blob,
}
