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

from piql.errors import StoreReplaced

LOOK_SECONDS = 0.01  # between two looks, each of which costs as much as a read of a row or two

_CUT: dict[tuple[int, int], str] = {}
"""Databases, by device and inode, whose log or index was cut while this process had it open; the name of that file."""


class _Seen(NamedTuple):
    """Which file a name led to, and how long that was, in bytes."""

    file: tuple[int, int]
    size: int


class LogFiles:
    """The two files beside one database, as they were last seen; None where there was none, or no look yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = self._index = ""  # their names
        self._log_seen: _Seen | None = None
        self._index_seen: _Seen | None = None
        self._looked_at = 0.0

    def opened(self) -> None:
        """Note how long the files are: a connection was opened, which may have found them or made them anew."""
        real_path = os.path.realpath(self._path)
        self._log, self._index = f"{real_path}-wal", f"{real_path}-shm"
        self._log_seen, self._index_seen = _seen(self._log), _seen(self._index)

    def grown(self) -> None:
        """Note how long the log is after a write, if it is longer than before."""
        now, before = _seen(self._log), self._log_seen
        if now is not None and (before is None or now.file != before.file or now.size > before.size):
            self._log_seen = now

    def look(self) -> None:
        """Raise StoreReplaced if one of the files was cut; look at most once in LOOK_SECONDS."""
        now = monotonic()
        if now - self._looked_at >= LOOK_SECONDS:
            self.refuse_cut()
            self._looked_at = now

    def refuse_cut(self) -> None:
        """Raise StoreReplaced if one of the files was cut; a connection has been open since it was last seen."""
        for name, seen in ((self._index, self._index_seen), (self._log, self._log_seen)):
            if _is_shorter(name, seen) and (database := _seen(self._path)) is not None:
                _CUT.setdefault(database.file, name)
        self.refuse_known()

    def refuse_known(self) -> None:
        """Raise StoreReplaced if one of the files was cut while this process had the database open, then or before."""
        if _CUT and (database := _seen(self._path)) is not None and database.file in _CUT:
            raise StoreReplaced(
                f"{_CUT[database.file]} was cut while the embedded store was open: end every process that has the store"
                " open, then start again"
            )

    def is_index_cut(self) -> bool:
        """Return whether SQLite must not touch the index any more; a connection has been open since it was seen."""
        return _is_shorter(self._index, self._index_seen)


def _seen(name: str | Path) -> _Seen | None:
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return None
    return _Seen((status.st_dev, status.st_ino), status.st_size)


def _is_shorter(name: str, seen: _Seen | None) -> bool:
    """Return whether a file is shorter than it was; one that was removed or renamed is not, to those who have it."""
    now = _seen(name) if seen is not None else None
    return now is not None and seen is not None and now.file == seen.file and now.size < seen.size
