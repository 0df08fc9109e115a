"""The JSON parameters of a request become values of the engine."""

from __future__ import annotations

import pytest
from piql.compiler.logical.operators import QueryParameter
from piql.schema.catalog import Kind, RowType, SqlType
from piql_backend.executions.values import from_json
from piql_backend.web.errors import ApiError
from pydantic import JsonValue


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
