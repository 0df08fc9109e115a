"""Values as JSON that holds all of them, and back."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from piql.schema.json_values import Json, UnreadableJson, read_bigint, read_bytes, read_decimal, to_json
from piql.schema.values import TimeUUID


@pytest.mark.parametrize(
    ("value", "json"),
    [
        (None, None),
        (True, True),
        ("é😀", "é😀"),
        (2**53, 2**53),
        (2**53 + 1, "9007199254740993"),
        (-(2**63), "-9223372036854775808"),
        (1.5, 1.5),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (float("nan"), "NaN"),
        (Decimal("12.30"), "12.30"),
        (Decimal("1234567890123456789012345678901234567.8"), "1234567890123456789012345678901234567.8"),
        (Decimal("0E-10"), "0.0000000000"),  # as DECIMAL (38, 10) holds 0
        (Decimal("1E+3"), "1000"),
        (datetime(2026, 6, 1, 14, 0, 0, 250_000, tzinfo=timezone(timedelta(hours=2))), "2026-06-01T12:00:00.250Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000Z"),
        (date(2026, 6, 1), "2026-06-01"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (time(9, 30), "09:30:00"),
        (TimeUUID("123e4567-e89b-12d3-a456-426614174000"), "123e4567-e89b-12d3-a456-426614174000"),
        (b"\x00\xff", {"$base64": "AP8="}),
        ([1, (b"", None)], [1, [{"$base64": ""}, None]]),
    ],
)
def test_a_value_becomes_json_that_holds_all_of_it(value: object, json: Json) -> None:
    assert to_json(value) == json


def test_what_is_no_value_of_the_engine_has_no_json() -> None:
    with pytest.raises(TypeError, match="no JSON for object"):
        to_json(object())


@pytest.mark.parametrize("value", [-(2**63), 2**53 + 1, 7])
def test_an_integer_comes_back_as_it_was(value: int) -> None:
    assert read_bigint(to_json(value)) == value


@pytest.mark.parametrize("value", [b"", b"\x00\xff"])
def test_bytes_come_back_as_they_were(value: bytes) -> None:
    assert read_bytes(to_json(value)) == value


@pytest.mark.parametrize("text", ["1e3", "", "-", "+1", "9" * 20, "\u0661"])
def test_a_text_that_is_no_integer_is_left_to_the_engine(text: str) -> None:
    assert read_bigint(text) == text


@pytest.mark.parametrize("number", [12345678901234567.89, 0.1 + 0.2, float("inf")])
def test_a_number_that_may_have_been_rounded_is_no_decimal(number: float) -> None:
    with pytest.raises(UnreadableJson, match="too many digits"):
        read_decimal(number)
