"""The embedded store: one SQLite file in WAL mode, one table an index, one connection a thread.

Any number of threads and processes may have the file open; writers take turns, readers never wait. What has to be done
around a fork is in `fork.py`.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from piql.errors import StoreUnavailable
from piql.schema.catalog import Index, SqlType, Table
from piql.store.base import SIGNING_KEY, Answers, Batch, Consistency, Reader, ReadShape
from piql.store.embedded.connections import Connection, Connections, DatabaseFile, Synchronous
from piql.store.embedded.fork import FORKS
from piql.store.embedded.layout import EmbeddedRead, ReadBuilder, column_name, layout_of, quoted
from piql.store.embedded.ownership import OWN_TABLES, is_own, is_store, schema_in
from piql.store.embedded.waiting import not_opened, patiently, unavailable
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import Codec, PreparedRead, Row
from piql.store.schemes import EMBEDDED
from piql.store.values import STORED, codec_of

__all__ = ["WAIT_MS", "EmbeddedStore", "EmbeddedTransaction", "Synchronous"]

WAIT_MS = 5000  # how long a writer waits for others
_FEWEST_GETS = 20  # that are worth a statement of many
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EmbeddedEntries:
    """The statements that write one index; `with_flags` makes their arguments of an entry or key (None: as it is)."""

    put: str
    delete: str
    with_flags: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None


class EmbeddedTransaction:
    """A `Transaction` of `store.base`: one `BEGIN IMMEDIATE … COMMIT`, so nobody else writes meanwhile."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def connection(self) -> sqlite3.Connection:
        return self._connection

    def read(self, read: EmbeddedRead, arguments: tuple[Any, ...]) -> list[Row]:
        return _answer(self._connection, read, arguments)

    def get_many(self, read: EmbeddedRead, keys: Sequence[tuple[Any, ...]]) -> list[Row | None]:
        return _gets(self._connection, read, keys)

    def count(self, read: EmbeddedRead, arguments: tuple[Any, ...]) -> int:
        row: tuple[int] = self._connection.execute(f"SELECT COUNT(*) FROM ({read.sql})", arguments).fetchone()
        return row[0]

    def put(self, entries: EmbeddedEntries, rows: Sequence[tuple[Any, ...]]) -> None:
        self._connection.executemany(entries.put, map(entries.with_flags, rows) if entries.with_flags else rows)

    def delete(self, entries: EmbeddedEntries, keys: Sequence[tuple[Any, ...]]) -> None:
        self._connection.executemany(entries.delete, map(entries.with_flags, keys) if entries.with_flags else keys)

    def version(self) -> int:
        return _version(self._connection)

    def set_version(self, version: int) -> None:
        self._connection.execute(f"PRAGMA user_version = {int(version)}")

    def set_setting(self, name: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def create_table(self, table: Table, is_in_order: bool = False, is_backwards: bool = False) -> None:
        self._connection.execute(layout_of(table, table.primary_index()).create())

    def keep_in_order(self, table: Table) -> None:
        """Do nothing: every table is kept in the order of its key."""

    def add_columns(self, table: Table, names: Iterable[str]) -> None:
        layout = layout_of(table, table.primary_index())
        for name in names:
            column = table.column(name)
            assert column is not None
            affinity = STORED[column.type.kind].affinity
            self._connection.execute(
                f"ALTER TABLE {quoted(layout.name)} ADD COLUMN {quoted(column_name(name))} {affinity}"
            )

    def create_index(self, table: Table, index: Index, is_backwards: bool = False) -> None:
        self._connection.execute(layout_of(table, index).create())

    def drop_index(self, name: str) -> None:
        self._connection.execute(f"DROP TABLE {quoted(name)}")

    def index_names(self) -> frozenset[str]:
        rows = self._connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'index %'")
        return frozenset(name for (name,) in rows)


class EmbeddedStore:
    """A `Store` in one SQLite file; without a path, in a temporary folder that is removed with it.

    A missing or empty file becomes a store by the first write; a file of another program is refused with NotAStore.
    """

    kind = EMBEDDED  # the key of its first tables in OWN_TABLES

    @property
    def row_writes(self) -> SingleRowWrites | None:
        return None

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        synchronous: Synchronous = "FULL",
        wait_ms: float = WAIT_MS,
    ) -> None:
        self._remove_folder: Callable[[], object] | None = None
        if path is None:
            folder = tempfile.mkdtemp(prefix="piql-")
            self._remove_folder = weakref.finalize(self, _remove, folder, os.getpid())
            path = Path(folder) / "piql.db"
        self.path = Path(path)
        self._wait_seconds = wait_ms / 1000
        self._file = DatabaseFile(self.path, synchronous, self._wait_seconds)
        self._connections = Connections(self._file)
        self._is_made = False
        if self._remove_folder is not None:
            self.make()
        else:
            self.is_made()

    def is_made(self) -> bool:
        """Return whether the file is a store by now, whoever made it; raise NotAStore if it is something else."""
        if not self._is_made:
            self._is_made = is_store(self.path, self.kind, self._wait_seconds)
        return self._is_made

    def make(self) -> None:
        """Make a store of the file, unless it is one."""
        if self.is_made():
            return
        self._file.may_be_made = True
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._connections.mine().used() as connection:
                mark = connection.transaction = object()
                try:
                    patiently(lambda: _begin(connection, "BEGIN IMMEDIATE"), self._wait_seconds)
                    if not is_own(schema_in(connection), self.path, self.kind):
                        for statement in OWN_TABLES[self.kind].values():
                            connection.execute(statement)
                    connection.execute("COMMIT")
                except BaseException:
                    self._roll_back(connection, mark)
                    raise
        except (sqlite3.Error, OSError, ValueError) as failure:
            raise not_opened(self.path, failure, self._wait_seconds) from failure
        finally:
            self._file.may_be_made = False
        self._is_made = True

    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection, for tests that look into the file; a fork closes it."""
        with self.at_work() as connection:
            return connection

    @contextmanager
    def at_work(self) -> Iterator[Connection]:
        """Use this thread's connection inside the context; what SQLite raises becomes StoreUnavailable."""
        FORKS.refuse_strangers()
        try:
            with self._connections.mine().used() as connection:
                yield connection
        except sqlite3.Error as failure:
            raise unavailable(failure, self._wait_seconds) from failure

    def codec(self, type: SqlType) -> Codec | None:
        return codec_of(type)

    def keeps_alike(self, before: SqlType, after: SqlType) -> bool:
        return True

    def prepare(self, shape: ReadShape) -> EmbeddedRead:
        return ReadBuilder(shape).build()

    def prepare_entries(self, table: Table, index: Index) -> EmbeddedEntries:
        layout = layout_of(table, index)
        return EmbeddedEntries(layout.put(), layout.delete(), layout.with_flags())

    def stored_name(self, table: Table, index: Index) -> str:
        return layout_of(table, index).name

    def reader(self, read: PreparedRead, consistency: Consistency | None = None) -> Reader:
        return lambda arguments: (self.read_many([Batch(read, [arguments])], consistency)[0][0], 0)

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        """Answer requests; every read sees all acknowledged writes, so the consistency does not matter."""
        handle = self._connections.mine()
        handle.uses += 1
        try:
            connection = handle.connected()
            try:
                return _answers(connection, batches)
            except sqlite3.Error:  # a reader finds the file busy only while another recovers it after a crash
                return patiently(lambda: _answers(connection, batches), self._wait_seconds)
        except sqlite3.Error as failure:
            raise unavailable(failure, self._wait_seconds) from failure
        finally:
            handle.uses -= 1
            handle.use_is_over()

    def start_many(
        self,
        batches: Sequence[Batch],
        done: Callable[[Answers | Exception], None],
        consistency: Consistency | None = None,
    ) -> None:
        """Answer at once, in this thread: the store is in this process."""
        try:
            answers: Answers | Exception = self.read_many(batches)
        except StoreUnavailable as failure:
            answers = failure
        done(answers)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads inside the context see one state: a transaction that only reads."""
        handle = self._connections.mine()
        handle.uses += 1
        try:
            connection = handle.connected()
            mark = connection.transaction = object()
            try:
                _begin(connection, "BEGIN")
                yield
                if connection.in_transaction and connection.transaction is mark:
                    connection.execute("COMMIT")
            except BaseException:
                self._roll_back(connection, mark)
                raise
        except sqlite3.Error as failure:
            raise unavailable(failure) from failure
        finally:
            handle.uses -= 1
            handle.use_is_over()

    def _roll_back(self, connection: Connection, mark: object) -> None:
        """Undo the transaction that `mark` began, if it is still open; after Ctrl+C another may have begun since."""
        if connection.in_transaction and connection.transaction is mark and not self._file.log_files.is_index_cut():
            connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[EmbeddedTransaction]:
        self.make()
        with self.at_work() as connection:
            mark = connection.transaction = EmbeddedTransaction(connection)
            try:
                assert connection.turns is not None
                connection.turns.begin(lambda: _begin(connection, "BEGIN IMMEDIATE"), self._wait_seconds)
                yield mark
                self._file.refuse_replaced()
                self._file.log_files.refuse_cut(connection)
                connection.execute("COMMIT")
                self._file.log_files.grown()
            except BaseException:
                self._roll_back(connection, mark)
                raise

    def settings(self) -> Mapping[str, str]:
        if not self.is_made():
            return {}
        return self._asked(lambda connection: dict(connection.execute("SELECT name, value FROM settings")))

    def statements_sent(self) -> int:
        """Return 0: reads stay in this process."""
        return 0

    def version(self) -> int:
        """Return the epoch; written out without helpers, because it is asked for after many reads."""
        FORKS.refuse_strangers()
        if not self._is_made and not self.is_made():
            return 0
        self._file.refuse_replaced()
        handle = self._connections.mine()
        handle.uses += 1
        try:
            connection = handle.connected()
            try:
                return _version(connection)
            except sqlite3.Error:
                return patiently(lambda: _version(connection), self._wait_seconds)
        except sqlite3.Error as failure:
            raise unavailable(failure, self._wait_seconds) from failure
        finally:
            handle.uses -= 1
            handle.use_is_over()

    def _asked(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Call a function with this thread's connection, again while the file is busy."""
        with self.at_work() as connection:
            return patiently(lambda: question(connection), self._wait_seconds)

    def is_empty(self) -> bool:
        """Return whether there is no file yet, or the store has neither a table nor a setting."""
        if not self.is_made():
            return True
        other_tables = self._asked(schema_in).keys() - OWN_TABLES[self.kind].keys()
        return self.version() == 0 and not other_tables and not self.settings().keys() - {SIGNING_KEY}

    def estimate_rows(self, table: Table) -> int:
        name = layout_of(table, table.primary_index()).name
        with self.at_work() as connection:
            row: tuple[int] = connection.execute(f"SELECT COUNT(*) FROM {quoted(name)}").fetchone()
        return row[0]

    def flush(self) -> None:
        """Do nothing: rows are in the file once they are written."""

    def topology(self) -> None:
        return None

    def close(self) -> None:
        """Close this thread's connection; those of other threads are closed when they are no longer used."""
        self._connections.close()
        if self._remove_folder is not None:
            self._remove_folder()


