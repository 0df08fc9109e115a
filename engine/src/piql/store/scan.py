"""Walks a whole table: for back-fills, checks of new constraints, and samples. No query ever does so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from piql.errors import InvalidParameter
from piql.schema.catalog import Index, Table
from piql.store.base import Batch, ReadShape, Store, Transaction
from piql.store.rows import Row

CHUNK = 2000  # rows read at a time


def scan_table(
    transaction: Transaction, store: Store, table: Table, columns: Sequence[str], chunk: int = CHUNK
) -> Iterator[list[Row]]:
    """Yield lists of up to `chunk` rows of a table, some columns of each as stored values, in the store's order."""
    index: Index = table.primary_index()
    key = tuple(column.name for column in index.columns)
    key_and_columns = (*key, *columns)
    read = store.prepare(ReadShape(table, index, key_and_columns, 0, in_any_order=True))
    further = store.prepare(ReadShape(table, index, key_and_columns, 0, after_length=len(key), in_any_order=True))
    rows = transaction.read(read, (chunk,))
    while rows:
        yield [row[len(key) :] for row in rows]
        if len(rows) < chunk:
            return
        rows = transaction.read(further, (*rows[-1][: len(key)], chunk))


def some_rows(store: Store, table: Table, columns: Sequence[str], most: int) -> list[Row]:
    """Return the first `most` rows of a table in the store's order, some columns of each, decoded."""
    for name in columns:
        if table.column(name) is None:
            names = ", ".join(column.name for column in table.columns)
            raise InvalidParameter(f"{table.name} has no column {name!r}; it has {names}")
    read = store.prepare(ReadShape(table, table.primary_index(), tuple(columns), 0, in_any_order=True))
    rows = store.read_many([Batch(read, [(most,)])])[0][0]
    types = {column.name: column.type for column in table.columns}
    codecs = [store.codec(types[name]) for name in columns]
    return [
        tuple(
            [
                codec.decode(value) if codec and value is not None else value
                for value, codec in zip(row, codecs, strict=True)
            ]
        )
        for row in rows
    ]
