"""How values are kept in CQL's own types, so that a cluster's order is the order of the values.

INT int          TIMESTAMP  timestamp (ms)        BOOLEAN  boolean     TEXT  text, by UTF-8 bytes
BIGINT bigint    DATE       date                  UUID     uuid        BLOB  blob
DOUBLE double    DECIMAL    decimal, no zeros at its end

In the engine a TIMESTAMP is its milliseconds, a DATE its day number, and a UUID its bytes, as the driver is told to
read them: comparing them costs nothing. CQL sorts a `uuid` by its version first; where a UUID is a clustering column
it is kept as a `blob`, in the order of its bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from struct import Struct
from typing import Any
from uuid import UUID

from piql.schema.catalog import Kind, SqlType
from piql.schema.decimals import WIDE, DoesNotFit, unit
from piql.store.base import Codec
from piql.store.values import decode_date, decode_timestamp, encode_timestamp

ToBytes = Callable[[Any], bytes]

CQL_TYPE = {
    Kind.INT: "int",
    Kind.BIGINT: "bigint",
    Kind.DOUBLE: "double",
    Kind.DECIMAL: "decimal",
    Kind.BOOLEAN: "boolean",
    Kind.VARCHAR: "text",
    Kind.TEXT: "text",
    Kind.BLOB: "blob",
    Kind.TIMESTAMP: "timestamp",
    Kind.DATE: "date",
    Kind.UUID: "uuid",
}

_FIRST_DAY = 2**31 - date(1970, 1, 1).toordinal()  # CQL's day 0 is 1970-01-01, written as 2^31

pack_int = Struct(">i").pack
pack_long = Struct(">q").pack
_pack_double = Struct(">d").pack
_pack_unsigned = Struct(">I").pack
_unpack_unsigned = Struct(">I").unpack
_TRUE, _FALSE = b"\x01", b"\x00"


def _boolean_to_bytes(value: Any) -> bytes:
    return _TRUE if value else _FALSE


def _date_to_bytes(ordinal: int) -> bytes:
    return _pack_unsigned(ordinal + _FIRST_DAY)


def date_from_bytes(stored: bytes) -> int:
    """Give the day number of a CQL date."""
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


TO_BYTES: dict[Kind, ToBytes] = {
    Kind.INT: pack_int,
    Kind.BIGINT: pack_long,
    Kind.DOUBLE: _pack_double,
    Kind.DECIMAL: _decimal_to_bytes,
    Kind.BOOLEAN: _boolean_to_bytes,
    Kind.VARCHAR: str.encode,
    Kind.TEXT: str.encode,
    Kind.BLOB: _itself,
    Kind.TIMESTAMP: pack_long,
    Kind.DATE: _date_to_bytes,
    Kind.UUID: _itself,
}

AS_PYTHON: dict[str, Callable[[Any], Any]] = {
    "timestamp": decode_timestamp,
    "date": decode_date,
    "uuid": lambda stored: UUID(bytes=stored),
}
"""From a stored value to Python's own, by the CQL type of its column, where they differ."""

# What a clustering column holds in place of NULL, beside the flag that says so.
IN_PLACE_OF_NULL: dict[Kind, Any] = {
    Kind.INT: 0,
    Kind.BIGINT: 0,
    Kind.DOUBLE: 0.0,
    Kind.DECIMAL: Decimal(0),
    Kind.BOOLEAN: False,
    Kind.VARCHAR: "",
    Kind.TEXT: "",
    Kind.BLOB: b"",
    Kind.TIMESTAMP: 0,
    Kind.DATE: 1,
    Kind.UUID: bytes(16),
}


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


_CODECS = {
    Kind.TIMESTAMP: Codec(encode_timestamp, decode_timestamp),
    Kind.DATE: Codec(date.toordinal, decode_date),
    Kind.UUID: Codec(lambda value: value.bytes, lambda stored: UUID(bytes=stored)),
    Kind.DECIMAL: Codec(_encode_decimal, _decode_decimal),
}


def codec_of(type: SqlType) -> Codec | None:
    """Give the codec of a type, None where values are stored as they are; DECIMAL(p, s) is shown with s digits."""
    if type.kind is Kind.DECIMAL and type.precision is not None:
        return Codec(_encode_decimal, _decimal_decoder(type.scale or 0))
    return _CODECS.get(type.kind)
