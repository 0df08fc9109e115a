"""The rows of all tables of a schema, in the order of foreign keys; each row is made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from piql.errors import InvalidParameter
from piql.generating.choices import Values
from piql.generating.column_values import ColumnValues, values_of
from piql.generating.row_counts import in_order, row_counts
from piql.generating.table_rows import Fits, GeneratedRow, LimitFill, Parents, TableRows
from piql.generating.wish import Wish
from piql.generating.words import Words
from piql.schema.catalog import Table


@dataclass(frozen=True, slots=True)
class TableReport:
    """What was made of a table: its rows, how many were asked for, their size in bytes, and how full its limits are."""

    table: str
    rows: int
    asked: int
    bytes: int
    fills: tuple[LimitFill, ...]


class Generator:
    """The rows that a wish asks for. `rows` is called for each of `tables` once, in their order.

    `fits` tells of a row of a table whether it keeps all CHECKs; a table that is not in it has none.

    Raises InvalidParameter for a table that is not there, and for more rows than a table may get.
    """

    def __init__(self, tables: Mapping[str, Table], wish: Wish, fits: Mapping[str, Fits] | None = None) -> None:
        unknown = next((name for name in (*wish.rows_of, *wish.passed_over) if name not in tables), None)
        if unknown is not None:
            raise InvalidParameter(f"there is no table {unknown!r}; there are {', '.join(tables) or 'none'}")
        self.tables = tuple(in_order([table for table in tables.values() if table.view is None]))
        self._by_name, self._wish, self._fits = tables, wish, fits or {}
        lengths = _lengths(self.tables)
        self._words = {table.name: _words_of(table) for table in self.tables}
        self._values: dict[str, dict[str, ColumnValues]] = {
            table.name: {
                column.name: values_of(
                    table.name, column.name, column.type, lengths[table.name, column.name], wish.seed
                )
                for column in table.columns
            }
            for table in self.tables
        }
        inherited = {table.name: {name for key in table.foreign_keys for name in key.columns} for table in self.tables}
        self.counts = row_counts(
            self.tables,
            wish,
            {
                name: {column: source.distinct for column, source in values.items() if column not in inherited[name]}
                for name, values in self._values.items()
            },
        )
        self._referenced: dict[tuple[str, tuple[str, ...]], list[Values]] = {
            (key.table, key.referenced_columns): [] for table in self.tables for key in table.foreign_keys
        }

    def rows(self, name: str) -> TableGeneration:
        """Return the rows of a table, which are made while they are iterated."""
        table = self._by_name[name]
        parents = [
            Parents(key, self._referenced[key.table, key.referenced_columns])
            for key in table.foreign_keys
            if key.table in self.counts
        ]
        values, words, fits = self._values[name], self._words[name], self._fits.get(name)
        rows = TableRows(table, self.counts[name], self._wish, values, words, parents, fits)
        kept = [(columns, values) for (parent, columns), values in self._referenced.items() if parent == name]
        return TableGeneration(name, self.counts[name], rows, kept)


class TableGeneration:
    """The rows of one table, iterated once; `report` says what was made so far."""

    def __init__(
        self, name: str, asked: int, rows: TableRows, kept: list[tuple[tuple[str, ...], list[Values]]]
    ) -> None:
        self._name, self._asked, self._rows, self._kept = name, asked, rows, kept
        self._bytes = 0

    def __iter__(self) -> Iterator[GeneratedRow]:
        for row in self._rows:
            self._bytes += sum(map(_size, row.values()))
            for columns, values in self._kept:
                key = tuple([row[column] for column in columns])
                if None not in key:
                    values.append(key)
            yield row

    @property
    def report(self) -> TableReport:
        return TableReport(self._name, self._rows.made, self._asked, self._bytes, tuple(self._rows.fills))


def _lengths(tables: tuple[Table, ...]) -> dict[tuple[str, str], int | None]:
    """Return the length of each column's texts: its own, and that of each column that refers to it."""
    lengths = {(table.name, column.name): column.type.length for table in tables for column in table.columns}
    for _ in tables:  # a chain of foreign keys is as long as there are tables, at most
        for table in tables:
            for key in table.foreign_keys:
                for column, referenced in zip(key.columns, key.referenced_columns, strict=True):
                    child = lengths[table.name, column]
                    parent = lengths.get((key.table, referenced))
                    if child is not None and (key.table, referenced) in lengths:
                        lengths[key.table, referenced] = child if parent is None else min(parent, child)
    return lengths


def _words_of(table: Table) -> dict[str, Words]:
    """Return the words for each column under limits on words; columns that share a limit share their words."""
    words: dict[str, Words] = {}
    for limit in table.limits:
        if limit.is_token:
            shared = next((words[name] for name in limit.columns if name in words), None) or Words()
            for name in limit.columns:
                words.setdefault(name, shared)
    return words


def _size(value: Any) -> int:
    """Return about how many bytes a value takes."""
    match value:
        case str():
            return len(value) if value.isascii() else len(value.encode())
        case bytes():
            return len(value)
        case None | bool():
            return 1
        case UUID():
            return 16
        case int() | float() | datetime() | date() | Decimal():
            return 8
        case _:
            return 16
