"""The values of the engine: which Python value stands for which type, and what is accepted in its place.

    INT, BIGINT   int            VARCHAR, TEXT  str               DATE   datetime.date
    DOUBLE        float          BLOB           bytes             UUID   uuid.UUID
    DECIMAL       Decimal        TIMESTAMP      datetime, UTC, milliseconds
    BOOLEAN       bool (never an int)           NULL              None, of any type

ISO strings stand for TIMESTAMP, DATE, UUID and DECIMAL.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime
from decimal import Decimal, DecimalException
from uuid import UUID

from piql.schema.catalog import Kind, SqlType
from piql.schema.decimals import MAX_EXPONENT, DoesNotFit, one_zero, with_scale

INT_RANGE = (-(2**31), 2**31 - 1)
BIGINT_RANGE = (-(2**63), 2**63 - 1)
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MOST_DIGITS = 300  # of a DECIMAL whose type names none


FORMS = {
    Kind.INT: f"a whole number from {INT_RANGE[0]} to {INT_RANGE[1]}",
    Kind.BIGINT: f"a whole number from {BIGINT_RANGE[0]} to {BIGINT_RANGE[1]}",
    Kind.DOUBLE: "a number",
    Kind.DECIMAL: "a number, or a text such as '12.50'",
    Kind.BOOLEAN: "TRUE or FALSE",
    Kind.VARCHAR: "a text",
    Kind.TEXT: "a text",
    Kind.BLOB: "bytes",
    Kind.TIMESTAMP: "a moment such as '2026-01-31T12:00:00Z'",
    Kind.DATE: "a day such as '2026-01-31'",
    Kind.UUID: "an id such as '123e4567-e89b-12d3-a456-426614174000'",
}
"""What is accepted as a value of a type, in words for the user."""


class ValueMismatch(ValueError):
    """A value is not of the type asked; the message says so in words for the user.

    `why` says what is the matter where the type and its accepted form do not.
    """

    def __init__(self, message: str, why: str = "") -> None:
        super().__init__(message)
        self.why = why


def convert(value: object, type: SqlType) -> object:
    """Give the engine's value of `type` for a Python value, or raise ValueMismatch; None stays None.

    A length or precision in the type is checked too; leave it out of the type to compare only kinds.
    """
    if value is None:
        return None
    converter = _CONVERTERS.get(type.kind)
    return value if converter is None else converter(value, type)


def shown(value: object) -> str:
    """Give a value as it is written in PIQL, shortened."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + (value if len(value) <= 40 else value[:37] + "…") + "'"
    if isinstance(value, datetime):
        text = value.isoformat(timespec="auto" if value.microsecond % 1000 else "milliseconds")
        return "'" + text.replace("+00:00", "Z") + "'"
    if isinstance(value, date | UUID):
        return f"'{value}'"
    if isinstance(value, bytes):
        return f"a BLOB of {len(value)} bytes"
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "…"


def _refuse(value: object, type: SqlType, why: str = "") -> ValueMismatch:
    article = "an" if type.kind in (Kind.INT,) else "a"
    return ValueMismatch(f"{shown(value)} is not {article} {type}{': ' + why if why else ''}", why)


def _integer(value: object, type: SqlType) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refuse(value, type)
    low, high = INT_RANGE if type.kind is Kind.INT else BIGINT_RANGE
    if not low <= value <= high:
        raise ValueMismatch(f"{shown(value)} is outside the range of {type.kind.value}, {low} to {high}")
    return int(value)


def _double(value: object, type: SqlType) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise _refuse(value, type)
    try:
        number = float(value)
    except (OverflowError, ValueError):
        raise _refuse(value, type, "it is too large") from None
    if not math.isfinite(number):
        raise _refuse(value, type, "it is not finite")
    return number + 0.0  # -0.0 and 0.0 are one value


def _decimal(value: object, type: SqlType) -> Decimal:
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
    return one_zero(number)


def _boolean(value: object, type: SqlType) -> bool:
    if not isinstance(value, bool):
        raise _refuse(value, type)
    return value


def _text(value: object, type: SqlType) -> str:
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


def _blob(value: object, type: SqlType) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise _refuse(value, type)
    return bytes(value)


def _timestamp(value: object, type: SqlType) -> datetime:
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
    try:
        moment = moment.astimezone(UTC)
    except (OverflowError, ValueError):
        raise _refuse(value, type, "it is outside the years 1 to 9999") from None
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _date(value: object, type: SqlType) -> date:
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise _refuse(value, type) from None
    if isinstance(value, datetime) or not isinstance(value, date):
        raise _refuse(value, type)
    return value


def _uuid(value: object, type: SqlType) -> UUID:
    if isinstance(value, UUID):
        return value
    if isinstance(value, str) and value.isascii():
        try:
            return UUID(value)
        except ValueError:
            pass
    raise _refuse(value, type)


_CONVERTERS = {
    Kind.INT: _integer,
    Kind.BIGINT: _integer,
    Kind.DOUBLE: _double,
    Kind.DECIMAL: _decimal,
    Kind.BOOLEAN: _boolean,
    Kind.VARCHAR: _text,
    Kind.TEXT: _text,
    Kind.BLOB: _blob,
    Kind.TIMESTAMP: _timestamp,
    Kind.DATE: _date,
    Kind.UUID: _uuid,
}
