"""Notices when another program cuts or removes the log (-wal) or its index (-shm) beside an open store.

A log that was cut: SQLite would acknowledge further writes, and lose them at the next start, because reading the log
ends at the gap. An index that was cut: SQLite has mapped it into memory, so touching the missing part would end the
process with SIGBUS, even while it closes. So the store refuses to go on before it touches either file. A connection
whose index was cut stays open until the process ends.

SQLite itself removes the two files only when nobody has the database open any more. If another program removes one, the
processes that have it open go on writing into a file without a name. Processes that open the store later make a new
file. Neither side sees what the other acknowledges.

    one is missing     acknowledged writes are copied into the database; no other process can have made a new file
    one was replaced   nothing is touched: closing the connection would write old pages, and remove the new log
    at opening         no new file is made where one is missing while the database is locked
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import NamedTuple
from weakref import finalize

from piql.errors import StoreReplaced
from piql.store.embedded.waiting import is_busy, patiently

LOOK_SECONDS = 0.01  # between two looks, each of which costs as much as a read of a row or two

_END_ALL = "end every process that has the store open, then start again"
_WAS_CUT = "was cut while the embedded store was open"
_WAS_REMOVED = "removed while the embedded store was open"
_NO_NAME = " (deleted)"  # how Linux ends the link of a descriptor whose file was removed

_REFUSED: dict[tuple[int, int], str] = {}
"""What happened to databases, by device and inode, whose log or index was cut or replaced while this process used them.

Every later connection of this process would share the old index, so the store is refused from then on.
"""


class _Seen(NamedTuple):
    """Which file a name led to, and how long that was, in bytes."""

    file: tuple[int, int]
    size: int


class _Log:
    """A log, open for reading, because asking a descriptor for the length costs less than looking a name up.

    A look at the name (`stat`) makes the next commit store the log's time of change as well, which takes 40 of 245 µs.
    So `is_at` first reads the link in /proc that Linux keeps for a descriptor, and looks at the name only if that link
    has changed.
    """

    def __init__(self, name: str) -> None:
        self._descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        finalize(self, os.close, self._descriptor).atexit = False
        status = os.fstat(self._descriptor)
        self.file, self.size_seen = (status.st_dev, status.st_ino), status.st_size
        link = self._link()
        self._link_seen = None if link is None or link.endswith(_NO_NAME) else link

    def size(self) -> int:
        """Return how long it is now, in bytes."""
        return os.lseek(self._descriptor, 0, os.SEEK_END)

    def is_at(self, name: str) -> bool:
        """Return whether its name still leads to it."""
        if self._link_seen is not None and self._link() == self._link_seen:
            return True
        seen = _seen(name)
        return seen is not None and seen.file == self.file

    def _link(self) -> str | None:
        try:
            return os.readlink(f"/proc/self/fd/{self._descriptor}")
        except OSError:
            return None


class LogFiles:
    """The two files beside one database, as they were last seen; None where there was none, or no look yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log_name = self._index_name = ""
        self._database: _Seen | None = None
        self._log: _Log | None = None
        self._index_seen: _Seen | None = None
        self._looked_at = 0.0

    def opened(self) -> None:
        """Note how long the files are: a connection was opened, which may have found them or made them anew."""
        real_path = os.path.realpath(self._path)
        self._log_name, self._index_name = f"{real_path}-wal", f"{real_path}-shm"
        self._database = _seen(self._path)
        self._log, self._index_seen = _opened(self._log_name), _seen(self._index_name)

    def grown(self) -> None:
        """Note how long the log is after a write, if it is longer than before."""
        log = self._log
        if log is None:
            self._log = _opened(self._log_name)
        else:
            log.size_seen = max(log.size_seen, log.size())

    def look(self, connection: sqlite3.Connection) -> None:
        """Raise StoreReplaced if one of the files was cut or removed; look at most once in LOOK_SECONDS."""
        now = monotonic()
        if now - self._looked_at >= LOOK_SECONDS:
            self.refuse_cut(connection)
            self._looked_at = now

    def refuse_cut(self, connection: sqlite3.Connection | None = None) -> None:
        """Raise StoreReplaced if one of the files was cut or removed; a connection is open since it was last seen.

        If it was removed, what was acknowledged is saved by the connection, whose transaction is undone.
        """
        index_seen = self._index_seen
        index = None if index_seen is None else _seen(self._index_name)
        if _is_cut(index_seen, index):
            self._note(f"{self._index_name} {_WAS_CUT}")
        log = self._log
        if log is not None:
            seen = log.size_seen  # before the log is measured: another thread may write meanwhile
            if log.size() < seen:
                self._note(f"{self._log_name} {_WAS_CUT}")
        self.refuse_known()
        if (log is not None and not log.is_at(self._log_name)) or (
            index_seen is not None and (index is None or index.file != index_seen.file)
        ):
            self._refuse_removed(connection)

    def _refuse_removed(self, connection: sqlite3.Connection | None) -> None:
        """Raise StoreReplaced for a file that was removed, unless the database itself is not there any more."""
        if not self._is_database_there():
            return
        self._note_replaced()
        self.refuse_known()
        if connection is not None and _is_saved(connection):
            loss = "what was acknowledged has been saved in the file of the store"
        else:
            loss = "what was acknowledged is saved when the store is closed, and lost if its process is killed before"
        missing = [name for name in (self._log_name, self._index_name) if _seen(name) is None]
        if missing:  # somebody may have put it back by now
            raise StoreReplaced(f"{_were(missing)} {_WAS_REMOVED}: {loss}", _END_ALL)

    def _is_database_there(self) -> bool:
        database, seen = self._database, _seen(self._path)
        return database is not None and seen is not None and seen.file == database.file

    def _note_replaced(self) -> bool:
        """Note if one of the names leads to another file than the one that was opened; return whether it does."""
        opened = (
            (self._log_name, None if self._log is None else self._log.file),
            (self._index_name, None if self._index_seen is None else self._index_seen.file),
        )
        replaced = [
            name for name, file in opened if file is not None and (now := _seen(name)) is not None and now.file != file
        ]
        if not replaced or not self._is_database_there():
            return False
        if self._log_name in replaced:
            loss = "acknowledged writes that were only in the old one are lost"
        else:
            loss = "what was acknowledged is not lost, and nothing more is written"
        self._note(f"{_were(replaced)} {_WAS_REMOVED}, and another program has made a new one: {loss}")
        return True

    def must_stay_open(self) -> bool:
        """Return whether SQLite must not close a connection: the index was cut, or one of the files replaced."""
        return self.is_index_cut() or self._note_replaced()

    def _note(self, event: str) -> None:
        if (database := _seen(self._path)) is not None:
            _REFUSED.setdefault(database.file, event)

    def refuse_known(self) -> None:
        """Raise StoreReplaced if one was cut or replaced while this process had the database open, then or before."""
        if _REFUSED and (database := _seen(self._path)) is not None and database.file in _REFUSED:
            raise StoreReplaced(_REFUSED[database.file], _END_ALL)

    def is_index_cut(self) -> bool:
        """Return whether SQLite must not touch the index any more; a connection has been open since it was seen.

        One that was removed or renamed is not cut, to those who have it.
        """
        seen = self._index_seen
        return seen is not None and _is_cut(seen, _seen(self._index_name))


