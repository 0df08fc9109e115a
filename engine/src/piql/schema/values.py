"""The values of the engine: which Python type represents which column type, and what is accepted instead.

    INT, BIGINT   int            VARCHAR, TEXT  str               DATE   datetime.date
    DOUBLE        float          BLOB           bytes             UUID   uuid.UUID
    DECIMAL       Decimal        TIMESTAMP      datetime, UTC, milliseconds
    BOOLEAN       bool (never an int)           TIMEUUID          TimeUUID, a UUID in the order of its time
    NULL          None, of any type             TIME              datetime.time without a zone

ISO strings are accepted for TIMESTAMP, DATE, TIME, UUID, TIMEUUID and DECIMAL. The converter of a type is in its row in
`types`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal, DecimalException
from uuid import UUID

from piql.schema.catalog import SqlType
from piql.schema.decimals import MAX_EXPONENT, DoesNotFit, with_scale, without_minus_zero

INT_RANGE = (-(2**31), 2**31 - 1)
BIGINT_RANGE = (-(2**63), 2**63 - 1)
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6}0*)?)?")  # Cassandra writes nine digits
_MOST_DIGITS = 300  # of a DECIMAL without a precision


_FROM_SIGNED = bytes(byte ^ 0x80 for byte in range(256))


def in_time_order(identity: bytes) -> bytes:
    """Return the 16 bytes of a UUID of version 1 turned so that they sort by its time, then by its last 8 bytes.

    The time comes first, from its highest byte on. The last 8 bytes count as signed numbers, as in Cassandra.
    """
    return identity[6:8] + identity[4:6] + identity[:4] + identity[8:].translate(_FROM_SIGNED)


def out_of_time_order(ordered: bytes) -> bytes:
    """Return the bytes of a UUID that were turned by `in_time_order`."""
    return ordered[4:8] + ordered[2:4] + ordered[:2] + ordered[8:].translate(_FROM_SIGNED)


class TimeUUID(UUID):
    """A UUID of version 1. Two of them compare by `in_time_order`."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return in_time_order(self.bytes) < in_time_order(other.bytes) if isinstance(other, TimeUUID) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self == other or self < other

    def __gt__(self, other: object) -> bool:
        return in_time_order(self.bytes) > in_time_order(other.bytes) if isinstance(other, TimeUUID) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self == other or self > other


QUOTED = (date, time, UUID)
"""The Python types of values that PIQL and JSON write as text in quotes: but for a datetime, that is their `str`."""

Converter = Callable[[object, SqlType], object]
"""From a Python value and the type that is declared to the engine's value; raises ValueMismatch. Never given None."""


class ValueMismatch(ValueError):
    """A value is not of the type asked for; the message is meant for the user.

    `why` is the reason, where the type alone does not explain it; else empty.
    """

    def __init__(self, message: str, why: str = "") -> None:
        super().__init__(message)
        self.why = why


def shown(value: object) -> str:
    """Return a value as it is written in PIQL; long texts and numbers are shortened to 40 characters."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + (value if len(value) <= 40 else value[:37] + "…") + "'"
    if isinstance(value, datetime):
        text = value.isoformat(timespec="auto" if value.microsecond % 1000 else "milliseconds")
        return "'" + text.replace("+00:00", "Z") + "'"
    if isinstance(value, QUOTED):
        return f"'{value}'"
    if isinstance(value, bytes):
        return f"a BLOB of {len(value)} bytes"
    if isinstance(value, float) and math.isinf(value):  # what is left of 1e400, which PIQL has no word for
        return "a number above 1.8e308" if value > 0 else "a number below -1.8e308"
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "…"


def _refuse(value: object, type: SqlType, why: str = "") -> ValueMismatch:
    return ValueMismatch(f"{shown(value)} is not {type.with_article}{': ' + why if why else ''}", why)


def to_whole(low: int, high: int) -> Converter:
    """Return the converter of a type of whole numbers from `low` to `high`, both included."""

    def converter(value: object, type: SqlType) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise _refuse(value, type)
        if not low <= value <= high:
            raise ValueMismatch(f"{shown(value)} is outside the range of {type.kind.value}, {low} to {high}")
        return int(value)

    return converter


def to_double(value: object, type: SqlType) -> float:
    """Convert to DOUBLE; raise ValueMismatch for what is no number, or is not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise _refuse(value, type)
    try:
        number = float(value)
    except (OverflowError, ValueError):
        raise _refuse(value, type, "it is too large") from None
    if math.isinf(number):
        raise _refuse(value, type, "it is too large")
    if math.isnan(number):
        raise _refuse(value, type, "it is not finite")
    return number + 0.0  # -0.0 and 0.0 are one value


