"""Parameters and answers between JSON and the engine, in the form of `piql.schema.json_values`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson
from piql.errors import InvalidParameter
from piql.schema.catalog import Kind
from piql.schema.json_values import READERS, UnreadableJson, exact_number, without_type

from piql_service.contract.deployed_set import ServedColumn, ServedParameter

_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_STRICT_INTEGER


def encoded(answer: Mapping[str, Any]) -> bytes:
    """Return an answer as JSON."""
    try:
        return orjson.dumps(answer, default=without_type, option=_OPTIONS)
    except orjson.JSONEncodeError:  # a large integer, or half a character: these need a look at every value
        return orjson.dumps(_plain(answer))


def _plain(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case bool() | None | float():
            return value
        case int():
            return exact_number(value)
        case dict():
            return {_plain(name): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return without_type(value)


_Reader = Callable[[str, object], object]
"""From the name of a parameter and its JSON to a value for the engine."""

Reading = Callable[[dict[str, Any]], dict[str, object]]
"""From the JSON parameters of one query to values for the engine, which checks their types itself."""


def reading(parameters: Sequence[ServedParameter]) -> Reading:
    """Return what reads the parameters of a query. It raises InvalidParameter for what JSON cannot say exactly."""
    readers: dict[str, _Reader] = {
        parameter.name: _reader(parameter.type.kind)
        for parameter in parameters
        if parameter.type is not None and parameter.type.kind in READERS
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
        column.name: _reader(column.type.kind)
        for column in columns
        if column.type is not None and column.type.kind in READERS
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


def _reader(kind: Kind) -> _Reader:
    """Return what reads the values of a type that needs a reader."""
    read = READERS[kind]

    def reader(name: str, value: object) -> object:
        try:
            return read(value)
        except UnreadableJson as error:
            raise InvalidParameter(f"{name} {error}", name) from None

    return reader
