"""Which Python values stand for which types."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import convert
from piql.schema.values import ValueMismatch, shown

INT, BIGINT, DOUBLE, TEXT = SqlType(Kind.INT), SqlType(Kind.BIGINT), SqlType(Kind.DOUBLE), SqlType(Kind.TEXT)
BOOLEAN, BLOB, DATE, IDENTITY = SqlType(Kind.BOOLEAN), SqlType(Kind.BLOB), SqlType(Kind.DATE), SqlType(Kind.UUID)
TIMESTAMP, DECIMAL = SqlType(Kind.TIMESTAMP), SqlType(Kind.DECIMAL)
MONEY = SqlType(Kind.DECIMAL, precision=6, scale=2)
SHORT = SqlType(Kind.VARCHAR, length=3)
NOON = datetime(2012, 8, 27, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (2**31 - 1, INT, 2**31 - 1),
        (-(2**31), INT, -(2**31)),
        (2**63 - 1, BIGINT, 2**63 - 1),
        (1, DOUBLE, 1.0),
        (Decimal("1.5"), DOUBLE, 1.5),
        (-0.0, DOUBLE, 0.0),
        (2**53 + 1, DOUBLE, 2.0**53),
        (Decimal("1E-400"), DOUBLE, 0.0),
        ("1.50", DECIMAL, Decimal("1.50")),
        (3, MONEY, Decimal("3.00")),
        ("9999.99", MONEY, Decimal("9999.99")),
        (19.99, MONEY, Decimal("19.99")),
        (True, BOOLEAN, True),
        ("abc", SHORT, "abc"),
        ("😀😀😀", SHORT, "😀😀😀"),
        (bytearray(b"\x00"), BLOB, b"\x00"),
        (NOON, TIMESTAMP, NOON),
        ("2012-08-27T12:00:00Z", TIMESTAMP, NOON),
        ("2012-08-27 12:00", TIMESTAMP, NOON),
        ("2012-08-27T14:00:00+02:00", TIMESTAMP, NOON),
        (NOON.astimezone(timezone(timedelta(hours=5))), TIMESTAMP, NOON),
        (NOON + timedelta(microseconds=1999), TIMESTAMP, NOON + timedelta(milliseconds=1)),
        ("2012-08-27", DATE, date(2012, 8, 27)),
        (date(2012, 8, 27), DATE, date(2012, 8, 27)),
        ("00000000-0000-0000-0000-000000000001", IDENTITY, UUID(int=1)),
        (None, INT, None),
    ],
)
def test_a_value_of_the_type_is_taken(value: object, type: SqlType, expected: object) -> None:
    converted = convert(value, type)
    assert converted == expected
    assert converted.__class__ is expected.__class__


def test_minus_zero_is_zero() -> None:
    assert str(convert(-0.0, DOUBLE)) == "0.0"
    assert str(convert("-0", MONEY)) == "0.00"


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (True, INT),
        (1.0, INT),
        ("1", INT),
        (2**31, INT),
        (2**63, BIGINT),
        (True, DOUBLE),
        (float("nan"), DOUBLE),
        (float("inf"), DOUBLE),
        (10**400, DOUBLE),
        ("1e3x", DECIMAL),
        ("NaN", DECIMAL),
        (True, DECIMAL),
        ("10000", MONEY),
        ("0.001", MONEY),
        ("1e500", DECIMAL),
        (1, BOOLEAN),
        ("TRUE", BOOLEAN),
        ("abcd", SHORT),
        (b"abc", SHORT),
        ("\ud800", TEXT),
        ("text", BLOB),
        (datetime(2012, 8, 27), TIMESTAMP),
        (1346068800, TIMESTAMP),
        ("yesterday", TIMESTAMP),
        ("0001-01-01T00:00:00+14:00", TIMESTAMP),
        (NOON, DATE),
        ("2012-13-01", DATE),
        ("1234", IDENTITY),
        (1, IDENTITY),
    ],
)
def test_another_value_is_refused_in_words(value: object, type: SqlType) -> None:
    with pytest.raises(ValueMismatch) as refusal:
        convert(value, type)
    assert str(type.kind.value) in str(refusal.value) or "UTF" in str(refusal.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "TRUE"),
        ("a", "'a'"),
        ("a" * 50, "'" + "a" * 37 + "…'"),
        (NOON, "'2012-08-27T12:00:00.000Z'"),
        (date(2012, 8, 27), "'2012-08-27'"),
        (b"ab", "a BLOB of 2 bytes"),
        (Decimal("1.50"), "1.50"),
    ],
)
def test_a_value_is_shown_as_piql_writes_it(value: object, text: str) -> None:
    assert shown(value) == text
