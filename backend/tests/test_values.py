"""Values of rows and parameters ↔ JSON."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from piql.compiler.logical.operators import QueryParameter
from piql.schema.catalog import Kind, RowType, SqlType
from piql.schema.values import TimeUUID
from piql_backend.executions.values import from_json, to_json
from piql_backend.web.errors import ApiError
from pydantic import JsonValue


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
        (datetime(2026, 6, 1, 14, 0, 0, 250_000, tzinfo=timezone(timedelta(hours=2))), "2026-06-01T12:00:00.250Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000Z"),
        (date(2026, 6, 1), "2026-06-01"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (time(9, 30), "09:30:00"),
        (TimeUUID("123e4567-e89b-12d3-a456-426614174000"), "123e4567-e89b-12d3-a456-426614174000"),
        (b"\x00\xff", {"$base64": "AP8="}),
    ],
)
def test_a_value_becomes_json_that_holds_all_of_it(value: object, json: JsonValue) -> None:
    assert to_json(value) == json


def declared(kind: Kind) -> list[QueryParameter]:
    return [QueryParameter(name="p", type=SqlType(kind))]


@pytest.mark.parametrize(
    ("kind", "json", "value"),
    [
        (Kind.BLOB, {"$base64": "AP8="}, b"\x00\xff"),
        (Kind.BIGINT, "9007199254740993", 2**53 + 1),
        (Kind.BIGINT, ["-1", 2], [-1, 2]),
        (Kind.BIGINT, "1e3", "1e3"),
        (Kind.VARCHAR, "12", "12"),
        (Kind.BLOB, {"$base64": "AP8=", "more": 1}, {"$base64": "AP8=", "more": 1}),
    ],
)
def test_a_parameter_becomes_what_the_engine_takes(kind: Kind, json: JsonValue, value: object) -> None:
    assert from_json({"p": json}, declared(kind)) == {"p": value}


def test_the_rows_of_a_list_become_what_the_engine_takes() -> None:
    row = RowType((("big", SqlType(Kind.BIGINT)), ("raw", SqlType(Kind.BLOB))))
    rows: JsonValue = [{"big": "9007199254740993", "raw": None}, ["7", {"$base64": "AP8="}], ["7"], "no row"]
    values = [{"big": 2**53 + 1, "raw": None}, [7, b"\x00\xff"], ["7"], "no row"]
    assert from_json({"p": rows}, [QueryParameter(name="p", type=row, max_items=3)]) == {"p": values}


def test_damaged_base64_is_refused() -> None:
    with pytest.raises(ApiError) as refused:
        from_json({"p": {"$base64": "A"}}, declared(Kind.BLOB))
    assert refused.value.code == "invalid-parameter"
