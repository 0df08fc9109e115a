"""Which Python values stand for which types."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import convert
from piql.schema.values import TimeUUID, ValueMismatch, in_time_order, out_of_time_order, shown

INT, BIGINT, DOUBLE, TEXT = SqlType(Kind.INT), SqlType(Kind.BIGINT), SqlType(Kind.DOUBLE), SqlType(Kind.TEXT)
BOOLEAN, BLOB, DATE, IDENTITY = SqlType(Kind.BOOLEAN), SqlType(Kind.BLOB), SqlType(Kind.DATE), SqlType(Kind.UUID)
TIMESTAMP, DECIMAL = SqlType(Kind.TIMESTAMP), SqlType(Kind.DECIMAL)
MONEY = SqlType(Kind.DECIMAL, precision=6, scale=2)
EVENT, OPENS = SqlType(Kind.TIMEUUID), SqlType(Kind.TIME)
EARLY = UUID("ffffffff-0000-1000-8000-000000000000")  # its time is before that of the next
LATE = UUID("00000000-0001-1000-8000-000000000000")
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
        (EARLY, EVENT, TimeUUID(int=EARLY.int)),
        (str(EARLY), EVENT, TimeUUID(int=EARLY.int)),
        ("09:30", OPENS, time(9, 30)),
        ("09:30:05.250000000", OPENS, time(9, 30, 5, 250_000)),
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
        ("24:00", OPENS),
        ("9:30", OPENS),
        ("12:30:00.1234567", OPENS),
        ("12:30:00Z", OPENS),
        (time(12, 30, tzinfo=UTC), OPENS),
        (NOON, OPENS),
        ("1234", IDENTITY),
        (1, IDENTITY),
        ("1234", EVENT),
        (UUID("123e4567-e89b-42d3-a456-426614174000"), EVENT),
        (UUID(int=0), EVENT),
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
        (time(9, 30), "'09:30:00'"),
        (b"ab", "a BLOB of 2 bytes"),
        (Decimal("1.50"), "1.50"),
    ],
)
def test_a_value_is_shown_as_piql_writes_it(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_uuid_that_holds_no_time_is_refused_with_its_version() -> None:
    with pytest.raises(ValueMismatch, match="is not a TIMEUUID: it is a UUID of version 4, which holds no time"):
        convert("123e4567-e89b-42d3-a456-426614174000", EVENT)


def test_ids_with_a_time_sort_by_it_and_then_by_their_last_bytes_as_signed_numbers() -> None:
    at_one_time = [UUID(fields=(7, 0, 0x1000, 0x80, 0, last)) for last in (0x80, 0xFF, 0, 0x7F)]
    sorted_ids = [convert(identity, EVENT) for identity in (*at_one_time, EARLY, LATE)]
    shuffled = sorted_ids[::-1]
    assert sorted(shuffled) == sorted_ids
    assert sorted(sorted_ids, key=lambda identity: in_time_order(identity.bytes)) == sorted_ids
    for smaller, larger in pairwise(sorted_ids):
        assert smaller < larger > smaller <= larger >= smaller
        assert not any((smaller > larger, smaller >= larger, larger < smaller, larger <= smaller))


@given(st.binary(min_size=16, max_size=16))
def test_bytes_turned_into_the_order_of_time_turn_back(identity: bytes) -> None:
    assert out_of_time_order(in_time_order(identity)) == identity


def test_an_id_with_a_time_is_a_uuid_like_any_other() -> None:
    identity = convert(EARLY, EVENT)
    assert identity == EARLY
    assert {identity: 1}[EARLY] == 1
    assert pickle.loads(pickle.dumps(identity)) == identity
    assert shown(identity) == f"'{EARLY}'"
