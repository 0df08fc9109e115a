"""What the oracle asks DuckDB means there what it means in PIQL."""

from __future__ import annotations

import duckdb
import pytest

from .contents import Contents
from .query import Aggregate, And, Call, Col, Compare, Exists, Item, Select, Source
from .reference import Reference
from .schema import Column, Schema, Table
from .values import BIGINT, DOUBLE, INT, Value, ValueType


@pytest.mark.parametrize("alias", ["a", "d"])
def test_an_outer_alias_may_be_called_like_a_column_of_two_inner_tables(alias: str) -> None:
    columns = (Column("a", INT, False), Column("d", INT, False))
    schema = Schema((Table("inside", columns, ("a",)), Table("outside", columns, ("a",))))
    rows = {"inside": [{"a": 1, "d": 5}], "outside": [{"a": 1, "d": 7}, {"a": 2, "d": 7}]}
    joined = Compare("=", Col("f", "a"), Col("g", "a"))
    inner = Select(
        (Item(Col("f", "a"), "a"),),
        (Source("from", "inside", "f"), Source("inner", "inside", "g", joined)),
        And((Compare("=", Col("f", "a"), Col(alias, "a")), Compare("<", Col("g", "d"), Col(alias, "d")))),
    )
    query = Select((Item(Col(alias, "d"), "d"),), (Source("from", "outside", alias),), Exists(inner, False))
    reference = Reference(schema, Contents(schema, rows))
    _, result = reference.rows(query, {})
    reference.close()
    assert result == [(7,)]


def aggregate_of(type: ValueType, function: str, values: list[Value], *, is_distinct: bool = False) -> object:
    schema = Schema((Table("t", (Column("id", INT, False), Column("v", type, True)), ("id",)),))
    rows = {"t": [{"id": number, "v": value} for number, value in enumerate(values)]}
    item = Item(Aggregate(function, Col("t", "v"), is_distinct, type), "of_all")
    reference = Reference(schema, Contents(schema, rows))
    try:
        ((value,),) = reference.rows(Select((item,), (Source("from", "t", "t"),)), {})[1]
        return value
    finally:
        reference.close()


def test_the_sum_of_doubles_is_the_one_next_to_the_exact_sum() -> None:
    values: list[Value] = [1e300, 0.25, None, -1e300]
    assert aggregate_of(DOUBLE, "SUM", values) == 0.25
    assert aggregate_of(DOUBLE, "AVG", values) == 0.25 / 3
    assert aggregate_of(DOUBLE, "SUM", [0.5, 0.5, 2.0], is_distinct=True) == 2.5
    assert aggregate_of(DOUBLE, "SUM", [1.7e308, 1.7e308]) is None
    assert aggregate_of(DOUBLE, "AVG", []) is None


def test_the_sum_of_whole_numbers_is_refused_outside_of_its_type() -> None:
    assert aggregate_of(BIGINT, "SUM", [2**63 - 1, -1, None]) == 2**63 - 2
    with pytest.raises(duckdb.ConversionException):
        aggregate_of(BIGINT, "SUM", [2**63 - 1, 1])


@pytest.mark.parametrize("name", ["ROUND", "FLOOR", "CEIL", "TRUNC"])
def test_a_whole_number_is_rounded_to_itself(name: str) -> None:
    schema = Schema((Table("t", (Column("id", BIGINT, False),), ("id",)),))
    reference = Reference(schema, Contents(schema, {"t": [{"id": 2**63 - 1}]}))
    item = Item(Call(name, (Col("t", "id"),), BIGINT), "rounded")
    rows = reference.rows(Select((item,), (Source("from", "t", "t"),)), {})[1]
    reference.close()
    assert rows == [(2**63 - 1,)]
