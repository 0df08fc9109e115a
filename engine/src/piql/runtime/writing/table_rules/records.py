"""Values given for a row → a record in stored form, in the table's column order; what does not fit is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from piql.errors import ConstraintViolation
from piql.schema.catalog import Column, Table
from piql.schema.types import TEXTS, convert
from piql.schema.values import ValueMismatch, shown
from piql.store.base import Row, Store

Keep = Callable[[Any], Any]


def never_null(table: Table, column: str) -> str:
    """Say why a column refuses NULL."""
    why = "part of the primary key" if column in table.primary_key else "NOT NULL"
    return f"{table.name}.{column} is {why} and cannot be NULL"


def keeper(table: Table, column: Column, store: Store) -> Keep:
    """Return what turns a value into a stored value of a column, or raises ConstraintViolation."""
    codec = store.codec(column.type)
    encode = codec.encode if codec else None
    name, of = f"{table.name}.{column.name}", column.type
    may_be_null = column.nullable and column.name not in table.primary_key

    def keep(value: Any) -> Any:
        if value is None:
            if may_be_null:
                return None
            raise ConstraintViolation(never_null(table, column.name))
        try:
            converted = convert(value, of)
        except ValueMismatch as mismatch:
            raise ConstraintViolation(f"{name}: {mismatch}") from None
        return encode(converted) if encode else converted

    if of.kind in TEXTS:
        most = of.length if of.length is not None else 2**62
        return lambda value: value if value.__class__ is str and len(value) <= most and value.isascii() else keep(value)
    return keep


class RecordMaker:
    """Makes records of one table from mappings of column names to values."""

    def __init__(self, table: Table, store: Store) -> None:
        self._table = table
        self._columns = [(column.name, keeper(table, column, store)) for column in table.columns]
        self._names = frozenset(column.name for column in table.columns)

    def __call__(self, row: Mapping[str, Any]) -> Row:
        """Return the record of a whole row; columns not named are NULL."""
        try:
            is_known = row.keys() <= self._names
        except AttributeError:
            raise ConstraintViolation(
                f"a row of {self._table.name} is given as {type(row).__name__}: give its columns by name"
            ) from None
        if not is_known:
            unknown = next(name for name in row if name not in self._names)
            raise ConstraintViolation(f"{self._table.name} has no column {unknown!r}")
        get = row.get
        return tuple([keep(get(name)) for name, keep in self._columns])


class ValueReader:
    """Writes stored values as words, for messages."""

    def __init__(self, table: Table, store: Store) -> None:
        self._decoders = {column.name: store.codec(column.type) for column in table.columns}

    def shown(self, columns: tuple[str, ...], values: Row) -> str:
        """`owner = 'ada', target = 'bob'`"""
        parts = []
        for name, value in zip(columns, values, strict=True):
            codec = self._decoders.get(name)
            parts.append(f"{name} = {shown(codec.decode(value) if codec and value is not None else value)}")
        return ", ".join(parts)
