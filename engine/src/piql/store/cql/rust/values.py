"""Converts CQL's bytes into the Python values that the Rust driver takes, and the values that it returns into rows.

    parameters   bytes ── to_values ──▶ Python values ──▶ the driver
    answers      the driver ──▶ a dict a row ── to_rows, row_source, to_keys ──▶ rows of stored values

The conversions of rows are generated source: in it `v0`, `v1`, … are the values of a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from struct import Struct
from typing import Any, NamedTuple
from uuid import UUID

from piql.store.cql.reads.shown import Shown
from piql.store.cql.stored_values import CODECS, STORED, Stored
from piql.store.rows import Row

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_unpack_int = Struct(">i").unpack_from
_unpack_long = Struct(">q").unpack
_unpack_double = Struct(">d").unpack


def _decimal(value: bytes) -> Decimal:
    (scale,) = _unpack_int(value)
    return Decimal(f"{int.from_bytes(value[4:], 'big', signed=True)}E{-scale}")


def _itself(value: bytes) -> bytes:
    return value


def _decoder(row: Stored) -> Callable[[bytes], Any]:
    """Return the function from the bytes of a type to the driver's value, through the value that is stored."""
    as_read, codec = row.as_read, row.codec
    assert as_read is not None
    assert codec is not None
    return lambda value: codec.decode(as_read(value))


_FROM_BYTES: dict[str, Callable[[bytes], Any]] = {
    "CqlText": bytes.decode,
    "CqlAscii": bytes.decode,
    "CqlInt": lambda value: _unpack_int(value)[0],
    "CqlTinyInt": lambda value: int.from_bytes(value, "big", signed=True),
    "CqlBigInt": lambda value: _unpack_long(value)[0],
    "CqlDouble": lambda value: _unpack_double(value)[0],
    "CqlBoolean": lambda value: value != b"\x00",
    **{f"Cql{row.cql.capitalize()}": _decoder(row) for row in STORED.values() if row.cql in CODECS},
    "CqlUuid": lambda value: UUID(bytes=value),
    "CqlTimeuuid": lambda value: UUID(bytes=value),
    "CqlBlob": _itself,
    "CqlDecimal": _decimal,
}

SELECTED_AS = {"timestamp": "toUnixTimestamp({})", "uuid": "uuidAsBlob({})"}
"""The functions by which reads select columns of these types, so that the driver makes no Python object of a value."""

# For types whose stored value is not the driver's: its source, with {0} for the driver's value. The types of most
# columns have inline sources, the others call the codec's `encode`, which ROW_NAMES has by the CQL type.
_AS_STORED = {f"Cql{cql.capitalize()}": f"encode_{cql}({{0}})" for cql in CODECS} | {
    "CqlTimestamp": "(d := {0} - EPOCH).days * 86_400_000 + d.seconds * 1_000 + d.microseconds // 1_000",
    "CqlDate": "{0}.toordinal()",
    "CqlUuid": "{0}.bytes",
}


def from_bytes(described: Any) -> Callable[[Any], Any]:
    """Return the function from bytes to the driver's value, for the driver's description of a type.

    The type may be a list or a tuple. A list may have been converted already: then it is returned as it is.
    """
    name = type(described).__name__
    if name == "CqlList":
        element = from_bytes(described.column_type)
        return lambda value: value if isinstance(value, list) else _listed(value, element)
    if name == "CqlTuple":
        parts = [from_bytes(element_type) for element_type in described.element_types]
        return lambda value: tuple([part(piece) for part, piece in zip(parts, _pieces(value, len(parts)), strict=True)])
    return _FROM_BYTES[name]


def _listed(value: bytes, element: Callable[[bytes], Any]) -> list[Any]:
    """Return the values of a list: their count, then each behind its length."""
    (count,) = _unpack_int(value)
    return [element(piece) for piece in _pieces(value, count, 4)]


