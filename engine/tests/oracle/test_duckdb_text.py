"""What the oracle asks DuckDB means there what it means in PIQL."""

from __future__ import annotations

import pytest

from .contents import Contents
from .query import And, Col, Compare, Exists, Item, Select, Source
from .reference import Reference
from .schema import Column, Schema, Table
from .values import INT


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
    _, found = reference.rows(query, {})
    reference.close()
    assert found == [(7,)]
