"""Record → index entries: what each index of a table holds of one row.

users (username, town) with an index by town:    ("ada", "Oslo")  →  {("Oslo", "ada"): ("Oslo", "ada")}
an index of the words of a text:                 one entry a distinct word
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

from piql.schema.catalog import Index, Table
from piql.schema.words import words_of
from piql.store.base import Store
from piql.store.rows import PreparedEntries, Row

Entries = dict[Row, Row]
"""Whole entries by their keys."""


class IndexEntries:
    """Makes and writes the entries of one secondary index, or of the table itself.

    `declared` is the table as the index's own version declares it, where that is another one: a record with NULL in a
    key column that is NOT NULL there has no entry.
    """

    def __init__(self, table: Table, index: Index, store: Store, declared: Table | None = None) -> None:
        self.index = index
        self.prepared: PreparedEntries = store.prepare_entries(declared or table, index)
        positions = {column.name: at for at, column in enumerate(table.columns)}
        self._words: Callable[[Row], frozenset[str]] | None = None
        token = next((key_column for key_column in index.columns if key_column.token_of), None)
        if token is not None:
            texts = ", ".join(f"r[{positions[name]}]" for name in token.token_of)
            self._words = eval(f"lambda r: words_of({texts})", {"words_of": words_of})
        bucket = []
        if index.buckets > 1:
            key = ", ".join(f"r[{positions[name]}]" for name in table.primary_key)
            bucket = [f"bucket(({key},))"]
        key_columns = [
            *bucket,
            *("w" if key_column.token_of else f"r[{positions[key_column.name]}]" for key_column in index.columns),
        ]
        covering = [f"r[{positions[name]}]" for name in index.covering]
        names = {"bucket": _bucket_of(index.buckets)}
        self.key_length = len(key_columns)
        self._required = tuple(
            positions[key_column.name]
            for key_column in index.columns
            if declared is not None and (column := declared.column(key_column.name)) is not None and not column.nullable
        )
        self._entry: Callable[..., Row] = eval(f"lambda r, w=None: ({', '.join([*key_columns, *covering])},)", names)

    def of(self, record: Row) -> list[Row]:
        """Return the entries of a record."""
        if self._required and any(record[position] is None for position in self._required):
            return []
        if self._words is None:
            return [self._entry(record)]
        return [self._entry(record, word) for word in sorted(self._words(record))]

    def by_key(self, record: Row | None) -> Entries:
        """Return the entries of a record by their keys; none without a record."""
        if record is None:
            return {}
        return {entry[: self.key_length]: entry for entry in self.of(record)}

    def changes(self, old: Row | None, new: Row | None) -> tuple[list[Row], list[Row]]:
        """Return the entries to put and the keys of stale entries to delete."""
        before, after = self.by_key(old), self.by_key(new)
        puts = [entry for key, entry in after.items() if before.get(key) != entry]
        return puts, [key for key in before if key not in after]


def _bucket_of(buckets: int) -> Callable[[tuple[Any, ...]], int]:
    """Return the function from a primary key to the number of its bucket, which never changes."""
    return lambda key: zlib.crc32(repr(key).encode()) % buckets
