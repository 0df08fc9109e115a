"""How many bytes a value of a column can have: proven by its type, or a documented guess where the type has no length.

VARCHAR(n) counts 4 bytes a character, the most that UTF-8 needs. TEXT and BLOB without a length count `UNSIZED_BYTES`:
the only number in a bound that the schema does not prove; bounds that hold one say so.
"""

from __future__ import annotations

from collections.abc import Iterable

from piql.schema.catalog import Kind, SqlType, Table

UNSIZED_BYTES = 65_536
WIDE_ROW_BYTES = 4_096  # beyond, an index holds keys only rather than a copy of the columns

_FIXED = {
    Kind.INT: 4,
    Kind.BIGINT: 8,
    Kind.DOUBLE: 8,
    Kind.BOOLEAN: 1,
    Kind.TIMESTAMP: 8,
    Kind.DATE: 4,
    Kind.UUID: 16,
    Kind.NULL: 0,
}
_UNSIZED = frozenset((Kind.TEXT, Kind.BLOB, Kind.VARCHAR))


def has_size(type: SqlType) -> bool:
    """Whether the type says how long its values can be."""
    return type.length is not None or type.kind not in _UNSIZED


def value_bytes(type: SqlType) -> int:
    fixed = _FIXED.get(type.kind)
    if fixed is not None:
        return fixed
    if type.kind is Kind.DECIMAL:
        return (type.precision or 38) // 2 + 2
    if type.length is None:
        return UNSIZED_BYTES
    return type.length if type.kind is Kind.BLOB else 4 * type.length


def columns_bytes(table: Table, names: Iterable[str]) -> int:
    return sum(value_bytes(column.type) for name in names if (column := table.column(name)) is not None)
