"""The column types: one row for each. How a store writes a type is in the store's own table.

A type is a member of `Kind` with a row here, in `store/values.py` and in `store/cql/stored_values.py`. Each table is
made by `for_each_kind`, which raises at import when the row of a type is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from piql.schema.catalog import Kind, SqlType
from piql.schema.decimals import MAX_PRECISION
from piql.schema.values import (
    BIGINT_RANGE,
    INT_RANGE,
    Converter,
    to_blob,
    to_boolean,
    to_date,
    to_decimal,
    to_double,
    to_text,
    to_time,
    to_time_uuid,
    to_timestamp,
    to_uuid,
    to_whole,
)

Row = TypeVar("Row")
JsonSchema: TypeAlias = Mapping[str, Any]

KINDS = tuple(kind for kind in Kind if kind is not Kind.NULL)  # the types that a column may have
WHOLE = (Kind.INT, Kind.BIGINT)
NUMBERS = (*WHOLE, Kind.DECIMAL, Kind.DOUBLE)  # each holds the values of those before it, but for precision
TEXTS = (Kind.VARCHAR, Kind.TEXT)
IDS = (Kind.UUID, Kind.TIMEUUID)  # each value names one thing
UNSIZED_BYTES = 65_536  # of a value whose type says no length: the only number in a bound that no schema proves


def for_each_kind(rows: Mapping[Kind, Row]) -> dict[Kind, Row]:
    """Return the rows unchanged; raise LookupError if a column type has none."""
    missing = [kind.value for kind in KINDS if kind not in rows]
    if missing:
        raise LookupError(f"a table of column types has no row for {', '.join(missing)}")
    return dict(rows)


@dataclass(frozen=True, slots=True)
class ColumnType:
    """What the language knows of one type.

    `names` are its names in the text, the canonical one first; `numbers` is how many numbers may follow in parentheses.
    `holds` describes its values in the reference, `written` how a literal is written and `accepts` which values a
    parameter takes, both in messages. `bytes` is the most bytes that a value of the declared type takes, None if that
    has no limit. Types of one `family` compare with each other. `json` is the JSON Schema of its values over HTTP.
    `nearest_to` are types of other databases instead of which this one is offered.
    """

    names: tuple[str, ...]
    holds: str
    written: str
    convert: Converter
    bytes: Callable[[SqlType], int | None]
    accepts: str
    family: Kind
    json: JsonSchema
    nearest_to: tuple[str, ...] = ()
    numbers: int = 0
    range: tuple[int, int] | None = None  # of a type of whole numbers


def _fixed(count: int) -> Callable[[SqlType], int | None]:
    return lambda declared: count


def _length(type: SqlType) -> int | None:
    return type.length


def _characters(type: SqlType) -> int | None:
    return None if type.length is None else 4 * type.length  # UTF-8 needs 4 bytes a character at most


def _digits(type: SqlType) -> int | None:
    return (type.precision or MAX_PRECISION) // 2 + 2


_WHOLE_NUMBER, _QUOTED = "write a whole number, without quotes", "write a text in single quotes"

COLUMN_TYPES = for_each_kind(
    {
        Kind.INT: ColumnType(
            ("INT", "INTEGER"),
            f"whole numbers from {INT_RANGE[0]:,} to {INT_RANGE[1]:,}",
            _WHOLE_NUMBER,
            to_whole(*INT_RANGE),
            _fixed(4),
            accepts=f"a whole number from {INT_RANGE[0]} to {INT_RANGE[1]}",
            family=Kind.DOUBLE,
            json={"type": "integer", "format": "int32"},
            nearest_to=("SMALLINT", "TINYINT", "MEDIUMINT", "SERIAL"),
            range=INT_RANGE,
        ),
        Kind.BIGINT: ColumnType(
            ("BIGINT",),
            f"whole numbers from {BIGINT_RANGE[0]:,} to {BIGINT_RANGE[1]:,}",
            _WHOLE_NUMBER,
            to_whole(*BIGINT_RANGE),
            _fixed(8),
            accepts=f"a whole number from {BIGINT_RANGE[0]} to {BIGINT_RANGE[1]}",
            family=Kind.DOUBLE,
            json={"oneOf": [{"type": "integer", "format": "int64"}, {"type": "string", "pattern": "^-?[0-9]+$"}]},
            nearest_to=("BIGSERIAL", "COUNTER"),
            range=BIGINT_RANGE,
        ),
        Kind.DOUBLE: ColumnType(
            ("DOUBLE", "FLOAT"),
            "64-bit floating-point numbers, without NaN and infinity",
            "write a number, without quotes",
            to_double,
            _fixed(8),
            accepts="a number",
            family=Kind.DOUBLE,
            json={"type": "number", "format": "double"},
            nearest_to=("REAL", "FLOAT8"),
        ),
        Kind.DECIMAL: ColumnType(
            ("DECIMAL", "NUMERIC"),
            f"exact numbers; `(p, s)`: p digits (at most {MAX_PRECISION}), s of them after the point",
            "write a number, such as 9.50",
            to_decimal,
            _digits,
            accepts="a number, or a text such as '12.50'",
            family=Kind.DOUBLE,
            json={"type": "string", "format": "decimal"},
            nearest_to=("NUMBER", "MONEY", "VARINT"),
            numbers=2,
        ),
        Kind.BOOLEAN: ColumnType(
            ("BOOLEAN", "BOOL"),
            "TRUE and FALSE",
            "write TRUE or FALSE",
            to_boolean,
            _fixed(1),
            accepts="TRUE or FALSE",
            family=Kind.BOOLEAN,
            json={"type": "boolean"},
            nearest_to=("BIT",),
        ),
        Kind.VARCHAR: ColumnType(
            ("VARCHAR", "STRING"),
            "text; `(n)`: at most n code points",
            _QUOTED,
            to_text,
            _characters,
            accepts="a text",
            family=Kind.TEXT,
            json={"type": "string"},
            nearest_to=("CHAR", "CHARACTER", "NVARCHAR", "VARCHAR2", "INET"),
            numbers=1,
        ),
        Kind.TEXT: ColumnType(
            ("TEXT",),
            "text of any length",
            _QUOTED,
            to_text,
            _characters,
            accepts="a text",
            family=Kind.TEXT,
            json={"type": "string"},
            nearest_to=("CLOB", "JSON", "JSONB", "ASCII"),
        ),
        Kind.BLOB: ColumnType(
            ("BLOB",),
            "bytes",
            "write pairs of hexadecimal digits, such as X'00FF'",
            to_blob,
            _length,
            accepts="bytes",
            family=Kind.BLOB,
            json={
                "type": "object",
                "properties": {"$base64": {"type": "string", "contentEncoding": "base64"}},
                "required": ["$base64"],
            },
            nearest_to=("BYTEA", "VARBINARY", "BINARY"),
        ),
        Kind.TIMESTAMP: ColumnType(
            ("TIMESTAMP",),
            "moments in UTC, to the millisecond",
            "write a text such as '2012-08-27T10:15:00Z'",
            to_timestamp,
            _fixed(8),
            accepts="a moment such as '2026-01-31T12:00:00Z'",
            family=Kind.TIMESTAMP,
            json={"type": "string", "format": "date-time"},
            nearest_to=("DATETIME", "TIMESTAMPTZ"),
        ),
        Kind.DATE: ColumnType(
            ("DATE",),
            "days",
            "write a text such as '2012-08-27'",
            to_date,
            _fixed(4),
            accepts="a day such as '2026-01-31'",
            family=Kind.DATE,
            json={"type": "string", "format": "date"},
        ),
        Kind.TIME: ColumnType(
            ("TIME",),
            "times of day without a zone, to the microsecond",
            "write a text such as '10:15:00'",
            to_time,
            _fixed(8),
            accepts="a time of day such as '12:30:00'",
            family=Kind.TIME,
            json={"type": "string", "format": "time"},
        ),
        Kind.UUID: ColumnType(
            ("UUID",),
            "128-bit identifiers",
            "write a text such as '123e4567-e89b-12d3-a456-426614174000'",
            to_uuid,
            _fixed(16),
            accepts="an id such as '123e4567-e89b-12d3-a456-426614174000'",
            family=Kind.UUID,
            json={"type": "string", "format": "uuid"},
            nearest_to=("GUID",),
        ),
        Kind.TIMEUUID: ColumnType(
            ("TIMEUUID",),
            "UUIDs of version 1, in the order of the times in them; those of one time by their last 8 bytes, "
            "each from -128 to 127, as Cassandra does",
            "write a text such as '123e4567-e89b-12d3-a456-426614174000', whose third part begins with 1",
            to_time_uuid,
            _fixed(16),
            accepts="a UUID of version 1 such as '123e4567-e89b-12d3-a456-426614174000'",
            family=Kind.TIMEUUID,
            json={"type": "string", "format": "uuid"},
        ),
    }
)

KIND_OF_NAME = {name: kind for kind, row in COLUMN_TYPES.items() for name in row.names}
NEAREST_TYPE = {name: kind.value for kind, row in COLUMN_TYPES.items() for name in row.nearest_to}


def json_form(kind: Kind) -> str:
    """Return how the values of a type stand in JSON: the `format` of JSON Schema, or the JSON type without one."""
    schema = COLUMN_TYPES[kind].json
    schema = schema.get("oneOf", [schema])[0]
    return str(schema.get("format", schema["type"]))


def convert(value: object, type: SqlType) -> object:
    """Return the engine's value of `type` for a Python value; raise ValueMismatch if it is none. None stays None.

    A length or precision in the type is checked too; give a type without them to check the kind alone.
    """
    if value is None or type.kind is Kind.NULL:
        return value
    return COLUMN_TYPES[type.kind].convert(value, type)


def range_of(type: SqlType) -> tuple[int, int]:
    """Return the smallest and the largest value of a whole-number type; the range of BIGINT for any other type."""
    row = COLUMN_TYPES.get(type.kind)
    return (row.range if row is not None else None) or BIGINT_RANGE


def has_size(type: SqlType) -> bool:
    """Return whether the type limits the size of its values."""
    return type.kind is Kind.NULL or COLUMN_TYPES[type.kind].bytes(type) is not None


def value_bytes(type: SqlType) -> int:
    """Return the most bytes that a value of the type has; UNSIZED_BYTES where the type has no limit."""
    if type.kind is Kind.NULL:
        return 0
    count = COLUMN_TYPES[type.kind].bytes(type)
    return UNSIZED_BYTES if count is None else count
