"""The rows of a table from its beginning, a bounded read at a time, in the order in which the store keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from piql.client.database import Database
from piql.store.base import Batch, ReadShape
from piql.store.rows import Row

PAGE_ROWS = 1000  # of one request


def table_pages(
    db: Database, table: str, page_rows: int = PAGE_ROWS, columns: Sequence[str] | None = None
) -> Iterator[list[Row]]:
    """Yield pages of rows, each the values of some columns or of all; each page is one request of `page_rows` at most.

    A store with transactions shows all pages as of one moment; another one shows each row as it is when it is read.
    """
    store = db.store
    declared = db.deployment.table(table)
    index = declared.primary_index()
    wanted = [
        column for name in columns or [column.name for column in declared.columns] if (column := declared.column(name))
    ]
    keys = tuple(column.name for column in index.columns)
    names = tuple(dict.fromkeys((*(column.name for column in wanted), *keys)))
    decoders = [codec.decode if (codec := store.codec(column.type)) else None for column in wanted]
    key = [names.index(name) for name in keys]
    first = store.prepare(ReadShape(declared, index, names, 0, in_any_order=True))
    further = store.prepare(ReadShape(declared, index, names, 0, after_length=len(key), in_any_order=True))
    with store.snapshot():
        rows = store.read_many([Batch(first, [(page_rows,)])])[0][0]
        while rows:
            yield [_decoded(row, decoders) for row in rows]
            if len(rows) < page_rows:
                return
            after = tuple(rows[-1][at] for at in key)
            rows = store.read_many([Batch(further, [(*after, page_rows)])])[0][0]


def _decoded(row: Row, decoders: list[Any]) -> Row:
    """Return the values that have a decoder or None in its place; those of the key behind them are left out."""
    return tuple(
        [
            value if decode is None or value is None else decode(value)
            for value, decode in zip(row, decoders, strict=False)
        ]
    )
