"""The connections to one SQLite file: each thread has one, opened at its first use and closed before a fork.

Connections        of one store: finds the handle of this thread
ConnectionHandle   the connection of one thread: counts its uses, so that a fork or a close waits for them
Connection         SQLite's own connection
DatabaseFile       how a connection is opened
"""

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

from piql.errors import StoreForked, StoreReplaced, StoreUnavailable
from piql.store.embedded.fork import FORKS, File
from piql.store.embedded.log_files import LogFiles, refuse_missing
from piql.store.embedded.turns import Turns
from piql.store.embedded.waiting import patiently

Synchronous = Literal["FULL", "NORMAL"]

_CLOSED = "the store has been closed"
_FIRST_READ = "SELECT 1 FROM sqlite_schema LIMIT 1"  # makes the log, or opens the one that there is
_PRAGMAS = "PRAGMA mmap_size = 0; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
"""The file is not mapped into memory: a page that is gone by then would end the process by SIGBUS, without a word."""


class Connection(sqlite3.Connection):
    """A SQLite connection of a Python class, so that `leave_to_parent` can change the class.

    `transaction` is the object that began the last transaction; only its owner ends that transaction. `turns` is its
    way to the front of those who wait to write.
    """

    transaction: object = None
    turns: Turns | None = None

    def close(self) -> None:
        self.leave_queue()
        super().close()

    def leave_queue(self) -> None:
        """Close what `turns` has open, in this process alone."""
        if self.turns is not None:
            self.turns.close()


class ConnectionOfParent(Connection):
    """A connection of the parent, in a forked process: every use raises StoreForked, even closing it."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise StoreForked("this process was forked while its parent used this connection: leave it to the parent")

    execute = executemany = executescript = cursor = commit = rollback = close = _refuse


class Openable(Protocol):
    """Something that connections can be opened to."""

    def open(self) -> Connection:
        """Open a connection; raises sqlite3.Error."""
        ...

    @property
    def log_files(self) -> LogFiles:
        """The files beside it, which SQLite must not touch once they were cut."""
        ...


def uri_of(path: Path, options: str) -> str:
    """Return the URI by which SQLite opens a file with options, such as `mode=ro`."""
    return f"{path.absolute().as_uri()}?{options}"


class ConnectionHandle:
    """A thread's connection, which is open while it is used and usually between its uses.

    `uses` counts the uses under way, which may be nested: a read within a transaction. Only the thread itself counts
    them. The hot paths write the lines below instead of calling `used()`: a KeyboardInterrupt may come where a function
    begins, but not between the first two lines.

        handle.uses += 1
        try:
            … handle.connected() …
        finally:
            handle.uses -= 1
            handle.use_is_over()
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
        elif self.uses == 1:
            self._file.log_files.look(connection)
            if connection.in_transaction:  # its end was interrupted, as by Ctrl+C
                connection.execute("ROLLBACK")
        return connection

    def is_open_to(self, file: Openable) -> bool:
        """Return whether the connection is open, and to that file."""
        return self._file is file and self.connection is not None

    def use_is_over(self) -> None:
        """Close the connection if it was retired while it was in use."""
        if self._is_retired:
            self.close_if_over()

    @contextmanager
    def used(self) -> Iterator[Connection]:
        """Use the connection inside the context; a generator that is abandoned is closed, which ends its use, too."""
        self.uses += 1
        try:
            yield self.connected()
        finally:
            self.uses -= 1
            self.use_is_over()

    def retire(self) -> None:
        """Close the connection as soon as it is not in use: its thread has ended, or its store was closed."""
        if self.process != os.getpid():
            return  # it is the parent's: this process has just been forked
        self._is_retired = True
        self.close_if_over()

    def close_if_over(self) -> None:
        """Close the connection if it is retired and not in use, unless a fork is about to close it."""
        if self._is_retired and not self.uses and FORKS.take_turn():
            try:
                self.close()
            finally:
                FORKS.turn.release()

    def close(self) -> None:
        """Close the connection; the caller holds `FORKS.turn`. The next use opens another one."""
        connection, self.connection = self.connection, None
        if connection is not None:
            if self._file.log_files.must_stay_open():
                connection.leave_queue()
                _keep_for_ever(connection)
            else:
                with suppress(sqlite3.Error):
                    connection.close()
        if self._is_retired:
            FORKS.handles.discard(self)

    def leave_to_parent(self) -> None:
        """Leave a connection that is still open alone from now on: this is a forked process."""
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.leave_queue()
            connection.__class__ = ConnectionOfParent
            _keep_for_ever(connection)


