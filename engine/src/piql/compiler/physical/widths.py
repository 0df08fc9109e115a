"""How many bytes the columns of a row can have: proven by their types, or assumed where a type says no length."""

from __future__ import annotations

from collections.abc import Iterable

from piql.schema.catalog import Table
from piql.schema.types import value_bytes

WIDE_ROW_BYTES = 4_096  # beyond, an index holds keys only rather than a copy of the columns


def columns_bytes(table: Table, names: Iterable[str]) -> int:
    """Return the bytes that columns of one row have at most, with `UNSIZED_BYTES` for a type without a length."""
    return sum(value_bytes(column.type) for name in names if (column := table.column(name)) is not None)
