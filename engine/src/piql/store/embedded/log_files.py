"""The log (-wal) and its index (-shm), which lie beside the file of an open store: neither becomes shorter meanwhile.

A write after the end of a cut log is acknowledged, and lost at the next start, because reading the log ends at the gap.
The index is mapped into memory by SQLite: to touch a part that was cut ends the process by SIGBUS, even at closing. So
both are refused before they are touched, and a connection whose index was cut stays open until the process ends.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic
from typing import NamedTuple
from weakref import finalize

from piql.errors import StoreReplaced

LOOK_SECONDS = 0.01  # between two looks, each of which costs as much as a read of a row or two

_CUT: dict[tuple[int, int], str] = {}
"""Databases, by device and inode, whose log or index was cut while this process had it open; the name of that file."""


class _Seen(NamedTuple):
    """Which file a name led to, and how long that was, in bytes."""

    file: tuple[int, int]
    size: int


class _Log:
    """A log, open for reading: to ask a descriptor for the length costs less than to look a name up.

    After a look at its name (stat) the next commit also writes when the log was changed: 40 of 245 µs.
    """

    def __init__(self, name: str) -> None:
        self._descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        finalize(self, os.close, self._descriptor).atexit = False
        self.size_seen = self.size()

    def size(self) -> int:
        """Return how long it is now, in bytes."""
        return os.lseek(self._descriptor, 0, os.SEEK_END)


class LogFiles:
    """The two files beside one database, as they were last seen; None where there was none, or no look yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log_name = self._index_name = ""
        self._log: _Log | None = None
        self._index_seen: _Seen | None = None
        self._looked_at = 0.0

    def opened(self) -> None:
        """Note how long the files are: a connection was opened, which may have found them or made them anew."""
        real_path = os.path.realpath(self._path)
        self._log_name, self._index_name = f"{real_path}-wal", f"{real_path}-shm"
        self._log, self._index_seen = _opened(self._log_name), _seen(self._index_name)

    def grown(self) -> None:
        """Note how long the log is after a write, if it is longer than before."""
        log = self._log
        if log is None:
            self._log = _opened(self._log_name)
        else:
            log.size_seen = max(log.size_seen, log.size())

    def look(self) -> None:
        """Raise StoreReplaced if one of the files was cut; look at most once in LOOK_SECONDS."""
        now = monotonic()
        if now - self._looked_at >= LOOK_SECONDS:
            self.refuse_cut()
            self._looked_at = now

    def refuse_cut(self) -> None:
        """Raise StoreReplaced if one of the files was cut; a connection has been open since it was last seen."""
        if self.is_index_cut():
            self._note(self._index_name)
        log = self._log
        if log is not None:
            seen = log.size_seen  # before the log is measured: another thread may write meanwhile
            if log.size() < seen:
                self._note(self._log_name)
        self.refuse_known()

    def _note(self, name: str) -> None:
        if (database := _seen(self._path)) is not None:
            _CUT.setdefault(database.file, name)

    def refuse_known(self) -> None:
        """Raise StoreReplaced if one of the files was cut while this process had the database open, then or before."""
        if _CUT and (database := _seen(self._path)) is not None and database.file in _CUT:
            raise StoreReplaced(
                f"{_CUT[database.file]} was cut while the embedded store was open: end every process that has the store"
                " open, then start again"
            )

    def is_index_cut(self) -> bool:
        """Return whether SQLite must not touch the index any more; a connection has been open since it was seen.

        One that was removed or renamed is not cut, to those who have it.
        """
        seen = self._index_seen
        now = _seen(self._index_name) if seen is not None else None
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
