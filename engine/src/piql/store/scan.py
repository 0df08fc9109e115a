"""Reads the first rows of a table, for samples. No query ever does so."""

from __future__ import annotations

from collections.abc import Sequence

from piql.errors import InvalidParameter
from piql.schema.catalog import Table
from piql.store.base import Batch, ReadShape, Store
from piql.store.rows import Row


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
