"""How many bytes the columns of a row can have: proven by their types, or assumed where a type says no length."""

from __future__ import annotations

from collections.abc import Iterable

from piql.compiler.optimizer.analysis.effort import UNSIZED_BYTES
from piql.schema.catalog import SqlType, Table
from piql.schema.types import has_size, value_bytes


def columns_bytes(table: Table, names: Iterable[str]) -> int:
    """Return the bytes that columns of one row have at most, with `UNSIZED_BYTES` for a type without a length."""
    return sum(value_bytes(column.type) for name in names if (column := table.column(name)) is not None)


def usual_bytes(table: Table, names: Iterable[str]) -> int:
    """Return the bytes that columns of one row have where plans are compared: no text is taken for 64 KiB."""
    return sum(usual_value_bytes(column.type) for name in names if (column := table.column(name)) is not None)


def usual_value_bytes(type: SqlType) -> int:
    """Return the bytes of a value where plans are compared."""
    return value_bytes(type) if has_size(type) else UNSIZED_BYTES