def _pieces(value: bytes, count: int, at: int = 0) -> Iterator[bytes]:
    """Yield `count` pieces of bytes, each of which stands behind its length."""
    for _ in range(count):
        (length,) = _unpack_int(value, at)
        yield value[at + 4 : at + 4 + length]
        at += 4 + length


def to_values(columns: Sequence[Any]) -> Callable[[Sequence[bytes | None]], list[Any]]:
    """Return the function from the bytes of all parameters to their values; `columns` as the driver describes them."""
    names = {f"c{at}": from_bytes(column.cql_type) for at, column in enumerate(columns)}
    parts = [f"None if v[{at}] is None else c{at}(v[{at}])" for at in range(len(columns))]
    function: Callable[[Sequence[bytes | None]], list[Any]] = eval(f"lambda v: [{', '.join(parts)}]", names)
    return function


def to_rows(columns: Sequence[Any]) -> Callable[[Any], list[Row]]:
    """Return the function from the driver's rows, a dict each, to rows of stored values."""
    if not _changes(columns):
        return lambda page: [tuple(row.values()) for row in page]
    row = "".join([f"r[{at}], " for at in range(len(columns))])
    function: Callable[[Any], list[Row]] = eval(f"lambda page: [({_stored(row, columns)}) {_loop(columns)}]", ROW_NAMES)
    return function


class RowSource(NamedTuple):
    """Sources about one row of the driver.

    values    the names that its values are assigned to: `v0, v1, `
    row       the row that the read returns
    shown     the condition under which it does; empty for always
    """

    values: str
    row: str
    shown: str


def row_source(columns: Sequence[Any], shown: Shown) -> RowSource:
    """Return the sources of a row that a read shows; they use ROW_NAMES."""
    row = shown.row if shown.is_changed else "".join([f"r[{at}], " for at in range(shown.width)]).join("()")
    values = "".join([f"v{at}, " for at in range(len(columns))])
    return RowSource(values, _stored(row, columns), _stored(shown.condition, columns))


def key_source(columns: Sequence[Any], at: int) -> str:
    """Return the source of the stored value of a row's column number `at`."""
    return _stored(f"r[{at}]", columns)


def to_keys(columns: Sequence[Any], shown: Shown, at: int) -> Callable[[Any, dict[Any, list[Row]]], int]:
    """Return the function that adds the rows that a read returns to a dict, by their keys, and returns their number.

    The key is the row's column number `at`.
    """
    row = shown.row if shown.is_changed else f"({''.join([f'r[{position}], ' for position in range(shown.width)])})"
    key = _stored(f"r[{at}]", columns)
    source = f"lambda page, rows_by_key: len([rows_by_key[{key}].append({_stored(row, columns)})"
    function: Callable[[Any, dict[Any, list[Row]]], int] = eval(
        f"{source} {_loop(columns)}{_stored(shown.hidden, columns)}])", ROW_NAMES
    )
    return function


def _changes(columns: Sequence[Any]) -> dict[int, str]:
    """Return the sources of _AS_STORED for those columns that need one, by position."""
    names = [type(column.cql_type).__name__ for column in columns]
    return {at: _AS_STORED[name] for at, name in enumerate(names) if name in _AS_STORED}


def _loop(columns: Sequence[Any]) -> str:
    """Return the source of the loop over the driver's rows, which assigns their values to v0, v1, …"""
    return f"for {''.join([f'v{at}, ' for at in range(len(columns))])}in map(values, page)"


def _stored(source: str, columns: Sequence[Any]) -> str:
    """Return a source over a row `r` of stored values, rewritten for the values of a driver's row."""
    changes = _changes(columns)

    def value(match: re.Match[str]) -> str:
        at = int(match[1])
        name = f"v{at}"
        return f"(None if {name} is None else {changes[at].format(name)})" if at in changes else name

    return re.sub(r"r\[(\d+)\]", value, source)


# What the generated sources refer to.
ROW_NAMES = {
    "values": dict.values,
    "EPOCH": _EPOCH,
    **{f"encode_{cql}": codec.encode for cql, codec in CODECS.items()},
}
