"""How the values of each column type are written in files, and read from them.

    type          CSV                         JSON lines                  Parquet
    INT, BIGINT   digits                      number                      INTEGER, BIGINT
    DOUBLE        shortest exact digits       number                      DOUBLE
    DECIMAL       all its digits              text of all its digits      DECIMAL, or VARCHAR beyond 38 digits
    BOOLEAN       true, false                 true, false                 BOOLEAN
    BLOB          base64, or hex where asked  text of the same            BLOB
    TIMESTAMP     2026-01-31T12:00:00.000Z    text of the same            TIMESTAMP WITH TIME ZONE
    DATE, UUIDs   as in the language          text of the same            DATE, UUID
    NULL          nothing between the commas  null, or no such member     NULL

A text in CSV is always in quotes, so that an empty text is `""` and NULL is nothing.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeAlias

from piql.schema.catalog import Kind, SqlType
from piql.schema.json_values import base64_text, decimal_text, moment_text
from piql.schema.types import KINDS
from piql.schema.values import QUOTED, ValueMismatch, shown

BytesForm: TypeAlias = Literal["base64", "hex"]
BYTES_FORMS: tuple[BytesForm, ...] = ("base64", "hex")

Reader: TypeAlias = Callable[[Any], Any]
"""From what a file holds, never None, to a value that the engine converts; raises ValueMismatch."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
_MOST_DECIMAL_DIGITS = 38  # of DECIMAL in Parquet
_MOST_CHARACTERS = 1000  # of a text that is read as a DOUBLE: a longer one is no number that anybody wrote


class FileType(NamedTuple):
    """One column type in files: `read` takes what a file holds, `parquet` names the type there.

    `write` makes the text of CSV; `is_text` says that it stands in quotes, `is_json_text` the same of JSON.
    """

    read: Callable[[BytesForm], Reader]
    write: Callable[[Any], str]
    parquet: Callable[[SqlType], str]
    is_text: bool = False
    is_json_text: bool = True


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value


def _double(value: Any) -> Any:
    return (
        float(value)
        if isinstance(value, str) and len(value) <= _MOST_CHARACTERS and _NUMBER.fullmatch(value)
        else value
    )


def _boolean(value: Any) -> Any:
    return _BOOLEANS.get(value.lower(), value) if isinstance(value, str) else value


def _moment(value: Any) -> Any:
    """Take a moment without a time zone as UTC, as texts without one are."""
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def _bytes_reader(form: BytesForm) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return bytes.fromhex(value) if form == "hex" else base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            raise ValueMismatch(f"{shown(value)} is not bytes written as {form}") from None

    return read


def _unchanged(form: BytesForm) -> Reader:
    """Return a reader that leaves the conversion to the engine."""
    return lambda value: value


def _plain(name: str) -> Callable[[SqlType], str]:
    return lambda declared: name


def _decimal_type(type: SqlType) -> str:
    precision = type.precision
    if precision is None or precision > _MOST_DECIMAL_DIGITS:
        return "VARCHAR"
    return f"DECIMAL({precision}, {type.scale or 0})"


_TEXT = FileType(_unchanged, str, _plain("VARCHAR"), is_text=True)
_OWN: dict[Kind, FileType] = {
    Kind.INT: FileType(lambda form: _whole, str, _plain("INTEGER"), is_json_text=False),
    Kind.BIGINT: FileType(lambda form: _whole, str, _plain("BIGINT"), is_json_text=False),
    Kind.DOUBLE: FileType(lambda form: _double, repr, _plain("DOUBLE"), is_json_text=False),
    Kind.DECIMAL: FileType(_unchanged, lambda value: format(value, "f"), _decimal_type),
    Kind.BOOLEAN: FileType(
        lambda form: _boolean, lambda value: "true" if value else "false", _plain("BOOLEAN"), is_json_text=False
    ),
    Kind.VARCHAR: _TEXT,
    Kind.TEXT: _TEXT,
    Kind.BLOB: FileType(_bytes_reader, base64_text, _plain("BLOB"), is_text=True),
    Kind.TIMESTAMP: FileType(lambda form: _moment, moment_text, _plain("TIMESTAMPTZ")),
    Kind.TIMEUUID: FileType(_unchanged, str, _plain("UUID")),
}
FILE_TYPES: dict[Kind, FileType] = {
    kind: _OWN.get(kind) or FileType(_unchanged, str, _plain(kind.value)) for kind in KINDS
}
"""A type without a row of its own is written as its text, and has the same name in Parquet."""


def writer_of(type: SqlType, form: BytesForm) -> Callable[[Any], str]:
    """Return what makes the text of a value that is not NULL."""
    if type.kind is Kind.BLOB and form == "hex":
        return bytes.hex
    return FILE_TYPES[type.kind].write


def reader_of(type: SqlType, form: BytesForm) -> Reader:
    """Return what makes a value of the engine's out of what a file holds."""
    return FILE_TYPES[type.kind].read(form)


def as_written(value: object, most: int = 60) -> str:
    """Return the value that a user wrote, for a message; long ones are shortened."""
    match value:
        case None:
            return "NULL"
        case str():
            text = value
        case bytes():
            text = value.hex()
        case datetime():
            text = value.isoformat()
        case Decimal():
            text = decimal_text(value)
        case _:
            text = str(value) if isinstance(value, (*QUOTED, int, float)) else repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"
