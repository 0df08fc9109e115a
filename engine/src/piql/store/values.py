"""How the embedded store keeps values in SQLite's own types, so that SQLite's order is the order of the values.

INT, BIGINT  INTEGER             TIMESTAMP  INTEGER, ms since 1970    UUID     BLOB of 16 bytes
DOUBLE       REAL                DATE       INTEGER, day number       DECIMAL  BLOB: sign, exponent, digits
VARCHAR      TEXT, by bytes      BOOLEAN    INTEGER 0, 1              BLOB     BLOB
TIMEUUID     BLOB of 16 bytes, turned so that they sort by the time     TIME     INTEGER, ns since midnight
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from piql.errors import NumberOutOfRange
from piql.schema.catalog import Kind, SqlType
from piql.schema.decimals import WIDE, unit
from piql.schema.types import for_each_kind
from piql.schema.values import TimeUUID, in_time_order, out_of_time_order
from piql.store.rows import Codec

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_EXPONENT_BIAS = 0x8000  # makes an exponent an unsigned number of two bytes
_NEGATIVE, _ZERO, _POSITIVE = b"\x00", b"\x01", b"\x02"
_FLIPPED = bytes(255 - byte for byte in range(256))  # for bytes.translate: turns every bit


def encode_timestamp(value: datetime) -> int:
    """Return the milliseconds since 1970."""
    return (value - _EPOCH) // _MILLISECOND


def decode_timestamp(milliseconds: int, _epoch: datetime = _EPOCH, _step: timedelta = _MILLISECOND) -> datetime:
    """Return a moment in UTC; raise NumberOutOfRange outside of the years 1 to 9999."""
    try:
        return _epoch + milliseconds * _step
    except OverflowError:
        raise _no_day("TIMESTAMP") from None


def decode_date(day: int) -> date:
    """Return the date with a day number; raise NumberOutOfRange outside of the years 1 to 9999."""
    try:
        return date.fromordinal(day)
    except (ValueError, OverflowError):
        raise _no_day("DATE") from None


def _no_day(kind: str) -> NumberOutOfRange:
    return NumberOutOfRange(f"a {kind} that another program stored is not within the years 1 to 9999")


def encode_decimal(value: Decimal) -> bytes:
    """Return bytes whose order is that of the numbers.

    12.5   02 8001 "125"          sign, exponent of the first digit, then the digits without trailing zeros
    0      01
    -12.5  00 7FFE CE CD CA FF    the same with every bit turned; the FF at the end sorts -1.2 after -1.25
    """
    if not value:
        return _ZERO
    sign, digits, _ = value.as_tuple()
    body = (value.adjusted() + _EXPONENT_BIAS).to_bytes(2, "big") + bytes(48 + digit for digit in digits).rstrip(b"0")
    return _NEGATIVE + body.translate(_FLIPPED) + b"\xff" if sign else _POSITIVE + body


def decode_decimal(stored: bytes) -> Decimal:
    """Return the number of `encode_decimal`, without trailing zeros behind the point."""
    if stored == _ZERO:
        return Decimal(0)
    is_negative = stored[:1] == _NEGATIVE
    body = stored[1:-1].translate(_FLIPPED) if is_negative else stored[1:]
    adjusted = int.from_bytes(body[:2], "big") - _EXPONENT_BIAS
    digits = tuple(byte - 48 for byte in body[2:])
    exponent = adjusted - len(digits) + 1
    if exponent > 0 and adjusted < 40:  # 1E+2 reads better as 100
        digits += (0,) * exponent
        exponent = 0
    return Decimal((int(is_negative), digits, exponent))


def _decimal_decoder(scale: int) -> Callable[[bytes], Decimal]:
    """Return the decoder of a DECIMAL(p, scale): all numbers have `scale` digits behind the point."""
    shape = unit(scale)
    return lambda stored: WIDE.quantize(decode_decimal(stored), shape)


def encode_time(value: time) -> int:
    """Return the nanoseconds since midnight."""
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 10**9 + value.microsecond * 1000


def decode_time(nanoseconds: int) -> time:
    """Return the time of day, cut to microseconds; raise NumberOutOfRange for one that is not within a day."""
    seconds, rest = divmod(nanoseconds, 10**9)
    try:
        return time(seconds // 3600, seconds // 60 % 60, seconds % 60, rest // 1000)
    except ValueError:
        raise NumberOutOfRange("a TIME that another program stored is not within a day") from None


TIMES = Codec(encode_time, decode_time)
TIME_UUIDS = Codec(lambda value: in_time_order(value.bytes), lambda stored: TimeUUID(bytes=out_of_time_order(stored)))


class Stored(NamedTuple):
    """How SQLite stores the values of a type: its column type, and a codec where they are stored in another form."""

    affinity: str
    codec: Codec | None = None


STORED = for_each_kind(
    {
        Kind.INT: Stored("INTEGER"),
        Kind.BIGINT: Stored("INTEGER"),
        Kind.DOUBLE: Stored("REAL"),
        Kind.DECIMAL: Stored("BLOB", Codec(encode_decimal, decode_decimal)),
        Kind.BOOLEAN: Stored("INTEGER", Codec(int, bool)),
        Kind.VARCHAR: Stored("TEXT"),
        Kind.TEXT: Stored("TEXT"),
        Kind.BLOB: Stored("BLOB"),
        Kind.TIMESTAMP: Stored("INTEGER", Codec(encode_timestamp, decode_timestamp)),
        Kind.DATE: Stored("INTEGER", Codec(date.toordinal, decode_date)),
        Kind.TIME: Stored("INTEGER", TIMES),
        Kind.UUID: Stored("BLOB", Codec(lambda value: value.bytes, lambda stored: UUID(bytes=stored))),
        Kind.TIMEUUID: Stored("BLOB", TIME_UUIDS),
    }
)


def codec_of(type: SqlType) -> Codec | None:
    """Return the codec of a type, None where values are stored as they are; DECIMAL(p, s) is shown with s digits."""
    if type.kind is Kind.DECIMAL and type.precision is not None:
        return Codec(encode_decimal, _decimal_decoder(type.scale or 0))
    return None if type.kind is Kind.NULL else STORED[type.kind].codec