def _remove(folder: str, process: int) -> None:
    """Remove a temporary folder, unless this is a forked process: the folder is the parent's."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _begin(connection: sqlite3.Connection, statement: str) -> None:
    """Begin a transaction, after undoing one whose end was interrupted, as by Ctrl+C."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")
    connection.execute(statement)


def _version(connection: sqlite3.Connection) -> int:
    row: tuple[int] = connection.execute("PRAGMA user_version").fetchone()
    return row[0]


def _answers(connection: sqlite3.Connection, batches: Sequence[Batch]) -> Answers:
    """Answer the requests of all batches, one after another."""
    answers: Answers = []
    for read, many, _ in batches:
        if read.statements or read.is_bare:
            answers.append([_answer(connection, read, arguments) for arguments in many])
        else:
            execute, sql = connection.execute, read.sql
            answers.append([execute(sql, arguments).fetchall() for arguments in many])
    return answers


def _answer(connection: sqlite3.Connection, read: EmbeddedRead, arguments: tuple[Any, ...]) -> list[Row]:
    """Answer one request; if it takes several statements, in a transaction, so that its rows are of one state."""
    if not read.statements:
        raw_rows = connection.execute(read.sql, arguments).fetchall()
        return [()] * len(raw_rows) if read.is_bare else raw_rows
    if len(read.statements) > 1 and not connection.in_transaction:
        connection.execute("BEGIN")
        try:
            return _answer(connection, read, arguments)
        finally:
            connection.execute("COMMIT")
    limit: int = arguments[read.limit_position]
    rows: list[Row] = []
    for statement in read.statements:
        assert statement.arguments is not None
        chosen = statement.arguments(arguments)
        rows += connection.execute(statement.sql, (*chosen[:-1], limit - len(rows))).fetchall()
        if len(rows) >= limit:
            break
    return [()] * len(rows) if read.is_bare else rows


def _gets(connection: sqlite3.Connection, read: EmbeddedRead, keys: Sequence[tuple[Any, ...]]) -> list[Row | None]:
    """Answer gets by whole keys in few statements, in the order of the keys, so that neighbours are read together."""
    if read.gets is None or len(keys) < _FEWEST_GETS:
        return [next(iter(_answer(connection, read, key)), None) for key in keys]
    answers: list[Row | None] = [None] * len(keys)
    sql, most = read.gets.sql(), read.gets.most
    order = _sorted_places(keys)
    for first in range(0, len(order), most):
        places = order[first : first + most]
        padded = [*places, *places[:1] * (most - len(places))]  # one text of the statement, prepared once
        for number, *row in connection.execute(sql, [value for at in padded for value in keys[at]]):
            answers[padded[number]] = tuple(row)
    return answers


def _sorted_places(keys: Sequence[tuple[Any, ...]]) -> list[int]:
    """Return the places of the keys in their order; as they are where they do not compare."""
    try:
        return sorted(range(len(keys)), key=keys.__getitem__)
    except TypeError:
        return list(range(len(keys)))