def refuse_missing(path: Path, uri: str, wait_seconds: float) -> None:
    """Raise StoreReplaced if one of the files is missing although somebody has the database open.

    Somebody who has just begun to open it makes them in a moment. Whoever has it open keeps a lock on it, so that this
    connection gets no lock for itself alone; it makes no index, and its log goes when it is closed.
    """
    log_name, index_name = (os.path.realpath(path) + end for end in ("-wal", "-shm"))

    def look() -> None:
        if os.path.exists(index_name) and os.path.exists(log_name):
            return
        connection = sqlite3.connect(uri, uri=True, timeout=0.0, isolation_level=None)
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        finally:
            connection.close()

    try:
        patiently(look, wait_seconds)
    except sqlite3.Error as failure:  # any other is met, and said, at opening
        missing = [name for name in (log_name, index_name) if not os.path.exists(name)]
        if is_busy(failure) and missing:
            raise StoreReplaced(
                f"another process has the embedded store {path} open, but {' and '.join(missing)} was removed: only"
                " that process has its latest writes, and it saves them when it is closed",
                "close it without killing it, then try again",
            ) from failure


def _were(names: list[str]) -> str:
    return f"{' and '.join(names)} {'were' if len(names) > 1 else 'was'}"


def _is_saved(connection: sqlite3.Connection) -> bool:
    """Write what the log has into the database; return whether that is all of it."""
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        is_stopped, pages, saved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return not is_stopped and pages == saved
    return False


def _is_cut(seen: _Seen | None, now: _Seen | None) -> bool:
    return now is not None and seen is not None and now.file == seen.file and now.size < seen.size


def _opened(name: str) -> _Log | None:
    try:
        return _Log(name)
    except (OSError, ValueError):
        return None


def _seen(name: str | Path) -> _Seen | None:
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return None
    return _Seen((status.st_dev, status.st_ino), status.st_size)
