"""Changes of the schema on a cluster, as a `Transaction` of the store: each call takes effect by itself.

New tables wait until something else is done, and are created together then: the nodes have to agree on the schema after
each change, and so they do once and not once a table.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from piql.schema.catalog import Index, Table
from piql.store.base import Batch
from piql.store.cql.layout import Layout, layout_of
from piql.store.cql.reads.reads import CqlRead
from piql.store.cql.stored_values import STORED, pack_long
from piql.store.cql.writes.copying import TableCopy
from piql.store.cql.writes.entries import CqlEntries
from piql.store.cql.writes.together import Change, together
from piql.store.rows import Row

if TYPE_CHECKING:
    from piql.store.cql.store import CqlStore

VERSION = "version"
"""The name of the setting that holds the epoch."""

_BEFORE_ALL_WRITES = 1  # the timestamp of entries of a new index, in microseconds


class CqlTransaction:
    """A `Transaction` of one store (see `store.base`); all changes may be repeated."""

    def __init__(self, store: CqlStore) -> None:
        self._store = store
        self._connection = store.connection
        self._pending: list[Layout] = []
        self._unused: list[str] = []

    def finish(self) -> None:
        """Create the tables that are pending, and drop those that were copied and that nobody reads any more."""
        self.create_pending()
        for name in self._unused:
            self._store.tables.drop(name)

    def create_pending(self) -> None:
        """Create the tables that were asked for and are not there yet."""
        pending, self._pending = self._pending, []
        if pending:
            self._store.create(pending)

    def read(self, read: CqlRead, arguments: tuple[Any, ...]) -> list[Row]:
        self.create_pending()
        return self._store.read_many([Batch(read, [arguments])])[0][0]

    def get_many(self, read: CqlRead, keys: Sequence[tuple[Any, ...]]) -> list[Row | None]:
        self.create_pending()
        return [rows[0] if rows else None for rows in self._store.read_many([Batch(read, keys)])[0]]

    def count(self, read: CqlRead, arguments: tuple[Any, ...]) -> int:
        return len(self.read(read, arguments))

    def put(self, entries: CqlEntries, rows: Sequence[tuple[Any, ...]]) -> None:
        self.create_pending()
        at = self._time(entries)
        visible = entries.visible
        latest = {row[: entries.key_length]: row for row in rows}
        bytes_of = (entries.put_values(row, visible) for row in latest.values())
        length = entries.partition_length
        changes = (
            Change(entries.put, [*values, at], tuple(values[:length])) for values in bytes_of if values is not None
        )
        self._connection.answer_many(together(changes))

    def delete(self, entries: CqlEntries, keys: Sequence[tuple[Any, ...]]) -> None:
        self.create_pending()
        at = self._time(entries)
        bytes_of = map(entries.key, keys)
        self._connection.answer_many([(entries.delete, [at, *key]) for key in bytes_of if key is not None])

    def _time(self, entries: CqlEntries) -> bytes:
        """Return the timestamp to write at: now for records, before all writes for entries."""
        return pack_long(time.time_ns() // 1000 if entries.layout.is_primary else _BEFORE_ALL_WRITES)

    def version(self) -> int:
        return self._store.version()

    def set_version(self, version: int) -> None:
        self.set_setting(VERSION, str(version))

    def set_setting(self, name: str, value: str) -> None:
        self.create_pending()
        self._store.set_setting(name, value)

    def create_table(self, table: Table, is_in_order: bool = False, is_backwards: bool = False) -> None:
        if is_in_order:
            self._store.note_in_order(table.name)
        self._plan(self._store.layout(table, table.primary_index()), is_backwards)

    def _plan(self, layout: Layout, is_backwards: bool) -> None:
        """Note a table to be created."""
        self._pending.append(layout if layout.is_backwards == is_backwards else layout.backwards())

    def keep_in_order(self, table: Table) -> None:
        """Copy a table into one that is one order, and use that from now on; rows written meanwhile are copied, too.

        The old table is dropped at the end of the transaction: until then other processes still read it.
        """
        store = self._store
        if store.is_in_order(table.name):
            return
        before = store.layout(table, table.primary_index())
        store.tables.create([layout_of(table, table.primary_index(), *store.keyspace_and_prefix, is_in_order=True)])
        copy = TableCopy(self._connection, table, before)
        copy.run()
        store.note_in_order(table.name)
        copy.run()
        self._unused.append(before.name)

    def add_columns(self, table: Table, names: Iterable[str]) -> None:
        layout = self._store.layout(table, table.primary_index())
        new = {name: column.type.kind for name in names if (column := table.column(name)) is not None}
        if new:
            self.create_pending()
            self._store.tables.add_columns(layout.name, {name: STORED[kind].cql for name, kind in new.items()})

    def create_index(self, table: Table, index: Index, is_backwards: bool = False) -> None:
        self._plan(self._store.layout(table, index), is_backwards)

    def drop_index(self, name: str) -> None:
        self.create_pending()
        self._store.tables.drop(name)

    def index_names(self) -> frozenset[str]:
        return self._store.tables.indexes() | {layout.name for layout in self._pending if not layout.is_primary}
