"""Parameters and rows between the JSON of a request and the engine, in the form of `piql.schema.json_values`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from piql.schema.catalog import RowType, SqlType
from piql.schema.json_values import READERS, UnreadableJson, read_bytes
from pydantic import JsonValue

from piql_backend.web.errors import ApiError


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
        case _:
            return _read(name, value, type)


def _read(name: str, value: JsonValue, type: object) -> object:
    reader = READERS.get(type.kind) if isinstance(type, SqlType) else read_bytes
    if reader is None:
        return value
    try:
        return reader(value)
    except UnreadableJson as error:
        advice = f"{error.advice[0].upper()}{error.advice[1:]}." if error.advice else None
        raise ApiError(422, "invalid-parameter", f"{name} {error.problem}.", advice, parameter=name) from None