def _keep_for_ever(connection: Connection) -> None:
    """Let a connection never be garbage-collected, even at the end of the process, because that would close it."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


class DatabaseFile:
    """A SQLite file in WAL mode, and how it is opened; a missing file is created only while `may_be_made` is set.

    The path names the same file for as long as the store is open, and that file only grows. Where the path names
    another one, SQLite would go on writing into a file without a name, and the log that lies at the path would be taken
    for that of the new file. Where the file was cut, writes would be acknowledged beside what is gone.
    """

    def __init__(self, path: Path, synchronous: Synchronous, wait_seconds: float) -> None:
        self.path = path
        self.is_closed = False
        self.may_be_made = False
        self._synchronous = synchronous
        self._wait_seconds = wait_seconds
        self._file: File | None = None  # that was opened first
        self._size = 0  # in bytes, the largest that was seen: the file of a store only grows
        self._log: File | None = None  # of the connection that was opened last
        self.log_files = LogFiles(path)

    def open(self) -> Connection:
        if self.is_closed:
            raise StoreUnavailable(_CLOSED)
        FORKS.refuse_inherited(self.path)
        self.refuse_replaced()
        self._refuse_changed_log()
        refuse_missing(self.path, uri_of(self.path, "mode=rw"), self._wait_seconds)
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
            patiently(lambda: connection.execute(_FIRST_READ).fetchone(), self._wait_seconds)
            self._file, self._log = self._file or _file_at(self.path), _file_at(self._beside("-wal"))
            self.log_files.opened()
            self.refuse_replaced()
            connection.turns = Turns(os.path.realpath(self.path))
        except BaseException:
            connection.close()  # now, and not at the next garbage collection
            raise
        return connection

    def _refuse_changed_log(self) -> None:
        """Raise StoreReplaced where the log or its index was cut, or removed while a connection has been open."""
        open_before = self._open_connections()
        if not open_before:
            self.log_files.refuse_known()
            return
        try:
            self.log_files.refuse_cut()
        except StoreReplaced:
            self.log_files.refuse_known()
            if any(connection in open_before for connection in self._open_connections()):
                raise  # else the last was closed meanwhile, and has removed both

    def _open_connections(self) -> list[Connection]:
        return [
            connection
            for handle in list(FORKS.handles)
            if handle.is_open_to(self) and (connection := handle.connection) is not None
        ]

    def refuse_replaced(self) -> None:
        """Raise StoreReplaced where the path names another file than the one opened first, a cut one, or none.

        A file that has got a second name is refused, too.
        """
        if self._file is None:
            return
        seen = self._size  # before the file is looked at: another thread may see it grow meanwhile
        try:
            status = os.stat(self.path)
        except OSError:
            raise StoreReplaced(
                f"{self._named} is gone: put it back, or open the store again to begin a new one"
            ) from None
        if (status.st_dev, status.st_ino) != self._file:
            self._set_log_aside()
            raise StoreReplaced(
                f"{self._named} was replaced while it was open: open the store again to use the new file"
            )
        refuse_linked(self.path, status)
        if status.st_size < seen:
            raise StoreReplaced(
                f"{self._named} was cut while it was open, from {seen} to {status.st_size} bytes: put a copy in its"
                " place, then open the store again"
            )
        self._size = status.st_size

    def leave(self, handle: ConnectionHandle | None) -> None:
        """Set the log aside if its file is not at the path any more, so that it is taken for no other file's.

        What the log has is written into the file before, wherever that is now: somebody may put it back.
        """
        if self._file is None or _file_at(self.path) == self._file:
            return
        if handle is not None and handle.connection is not None:
            with suppress(sqlite3.Error, StoreUnavailable), handle.used() as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._set_log_aside()

    def _set_log_aside(self) -> None:
        if self._log is not None and _file_at(self._beside("-wal")) == self._log:
            for end in ("-wal", "-shm"):
                with suppress(OSError):
                    os.rename(self._beside(end), self._beside(f"{end}.of-replaced-{self._log[1]}"))

    @property
    def _named(self) -> str:
        return f"the file of the embedded store {self.path}"

    def _beside(self, end: str) -> str:
        return os.path.realpath(self.path) + end


def refuse_linked(path: Path, status: os.stat_result) -> None:
    """Raise StoreUnavailable for a file that has several names (hard links).

    SQLite names the log after the name by which a file is opened: those who open it by different names have a log each.
    """
    if status.st_nlink > 1:
        raise StoreUnavailable(
            f"the file of the embedded store {path} has {status.st_nlink} names (hard links), and whoever opens it by"
            " another one would lose its writes",
            "remove the other name, or copy the file instead of linking it",
        )


def _file_at(path: str | Path) -> File | None:
    """Return which file a path names now; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


class _Ticket:
    """An object in a thread's local data: it is collected when the thread ends, which retires the connection."""


class Connections:
    """The connections of one store to its file."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file
        self._local = threading.local()

    def mine(self) -> ConnectionHandle:
        """Return this thread's connection, whose uses the caller counts."""
        try:
            handle: ConnectionHandle = self._local.handle
        except AttributeError:
            return self._hold()
        return handle

    def _hold(self) -> ConnectionHandle:
        handle, ticket = ConnectionHandle(self._file), _Ticket()
        FORKS.handles.add(handle)
        weakref.finalize(ticket, handle.retire)
        self._local.handle, self._local.ticket = handle, ticket
        return handle

    def close(self) -> None:
        """Let no connection be opened any more; each is closed once its thread no longer uses it."""
        self._file.leave(getattr(self._local, "handle", None))
        self._file.is_closed = True
        self._local = threading.local()
