"""How values are kept in CQL's own types, so that a cluster's order is the order of the values.

INT int          TIMESTAMP  timestamp (ms)        BOOLEAN  boolean     TEXT  text, by UTF-8 bytes
BIGINT bigint    DATE       date                  UUID     uuid        BLOB  blob
DOUBLE double    DECIMAL    decimal, no 0s at end TIMEUUID timeuuid    TIME  time (ns)

The stored value of a TIMESTAMP is its milliseconds, of a TIME its nanoseconds, of a DATE its day number, of a UUID its
bytes, and of a TIMEUUID its bytes in the order of its time. The drivers are told to read columns so, and comparing such
values is cheap. CQL sorts a `uuid` by its version first, so a UUID that is a clustering column is stored as a `blob`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from struct import Struct
from typing import Any, NamedTuple
from uuid import UUID

from piql.schema.catalog import Kind, SqlType
from piql.schema.decimals import WIDE, DoesNotFit, unit
from piql.schema.types import for_each_kind
from piql.schema.values import in_time_order, out_of_time_order
from piql.store.rows import Codec
from piql.store.values import TIME_UUIDS, TIMES, decode_date, decode_timestamp, encode_timestamp

ToBytes = Callable[[Any], bytes]
"""From a stored value that is not NULL to the bytes of CQL's protocol."""

_FIRST_DAY = 2**31 - date(1970, 1, 1).toordinal()  # CQL's day 0 is 1970-01-01, written as 2^31

pack_int = Struct(">i").pack
pack_long = Struct(">q").pack
_pack_double = Struct(">d").pack
_pack_unsigned = Struct(">I").pack
_unpack_unsigned = Struct(">I").unpack
_unpack_int = Struct(">i").unpack
_unpack_long = Struct(">q").unpack
_TRUE, _FALSE = b"\x01", b"\x00"


def _boolean_to_bytes(value: Any) -> bytes:
    return _TRUE if value else _FALSE


def _date_to_bytes(ordinal: int) -> bytes:
    return _pack_unsigned(ordinal + _FIRST_DAY)


def date_from_bytes(stored: bytes) -> int:
    """Return the day number of a CQL date."""
    return int(_unpack_unsigned(stored)[0]) - _FIRST_DAY


def _decimal_to_bytes(value: Decimal) -> bytes:
    """Return CQL's form: the scale as an int, then the digits as a signed whole number in as few bytes as possible."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    unscaled = int("".join(map(str, digits)) or "0")
    if sign:
        unscaled = -unscaled
    length = (unscaled + (unscaled < 0)).bit_length() // 8 + 1
    return pack_int(-exponent) + unscaled.to_bytes(length, "big", signed=True)


def _itself(value: bytes) -> bytes:
    return value


def _encode_decimal(value: Decimal) -> Decimal:
    """Return a number without zeros at its end, so that equal numbers are one key."""
    return WIDE.normalize(value) if value else Decimal(0)


def _decode_decimal(stored: Decimal) -> Decimal:
    """Return a number as it is shown."""
    exponent = stored.as_tuple().exponent
    if isinstance(exponent, int) and exponent > 0 and stored.adjusted() < 40:  # 1E+2 reads better as 100
        return WIDE.quantize(stored, unit(0))
    return stored


def _decimal_decoder(scale: int) -> Callable[[Decimal], Decimal]:
    """Return the decoder of a DECIMAL(p, scale): numbers are shown with `scale` digits behind the point."""
    shape = unit(scale)

    def decode(stored: Decimal) -> Decimal:
        try:
            return WIDE.quantize(stored, shape)
        except DoesNotFit:  # another program stored more digits: they are shown as they are
            return stored

    return decode


class Stored(NamedTuple):
    """How CQL stores the values of a type.

    cql                  the type of a column
    to_bytes             from a stored value to its bytes
    stand_in_for_null    what a clustering column holds for NULL, beside the flag that says so
    as_read              from a value's bytes to the stored value; None where equal values have several forms
    codec                between values and stored values, where they differ
    key_cql              the type of a clustering column, where CQL's order of `cql` is not that of the values
    is_python            whether drivers take and return the stored value; otherwise there are `codec` and `as_read`
    also                 further types of CQL whose values this type can hold
    """

    cql: str
    to_bytes: ToBytes
    stand_in_for_null: Any
    as_read: Callable[[bytes], Any] | None = None
    codec: Codec | None = None
    key_cql: str | None = None
    is_python: bool = True
    also: tuple[str, ...] = ()


STORED = for_each_kind(
    {
        Kind.INT: Stored("int", pack_int, 0, lambda value: _unpack_int(value)[0], also=("smallint", "tinyint")),
        Kind.BIGINT: Stored("bigint", pack_long, 0, lambda value: _unpack_long(value)[0]),
        Kind.DOUBLE: Stored("double", _pack_double, 0.0, also=("float",)),
        Kind.DECIMAL: Stored(
            "decimal",
            _decimal_to_bytes,
            Decimal(0),
            codec=Codec(_encode_decimal, _decode_decimal),
            also=("varint",),
        ),
        Kind.BOOLEAN: Stored("boolean", _boolean_to_bytes, False),
        Kind.VARCHAR: Stored("text", str.encode, "", bytes.decode),
        Kind.TEXT: Stored("text", str.encode, "", bytes.decode, also=("ascii", "varchar")),
        Kind.BLOB: Stored("blob", _itself, b"", _itself),
        Kind.TIMESTAMP: Stored(
            "timestamp",
            pack_long,
            0,
            lambda value: _unpack_long(value)[0],
            Codec(encode_timestamp, decode_timestamp),
            is_python=False,
        ),
        Kind.DATE: Stored(
            "date", _date_to_bytes, 1, date_from_bytes, Codec(date.toordinal, decode_date), is_python=False
        ),
        Kind.TIME: Stored("time", pack_long, 0, lambda value: _unpack_long(value)[0], TIMES, is_python=False),
        Kind.UUID: Stored(
            "uuid",
            _itself,
            bytes(16),
            _itself,
            Codec(lambda value: value.bytes, lambda stored: UUID(bytes=stored)),
            key_cql="blob",
            is_python=False,
        ),
        Kind.TIMEUUID: Stored(
            "timeuuid",
            out_of_time_order,
            b"\x10" + bytes(15),
            in_time_order,
            TIME_UUIDS,
            is_python=False,
        ),
    }
)

CODECS = {row.cql: row.codec for row in STORED.values() if row.codec is not None and not row.is_python}
"""By the CQL type of a column: the codec between the Python values of drivers and stored values, where they differ."""


def codec_of(type: SqlType) -> Codec | None:
    """Return the codec of a type, None where values are stored as they are; DECIMAL(p, s) is shown with s digits."""
    if type.kind is Kind.DECIMAL and type.precision is not None:
        return Codec(_encode_decimal, _decimal_decoder(type.scale or 0))
    return None if type.kind is Kind.NULL else STORED[type.kind].codec
