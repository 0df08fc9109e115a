"""The connections to one SQLite file: each thread has one, opened when it is used and closed before a fork."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any, Literal, NoReturn, Protocol

from piql.errors import StoreForked, StoreUnavailable
from piql.store.embedded.fork import FORKS
from piql.store.embedded.waiting import patiently

Synchronous = Literal["FULL", "NORMAL"]

_CLOSED = "the store has been closed"
_PRAGMAS = "PRAGMA mmap_size = 268435456; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"


class Connection(sqlite3.Connection):
    """A connection whose class can be changed: that of SQLite cannot.

    `transaction` is whatever began its last transaction, and may end it.
    """

    transaction: object = None


class ConnectionOfParent(Connection):
    """What a forked process has of its parent's connection: nothing may be done with it, not even to close it."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise StoreForked("this process was forked while its parent used this connection: leave it to the parent")

    execute = executemany = executescript = cursor = commit = rollback = close = _refuse


class Openable(Protocol):
    """What a connection is opened to."""

    def open(self) -> Connection: ...


def uri_of(path: Path, options: str) -> str:
    """Return the address by which SQLite opens a file in a way of its own."""
    return f"{path.absolute().as_uri()}?{options}"


class Held:
    """A thread's connection, which is open while it is used and usually between its uses.

    `uses` counts those under way, one in another: a read within a transaction. Only the thread itself counts them, and
    no function does it for others: Ctrl+C may come where a function begins, but not between these two lines.

        held.uses += 1
        try:
            … held.connected() …
        finally:
            held.uses -= 1
            held.use_is_over()
    """

    __slots__ = ("_file", "_is_retired", "connection", "process", "thread", "uses")

    def __init__(self, file: Openable) -> None:
        self._file = file
        self._is_retired = False
        self.connection: Connection | None = None
        self.thread = get_ident()
        self.process = os.getpid()
        self.uses = 0

    def connected(self) -> Connection:
        """Return the connection for a use that has been counted; raise what SQLite raises when it opens a file."""
        if self.uses == 1:
            if self._is_retired:  # by its store, in another thread
                raise StoreUnavailable(_CLOSED)
            if FORKS.is_near:
                FORKS.let_pass(self)
        connection = self.connection
        if connection is None:
            connection = self.connection = self._file.open()
        elif self.uses == 1 and connection.in_transaction:  # its end was interrupted, as by Ctrl+C
            connection.execute("ROLLBACK")
        return connection

    def use_is_over(self) -> None:
        """Close what was given up while it was in use."""
        if self._is_retired:
            self.close_if_over()

    @contextmanager
    def used(self) -> Iterator[Connection]:
        """Use the connection; a generator that is not finished is closed, and so its use ends in any case."""
        self.uses += 1
        try:
            yield self.connected()
        finally:
            self.uses -= 1
            self.use_is_over()

    def retire(self) -> None:
        """Close it when it is no longer used: its thread has ended, or its store was closed."""
        if self.process != os.getpid():
            return  # the parent's: this process has been forked just now
        self._is_retired = True
        self.close_if_over()

    def close_if_over(self) -> None:
        """Close it if it is retired and not in use, unless the fork that is near is about to."""
        if self._is_retired and not self.uses and FORKS.take_turn():
            try:
                self.close()
            finally:
                FORKS.turn.release()

    def close(self) -> None:
        """Close the connection, by who has the turn; the next use opens another one."""
        connection, self.connection = self.connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
        if self._is_retired:
            FORKS.held.discard(self)

    def leave_to_parent(self) -> None:
        """Never touch again, in a forked process, what is still open."""
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.__class__ = ConnectionOfParent
            _keep_for_ever(connection)


def _keep_for_ever(connection: Connection) -> None:
    """Let a connection never be collected, not even when the process ends: it would be closed then."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


class DatabaseFile:
    """A SQLite file in WAL mode, and how it is opened; one that is not there is made only while `may_be_made`."""

    def __init__(self, path: Path, synchronous: Synchronous, wait_seconds: float) -> None:
        self.path = path
        self.is_closed = False
        self.may_be_made = False
        self._synchronous = synchronous
        self._wait_seconds = wait_seconds

    def open(self) -> Connection:
        if self.is_closed:
            raise StoreUnavailable(_CLOSED)
        FORKS.refuse_inherited(self.path)
        connection = sqlite3.connect(
            uri_of(self.path, "mode=rwc" if self.may_be_made else "mode=rw"),
            uri=True,
            timeout=0.0,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=1024,
            factory=Connection,
        )
        try:
            patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"), self._wait_seconds)
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            connection.executescript(_PRAGMAS)
        except BaseException:
            connection.close()  # here, and not whenever it is collected
            raise
        return connection


class _Ticket:
    """Goes with the thread that has it."""


class Connections:
    """The connections of one store to its file."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file
        self._local = threading.local()

    def mine(self) -> Held:
        """Return this thread's connection, to be entered for each use."""
        try:
            held: Held = self._local.held
        except AttributeError:
            return self._hold()
        return held

    def _hold(self) -> Held:
        held, ticket = Held(self._file), _Ticket()
        FORKS.held.add(held)
        weakref.finalize(ticket, held.retire)
        self._local.held, self._local.ticket = held, ticket
        return held

    def close(self) -> None:
        """Close this thread's connection; those of other threads go when they are no longer at work."""
        self._file.is_closed = True
        self._local = threading.local()
