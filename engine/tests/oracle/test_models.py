"""The oracle's own models: what it writes is text, and which stored row a key names is known exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

from .contents import Contents
from .expected_writes import ExpectedWrites
from .query import Select
from .schema import Column, Schema, Table
from .shrink import smaller
from .values import ValueType
from .world import random_world

GROUPS_OF_A_WHOLE_TABLE = 1_000_111
"""The seed of a world that groups a table by none of its columns."""


def selects_in(node: Any) -> Iterator[Select]:
    if isinstance(node, Select):
        yield node
    if isinstance(node, tuple):
        for item in node:
            yield from selects_in(item)
    elif is_dataclass(node):
        for field in fields(node):
            yield from selects_in(getattr(node, field.name))


def test_every_select_gives_columns_also_when_it_is_shrunk() -> None:
    reads = [case.query for seed in (0, GROUPS_OF_A_WHOLE_TABLE) for case in random_world(seed).reads]
    assert all(select.items for query in reads for select in selects_in(query))
    assert all(select.items for query in reads for less in smaller(query) for select in selects_in(less))


def test_keys_that_differ_in_their_last_digit_name_different_rows() -> None:
    high, low = Decimal("9999999999999999999999999999.0000000005"), Decimal("9999999999999999999999999999.0000000000")
    table = Table("t", (Column("key", ValueType("DECIMAL", 38, 10), False),), ("key",))
    schema = Schema((table,))
    contents = Contents(schema, {"t": [{"key": high}, {"key": low}]})
    expected = ExpectedWrites(schema, contents)
    assert [expected.row_with(table, {"key": key}) for key in (high, low)] == [{"key": high}, {"key": low}]