def to_decimal(value: object, type: SqlType) -> Decimal:
    """Convert to DECIMAL, from texts as well; raise ValueMismatch for too many digits."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise _refuse(value, type)
    if isinstance(value, str) and (len(value) > 1000 or not _DECIMAL.fullmatch(value)):
        raise _refuse(value, type)
    try:
        number = value if isinstance(value, Decimal) else Decimal(str(value))
    except DecimalException:
        raise _refuse(value, type) from None
    if not number.is_finite():
        raise _refuse(value, type, "it is not finite")
    if type.precision is not None:
        scale = type.scale or 0
        if number and number.adjusted() + 1 > type.precision - scale:
            raise _refuse(value, type, f"it has more than {type.precision - scale} digits before the point")
        try:
            number = with_scale(number, scale)
        except DoesNotFit:
            raise _refuse(value, type, f"it has more than {scale} digits after the point") from None
    elif number and (abs(number.adjusted()) > MAX_EXPONENT or len(number.as_tuple().digits) > _MOST_DIGITS):
        raise _refuse(value, type, "it has too many digits")
    return without_minus_zero(number)


def to_boolean(value: object, type: SqlType) -> bool:
    """Return a bool; raise ValueMismatch for anything else."""
    if not isinstance(value, bool):
        raise _refuse(value, type)
    return value


def to_text(value: object, type: SqlType) -> str:
    """Return a str; raise ValueMismatch if it is too long for the type, or has half a surrogate pair."""
    if not isinstance(value, str):
        raise _refuse(value, type)
    if type.length is not None and len(value) > type.length:
        raise ValueMismatch(f"{shown(value)} has {len(value)} characters, {type} holds {type.length}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _refuse(value, type, "it holds half a character") from None
    return value


def to_blob(value: object, type: SqlType) -> bytes:
    """Convert to bytes; raise ValueMismatch for what is not bytes-like."""
    if not isinstance(value, bytes | bytearray | memoryview):
        raise _refuse(value, type)
    return bytes(value)


def to_timestamp(value: object, type: SqlType) -> datetime:
    """Convert to a datetime in UTC, cut to milliseconds; ISO texts without a time zone are in UTC.

    Raise ValueMismatch for a datetime without a time zone.
    """
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise _refuse(value, type) from None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
    elif isinstance(value, datetime):
        moment = value
        if moment.tzinfo is None or moment.utcoffset() is None:
            raise _refuse(value, type, "it has no time zone")
    else:
        raise _refuse(value, type)
    if moment.tzinfo is UTC and moment.microsecond % 1000 == 0:
        return moment
    try:
        moment = moment.astimezone(UTC)
    except (OverflowError, ValueError):
        raise _refuse(value, type, "it is outside the years 1 to 9999") from None
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def to_date(value: object, type: SqlType) -> date:
    """Convert to a date, from ISO texts as well; raise ValueMismatch for a datetime."""
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise _refuse(value, type) from None
    if isinstance(value, datetime) or not isinstance(value, date):
        raise _refuse(value, type)
    return value


def to_time(value: object, type: SqlType) -> time:
    """Convert to a time of day, from texts such as 12:30, 12:30:05 and 12:30:05.5; raise ValueMismatch for a zone."""
    if isinstance(value, str) and _TIME.fullmatch(value):
        try:
            return time.fromisoformat(value)
        except ValueError:
            raise _refuse(value, type) from None
    if not isinstance(value, time):
        raise _refuse(value, type)
    if value.tzinfo is not None:
        raise _refuse(value, type, "it has a time zone")
    return value


def to_uuid(value: object, type: SqlType) -> UUID:
    """Convert to a UUID, from texts as well; raise ValueMismatch for anything else."""
    if isinstance(value, UUID):
        return value
    if isinstance(value, str) and value.isascii():
        try:
            return UUID(value)
        except ValueError:
            pass
    raise _refuse(value, type)


def to_time_uuid(value: object, type: SqlType) -> TimeUUID:
    """Convert to a TimeUUID, from UUIDs and texts; raise ValueMismatch for a UUID that is not of version 1."""
    identity = to_uuid(value, type)
    if identity.bytes[6] >> 4 != 1:
        raise _refuse(value, type, f"it is a UUID of version {identity.bytes[6] >> 4}, which holds no time")
    return TimeUUID(int=identity.int)
