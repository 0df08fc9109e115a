"""A store without transactions in one SQLite file: what a cluster offers, in a form that tests can use anywhere.

It promises what `SingleRowWrites` says and no more: each call commits by itself. Its tables and cells:

    "table users"             username, hometown, #write, #state, #at     #at: when the record was left
    "index users_by_town …"   hometown, username, #state, #at             #at: the later of two changes holds
    cells                     grp, key, value
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from piql.schema.catalog import Index, Table
from piql.store.base import ReadShape
from piql.store.embedded.layout import EmbeddedRead, Layout, ReadBuilder, layout_of, quoted
from piql.store.embedded.store import WAIT_MS, EmbeddedStore, EmbeddedTransaction, Synchronous
from piql.store.embedded.waiting import patiently
from piql.store.row_writes import Cell, EntryChange, StoredRecord
from piql.store.rows import FORGOTTEN, HOLDS, KEPT_SECONDS, STATE, WRITE, Row, State
from piql.store.schemes import STEPWISE
from piql.store.stepwise.one_by_one import OneByOne

AT = "#at"  # a hidden column: microseconds since 1970
BEFORE_ALL_WRITES = 1  # the time of entries that a change of the schema puts


class StepwiseReadBuilder(ReadBuilder):
    """Makes reads that leave out GONE rows, and COMING ones unless the shape asks for them."""

    def __init__(self, shape: ReadShape) -> None:
        super().__init__(shape)
        last_seen = State.COMING if shape.sees_coming else State.DOUBTFUL
        self.fixed.append(f"{quoted(STATE)} <= {int(last_seen)}")


@dataclass(frozen=True, slots=True)
class StepwiseEntries:
    """The statements that write one index.

    find          selects a record by its key: write, state, time, then its columns
    put           puts an entry unless a later change of it is there
    replace       puts a record, whatever is there
    with_flags    adds the flags of key columns that may be NULL (see embedded/layout.py)
    length        how many columns an entry has, of which `key_length` are its key
    """

    find: str
    put: str
    replace: str
    with_flags: Callable[[Row], Row]
    key_length: int
    length: int
    is_primary: bool

    def whole(self, change: EntryChange) -> Row:
        """Return the row to store; a deleted entry keeps its key and time, so that no older change of it wins."""
        row = change.row[: self.key_length] if change.state is State.GONE else change.row
        return self.with_flags((*row, *(None,) * (self.length - len(row)), int(change.state), change.at))


class _PatientConnection:
    """A connection of which each statement commits by itself, and waits for other writers before."""

    def __init__(self, connection: sqlite3.Connection, wait_seconds: float) -> None:
        self._connection = connection
        self._wait_seconds = wait_seconds

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def execute(self, sql: str, arguments: Sequence[Any] = ()) -> sqlite3.Cursor:
        return patiently(lambda: self._connection.execute(sql, arguments), self._wait_seconds)


class StepwiseTransaction(EmbeddedTransaction):
    """Changes of the schema; each call commits by itself."""

    def __init__(self, store: StepwiseStore, connection: _PatientConnection) -> None:
        super().__init__(connection)  # type: ignore[arg-type]
        self._store = store

    def put(self, entries: StepwiseEntries, rows: Sequence[Row]) -> None:  # type: ignore[override]
        hidden: tuple[Any, ...] = ("", 0, self._store.now()) if entries.is_primary else (0, BEFORE_ALL_WRITES)
        statement = entries.replace if entries.is_primary else entries.put
        for row in rows:
            self._connection.execute(statement, entries.with_flags((*row, *hidden)))

    def delete(self, entries: StepwiseEntries, keys: Sequence[Row]) -> None:  # type: ignore[override]
        if entries.is_primary:
            for key in keys:
                self._store.remove(entries, key)
        else:
            self._store.change_entries([EntryChange(entries, key, State.GONE, BEFORE_ALL_WRITES) for key in keys])

    def create_table(self, table: Table, is_in_order: bool = False, is_backwards: bool = False) -> None:
        self._connection.execute(_create(layout_with_state(table, table.primary_index())))

    def create_index(self, table: Table, index: Index, is_backwards: bool = False) -> None:
        self._connection.execute(_create(layout_with_state(table, index)))


class StepwiseStore(OneByOne, EmbeddedStore):
    """A `Store` that is its own `SingleRowWrites`; `clock` gives seconds since 1970."""

    kind = STEPWISE

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        synchronous: Synchronous = "NORMAL",
        clock: Callable[[], float] = time.time,
        wait_ms: float = WAIT_MS,
    ) -> None:
        super().__init__(path, synchronous, wait_ms)
        self._clock = clock
        if self.is_made():
            with self.at_work() as connection:
                patiently(lambda: self._forget(connection), self._wait_seconds)

    @property
    def row_writes(self) -> StepwiseStore:
        return self

    @property
    def writers(self) -> int:
        return 1

    def now(self) -> int:
        """Return the time in microseconds since 1970."""
        return int(self._clock() * 1_000_000)

    def prepare(self, shape: ReadShape) -> EmbeddedRead:
        return StepwiseReadBuilder(shape).build()

    def prepare_entries(self, table: Table, index: Index) -> StepwiseEntries:  # type: ignore[override]
        plain, layout = layout_of(table, index), layout_with_state(table, index)
        key_length = layout.has_bucket + len(layout.key)
        key = " AND ".join(f"{quoted(column.name)} = ?" for column in layout.key)
        names = ", ".join(
            quoted(name) for name in (*(column.name for column in plain.key), *(n for n, _ in plain.covering))
        )
        return StepwiseEntries(
            f"SELECT {quoted(WRITE)}, {quoted(STATE)}, {quoted(AT)}, {names} FROM {quoted(layout.name)} WHERE {key}",
            _put_if_later(layout),
            layout.put(),
            layout.with_flags() or (lambda row: row),
            key_length,
            key_length + len(plain.covering),
            index.is_primary,
        )

    @contextmanager
    def transaction(self) -> Iterator[StepwiseTransaction]:
        self.make()
        with self.at_work() as connection:
            yield StepwiseTransaction(self, _PatientConnection(connection, self._wait_seconds))

    def find(self, records: StepwiseEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        with self.at_work() as connection:
            row = connection.execute(records.find, key).fetchone()
        if row is None or (row[1] in FORGOTTEN and HOLDS not in row[0] and row[2] < self._forgotten_before()):
            return None
        return StoredRecord(row[0], State(row[1]), row[3:])

    def change(
        self, records: StepwiseEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        with self._alone() as connection:
            record = self.find(records, row[: records.key_length])
            if (record.write if record else None) != known:
                return False, record
            connection.execute(records.replace, (*row, write, int(state), self.now()))
            return True, None

    def remove(self, records: StepwiseEntries, key: Row) -> None:
        """Remove a record as if it had been deleted long ago, which only changes of the schema may do."""
        record = self.find(records, key)
        if record is not None:
            forgotten = self._forgotten_before() - 1
            row = (*record.row, record.write, int(State.GONE), forgotten)
            with self.at_work() as connection:
                patiently(lambda: connection.execute(records.replace, row), self._wait_seconds)

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        with self.at_work() as connection:
            for change in changes:
                put, row = change.entries.put, change.entries.whole(change)
                patiently(lambda put=put, row=row: connection.execute(put, row), self._wait_seconds)  # type: ignore[misc]

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        if not self.is_made():
            return []
        sql = "SELECT key, value FROM cells WHERE grp = ? AND key > ? ORDER BY key LIMIT ?"
        with self.at_work() as connection:
            return [Cell(*cell) for cell in connection.execute(sql, (group, after, limit))]

    def cell(self, group: str, key: str) -> str | None:
        if not self.is_made():
            return None
        with self.at_work() as connection:
            row = connection.execute("SELECT value FROM cells WHERE grp = ? AND key = ?", (group, key)).fetchone()
        return row[0] if row else None

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        if not self.is_made():
            return []
        sql = "SELECT DISTINCT grp FROM cells WHERE grp > ? ORDER BY grp LIMIT ?"
        with self.at_work() as connection:
            return [group for (group,) in connection.execute(sql, (after or "", limit))]

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        with self._alone() as connection:
            sql = "SELECT value FROM cells WHERE grp = ? AND key = ?"
            row = connection.execute(sql, (group, key)).fetchone()
            value_now: str | None = row[0] if row else None
            if value_now != known:
                return False, value_now
            self._set(connection, group, key, value)
            return True, known

    def note(self, group: str, key: str, value: str | None) -> None:
        self.make()
        with self.at_work() as connection:
            patiently(lambda: self._set(connection, group, key, value), self._wait_seconds)

    def _set(self, connection: sqlite3.Connection, group: str, key: str, value: str | None) -> None:
        if value is None:
            connection.execute("DELETE FROM cells WHERE grp = ? AND key = ?", (group, key))
        else:
            connection.execute("INSERT OR REPLACE INTO cells VALUES (?, ?, ?)", (group, key, value))

    @contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        """Let nobody else write between the read and the write of a conditional change."""
        with super().transaction() as transaction:
            yield transaction.connection

    def _forgotten_before(self) -> int:
        """Return the time before which COMING and GONE rows are forgotten."""
        return self.now() - KEPT_SECONDS * 1_000_000

    def _forget(self, connection: sqlite3.Connection) -> None:
        """Delete the COMING and GONE rows that are forgotten."""
        columns = f"{quoted(STATE)} IN (?, ?) AND {quoted(AT)} < ?"
        is_free = f"instr({quoted(WRITE)}, '{HOLDS}') = 0"
        names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name LIKE 'index %' OR name LIKE 'table %')"
        for (name,) in connection.execute(names).fetchall():
            of_records = f" AND {is_free}" if name.startswith("table ") else ""
            sql = f"DELETE FROM {quoted(name)} WHERE {columns}{of_records}"
            connection.execute(sql, (*map(int, FORGOTTEN), self._forgotten_before()))


def layout_with_state(table: Table, index: Index) -> Layout:
    """Return the layout of an index with the hidden columns behind all others."""
    layout = layout_of(table, index)
    hidden = ((STATE, "INTEGER"), (AT, "INTEGER"))
    return replace(layout, covering=(*layout.covering, *(((WRITE, "TEXT"),) if index.is_primary else ()), *hidden))


def _create(layout: Layout) -> str:
    return layout.create().replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS", 1)


def _put_if_later(layout: Layout) -> str:
    """`INSERT … ON CONFLICT DO UPDATE … WHERE` the change is later than what is there, or as late and a deletion."""
    name = quoted(layout.name)
    changes = ", ".join(f"{quoted(column)} = excluded.{quoted(column)}" for column, _ in layout.covering)
    is_later = f"(excluded.{quoted(AT)}, excluded.{quoted(STATE)}) >= ({name}.{quoted(AT)}, {name}.{quoted(STATE)})"
    insert = layout.put().replace("INSERT OR REPLACE", "INSERT", 1)
    return f"{insert} ON CONFLICT DO UPDATE SET {changes} WHERE {is_later}"
