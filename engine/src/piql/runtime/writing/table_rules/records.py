"""Turns the values that a user gives for a row into a record: stored values in the order of the table's columns.

{"name": "ada", "born": date(1815, 12, 10)}  →  ("ada", <stored form of the date>, None)

A value that does not fit its column raises ConstraintViolation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from piql.errors import ConstraintViolation
from piql.runtime.execution.supplied import Occasion
from piql.schema.catalog import Column, Table
from piql.schema.types import TEXTS, convert
from piql.schema.values import ValueMismatch, shown
from piql.store.base import Store
from piql.store.rows import Row

Keep = Callable[[Any], Any]
"""From a value to the stored value of one column. Raises ConstraintViolation."""


def never_null(table: Table, column: str) -> str:
    """Return the message of a column that refuses NULL."""
    why = "part of the primary key" if column in table.primary_key else "NOT NULL"
    return f"{table.name}.{column} is {why} and cannot be NULL"


def keeper(table: Table, column: Column, store: Store) -> Keep:
    """Return the function from a value to a column's stored value; it raises ConstraintViolation."""
    codec = store.codec(column.type)
    encode = codec.encode if codec else None
    name, column_type = f"{table.name}.{column.name}", column.type
    may_be_null = column.nullable and column.name not in table.primary_key

    def keep(value: Any) -> Any:
        if value is None:
            if may_be_null:
                return None
            raise ConstraintViolation(never_null(table, column.name))
        try:
            converted = convert(value, column_type)
        except ValueMismatch as mismatch:
            raise ConstraintViolation(f"{name}: {mismatch}") from None
        return encode(converted) if encode else converted

    if column_type.kind in TEXTS:  # a text of ASCII is stored as it is
        most = column_type.length if column_type.length is not None else sys.maxsize
        return lambda value: value if value.__class__ is str and len(value) <= most and value.isascii() else keep(value)
    return keep


class RecordMaker:
    """Makes records of one table; an instance is called with a mapping of column names to values."""

    def __init__(self, table: Table, store: Store) -> None:
        self._table = table
        self._columns = [(column.name, keeper(table, column, store)) for column in table.columns]
        self._names = frozenset(column.name for column in table.columns)

    def __call__(self, row: Mapping[str, Any]) -> Row:
        """Return the record of a row; columns that it does not name are NULL. Raises ConstraintViolation."""
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


class RowDefaults:
    """Completes rows of one table by the DEFAULTs of columns that they do not name; an explicit NULL stays."""

    def __init__(self, table: Table) -> None:
        self._defaults = [
            (column.name, column.default)
            for column in table.columns
            if column.default is not None and column.has_default
        ]

    def completed(self, rows: Sequence[Mapping[str, Any]], occasion: Occasion) -> Sequence[Mapping[str, Any]]:
        """Return the rows with their defaults; rows that are no mappings are left as they are.

        The same rows get the same values as often as they are completed on one occasion.
        """
        if not self._defaults:
            return rows
        return [self._completed(row, number, occasion) for number, row in enumerate(rows)]

    def _completed(self, row: Any, number: int, occasion: Occasion) -> Mapping[str, Any]:
        if not isinstance(row, Mapping):
            return row  # type: ignore[no-any-return]
        values = dict(row)
        for name, default in self._defaults:
            if name not in values:
                supplied = default.supplied
                key = f"{supplied}() of {name} {number}"
                values[name] = default.value if supplied is None else occasion.value(key, supplied)
        return values


class ValueReader:
    """Writes stored values as words, for messages."""

    def __init__(self, table: Table, store: Store) -> None:
        self._decoders = {column.name: store.codec(column.type) for column in table.columns}

    def shown(self, columns: tuple[str, ...], values: Row, names: tuple[str, ...] | None = None) -> str:
        """Return columns with their stored values for a message: `owner = 'ada', target = 'bob'`.

        `names` are those of the columns in another table that has the same values.
        """
        parts = []
        for column, name, value in zip(columns, names or columns, values, strict=True):
            codec = self._decoders.get(column)
            parts.append(f"{name} = {shown(codec.decode(value) if codec and value is not None else value)}")
        return ", ".join(parts)
