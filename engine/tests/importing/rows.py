"""Rows for imported tables: a few of each, whose foreign keys name rows that are loaded before."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal

from piql.schema.catalog import Column, Kind, Table

Row = dict[str, object]


def rows_of(tables: Mapping[str, Table], many: int) -> Iterator[tuple[str, list[Row]]]:
    """Yield each table with `many` rows, parents first. A foreign key that closes a circle is NULL."""
    loaded: dict[str, list[Row]] = {}
    for name in _parents_first(tables):
        table = tables[name]
        rows = [_row(table, number, loaded) for number in range(many)]
        loaded[name] = rows
        yield name, rows


def _parents_first(tables: Mapping[str, Table]) -> list[str]:
    order: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in order or name in path:
            return
        for key in tables[name].foreign_keys:
            visit(key.table, (*path, name))
        order.append(name)

    for name in tables:
        visit(name, ())
    return order


def _row(table: Table, number: int, loaded: Mapping[str, list[Row]]) -> Row:
    row: Row = {column.name: _value(column, number) for column in table.columns}
    for check in table.checks:
        row |= {name: _kept(values) for name, values in check.samples if name not in table.primary_key}
    for key in table.foreign_keys:
        parents = loaded.get(key.table)
        for column, referenced in zip(key.columns, key.referenced_columns, strict=True):
            row[column] = parents[number][referenced] if parents is not None else None
    return row


def _kept(values: tuple[object, ...]) -> object:
    """Return a value that keeps a CHECK of these schemas: one of a list, the upper end, or one above the lower end."""
    last = values[-1]
    return last + 1 if len(values) == 1 and isinstance(last, int | Decimal) else last


def _value(column: Column, number: int) -> object:
    length = column.type.length or 8
    scale = column.type.scale or 0
    values: dict[Kind, object] = {
        Kind.INT: number,
        Kind.BIGINT: number,
        Kind.DOUBLE: number + 0.5,
        Kind.DECIMAL: Decimal(number).scaleb(-scale),
        Kind.BOOLEAN: number % 2 == 0,
        Kind.VARCHAR: f"{number:x}"[:length],
        Kind.TEXT: f"text {number}",
        Kind.BLOB: bytes([number]),
        Kind.TIMESTAMP: datetime(2024, 1, 1 + number, tzinfo=UTC),
        Kind.DATE: date(2024, 1, 1 + number),
        Kind.TIME: time(number),
        Kind.UUID: uuid.UUID(int=number),
        Kind.TIMEUUID: uuid.UUID(fields=(number, 0, 0x1000, 0x80, 0, 0)),
    }
    return values[column.type.kind]
