"""How values are kept in CQL's own types, so that a cluster's order is the order of the values.

INT int          TIMESTAMP  timestamp (ms)        BOOLEAN  boolean     TEXT  text, by UTF-8 bytes
BIGINT bigint    DATE       date                  UUID     uuid        BLOB  blob
DOUBLE double    DECIMAL    decimal, no 0s at end TIMEUUID timeuuid

In the engine a TIMESTAMP is its milliseconds, a DATE its day number, a UUID its bytes, and a TIMEUUID its bytes in the
order of its time, as the driver is told to read them: comparing them costs nothing. CQL sorts a `uuid` by its version
first; where a UUID is a clustering column it is kept as a `blob`, in the order of its bytes.
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
from piql.store.base import Codec
from piql.store.values import TIME_UUIDS, decode_date, decode_timestamp, encode_timestamp

ToBytes = Callable[[Any], bytes]

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
    """Equal numbers are one key, so zeros at the end go."""
    return WIDE.normalize(value) if value else Decimal(0)


def _decode_decimal(stored: Decimal) -> Decimal:
    exponent = stored.as_tuple().exponent
    if isinstance(exponent, int) and exponent > 0 and stored.adjusted() < 40:  # 1E+2 reads better as 100
        return WIDE.quantize(stored, unit(0))
    return stored


def _decimal_decoder(scale: int) -> Callable[[Decimal], Decimal]:
    shape = unit(scale)

    def decode(stored: Decimal) -> Decimal:
        try:
            return WIDE.quantize(stored, shape)
        except DoesNotFit:  # another program stored more digits: they are given as they are
            return stored

    return decode


class Stored(NamedTuple):
    """How CQL keeps the values of a type.

    `in_place_of_null` is what a clustering column holds for NULL, beside the flag that says so. `as_read` makes of a
    value's bytes what the driver reads; None where equal values have several forms. `key_cql` is the type of a key
    column, where CQL's order of `cql` is not that of the values. `is_python` is False where drivers take and give
    another Python object than the stored value; then there are `codec` and `as_read`. `also` are further types of CQL
    whose values this type holds.
    """

    cql: str
    to_bytes: ToBytes
    in_place_of_null: Any
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
"""Between stored values and the Python values of drivers, by the CQL type of a column, where the two differ."""


def codec_of(type: SqlType) -> Codec | None:
    """Return the codec of a type, None where values are stored as they are; DECIMAL(p, s) is shown with s digits."""
    if type.kind is Kind.DECIMAL and type.precision is not None:
        return Codec(_encode_decimal, _decimal_decoder(type.scale or 0))
    return None if type.kind is Kind.NULL else STORED[type.kind].codec
