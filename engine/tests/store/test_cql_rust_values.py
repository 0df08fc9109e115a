"""The Python values that the Rust driver takes and returns; neither the driver nor a cluster is asked."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from piql.schema.catalog import Kind
from piql.schema.values import in_time_order
from piql.store.cql.rust.values import from_bytes, to_rows, to_values
from piql.store.cql.stored_values import STORED
from piql.store.cql.writes.together import in_list
from piql.store.values import encode_timestamp

MOMENT = datetime(2026, 1, 3, 7, 26, 2, 803000, UTC)
DAY = date(1969, 12, 31)
EVENT = UUID("123e4567-e89b-12d3-a456-426614174000")
ID = UUID("12345678-1234-5678-1234-567812345678")


def described(name: str, **of: Any) -> Any:
    return type(name, (), of)()


def column(name: str) -> Any:
    return SimpleNamespace(cql_type=described(name))


@pytest.mark.parametrize(
    ("kind", "name", "stored", "value"),
    [
        (Kind.TEXT, "CqlText", "grün", "grün"),
        (Kind.INT, "CqlInt", -7, -7),
        (Kind.BIGINT, "CqlBigInt", -(2**63), -(2**63)),
        (Kind.DOUBLE, "CqlDouble", 0.1, 0.1),
        (Kind.BOOLEAN, "CqlBoolean", True, True),
        (Kind.BOOLEAN, "CqlBoolean", False, False),
        (Kind.BLOB, "CqlBlob", b"\x00x", b"\x00x"),
        (Kind.DECIMAL, "CqlDecimal", Decimal("-1460957982319759456.5924397049"), None),
        (Kind.DECIMAL, "CqlDecimal", Decimal("1E+40"), None),
        (Kind.TIMESTAMP, "CqlTimestamp", encode_timestamp(MOMENT), MOMENT),
        (Kind.DATE, "CqlDate", DAY.toordinal(), DAY),
        (Kind.TIME, "CqlTime", 45_000 * 10**9, time(12, 30)),
        (Kind.UUID, "CqlUuid", ID.bytes, ID),
        (Kind.TIMEUUID, "CqlTimeuuid", in_time_order(EVENT.bytes), EVENT),
    ],
)
def test_a_stored_value_goes_to_the_driver_and_comes_back_as_it_was(
    kind: Kind, name: str, stored: Any, value: Any
) -> None:
    given = from_bytes(described(name))(STORED[kind].to_bytes(stored))
    assert given == (stored if value is None else value)
    assert to_rows([column(name)])([{"a": given}, {"a": None}]) == [(stored,), (None,)]


def test_what_is_null_stays_so_and_lists_are_taken_apart() -> None:
    columns = [
        column("CqlInt"),
        SimpleNamespace(cql_type=described("CqlList", column_type=described("CqlText"))),
    ]
    keys = b"\x00\x00\x00\x02\x00\x00\x00\x03ada\x00\x00\x00\x00"
    assert to_values(columns)([None, keys]) == [None, ["ada", ""]]


def test_tuples_in_a_list_are_taken_apart() -> None:
    pair = described("CqlTuple", element_types=[described("CqlText"), described("CqlInt")])
    keys = in_list([[b"ada", b"\x00\x00\x00\x01"], [b"bo", b"\x00\x00\x00\x02"]])
    assert from_bytes(described("CqlList", column_type=pair))(keys) == [("ada", 1), ("bo", 2)]


def test_rows_without_such_values_are_taken_as_they_are() -> None:
    assert to_rows([column("CqlText"), column("CqlInt")])([{"a": "x", "b": 1}]) == [("x", 1)]


def test_keys_of_a_group_are_read_as_the_rows_that_come_back() -> None:
    for kind, name, stored in (
        (Kind.TIMESTAMP, "CqlTimestamp", encode_timestamp(MOMENT)),
        (Kind.DATE, "CqlDate", DAY.toordinal()),
        (Kind.UUID, "CqlUuid", ID.bytes),
        (Kind.TIMEUUID, "CqlTimeuuid", in_time_order(EVENT.bytes)),
    ):
        value = STORED[kind].to_bytes(stored)
        ((read,),) = to_rows([column(name)])([{"a": from_bytes(described(name))(value)}])
        assert STORED[kind].as_read(value) == read
