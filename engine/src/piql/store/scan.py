"""Walks a whole index in chunks, for back-fills and checks of new constraints; no query ever does this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from piql.catalog import Index, Table
from piql.store.base import ReadShape, Row, Store, Transaction

CHUNK = 2000


def scan_table(
    transaction: Transaction, store: Store, table: Table, columns: Sequence[str], chunk: int = CHUNK
) -> Iterator[list[Row]]:
    """Yield the rows of a table, some columns of each, in the order that the store keeps them in."""
    index: Index = table.primary_index()
    key = tuple(each.name for each in index.columns)
    wanted = (*key, *columns)
    read = store.prepare(ReadShape(table, index, wanted, 0, in_any_order=True))
    further = store.prepare(ReadShape(table, index, wanted, 0, after_length=len(key), in_any_order=True))
    rows = transaction.read(read, (chunk,))
    while rows:
        yield [row[len(key) :] for row in rows]
        if len(rows) < chunk:
            return
        rows = transaction.read(further, (*rows[-1][: len(key)], chunk))
