"""Waits for other writers of the file, and turns what SQLite raises into errors of the engine.

SQLite's own waiting looks again after ever longer pauses, so that a writer that has waited long loses to those that
have just come. Here it is the other way round: one that has waited for some milliseconds looks most often.

    waited   < 5 ms   every 0.5 ms        < 200 ms   every 0.1 ms        longer   every 2 ms
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import TypeVar

from piql.errors import StoreFull, StoreNotWritable, StoreUnavailable

T = TypeVar("T")
_DAMAGED = ("is damaged, or is not a store", "replace its file with an intact copy")
_NOT_WRITABLE = ("may not be written to", "allow this user to write its file and the folder of the file")
_WHAT_TO_DO = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: ("has no room left on its disk", "free some space, then try again"),
    sqlite3.SQLITE_READONLY: _NOT_WRITABLE,
    sqlite3.SQLITE_PERM: _NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: ("has no file that can be opened", "give the path of a file that this user may write"),
    sqlite3.SQLITE_IOERR: (
        "could not read or write its file",
        "check whether the disk is full or failing, then try again",
    ),
}
_REFUSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)


def patiently(work: Callable[[], T], wait_seconds: float) -> T:
    """Call `work` again and again while SQLite finds the file busy; after `wait_seconds` raise what it raises."""
    started = monotonic()
    while True:
        try:
            return work()
        except sqlite3.OperationalError as failure:
            if not is_busy(failure):
                raise
            waited = monotonic() - started
            if waited >= wait_seconds:
                raise
            sleep(_pause(waited) * (0.5 + random.random()))


def is_busy(failure: sqlite3.Error) -> bool:
    """Return whether SQLite failed because another connection has the file locked."""
    code = getattr(failure, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _pause(waited: float) -> float:
    """Return the seconds until the next look, after so many seconds of waiting; the module's head has the table."""
    if waited < 0.005:
        return 0.0005
    return 0.0001 if waited < 0.2 else 0.002


def unavailable(failure: sqlite3.Error, wait_seconds: float = 0.0) -> StoreUnavailable:
    """Return the engine's error for one of SQLite's: what happened, and what to do."""
    if _kind(failure) == sqlite3.SQLITE_FULL:
        return StoreFull("the disk of the embedded store is full: nothing was written")
    said, advice = _said(failure, wait_seconds)
    return _class_of(failure)(f"the embedded store {said}", advice)


def not_opened(path: Path, failure: sqlite3.Error | OSError | ValueError, wait_seconds: float) -> StoreUnavailable:
    """Return the engine's error where a file could not be opened."""
    if isinstance(failure, sqlite3.Error):
        said, advice = _said(failure, wait_seconds)
        reason: str | None = f"it {said}"
    else:
        reason = failure.strerror if isinstance(failure, OSError) else str(failure)
        advice = "give the path of a file, in a folder that may be written to"
    return _class_of(failure)(f"cannot open the embedded store {path}: {reason}", advice)


def _class_of(failure: sqlite3.Error | OSError | ValueError) -> type[StoreUnavailable]:
    is_refused = isinstance(failure, PermissionError) or (
        isinstance(failure, sqlite3.Error) and _kind(failure) in _REFUSED
    )
    return StoreNotWritable if is_refused else StoreUnavailable


def _kind(failure: sqlite3.Error) -> int:
    """Return SQLite's primary result code of a failure."""
    code: int | None = getattr(failure, "sqlite_errorcode", None)
    if code is None:  # raised by Python; its message would show a user's text that is no UTF-8
        return sqlite3.SQLITE_CORRUPT if str(failure).startswith("Could not decode to UTF-8") else sqlite3.SQLITE_OK
    return code & 0xFF


def _said(failure: sqlite3.Error, wait_seconds: float) -> tuple[str, str]:
    """Return the end of a sentence whose subject is the store, and what to do."""
    if is_busy(failure):
        return f"was being written by others for {wait_seconds:g} s", "try again"
    return _WHAT_TO_DO.get(_kind(failure), (f"does not answer ({failure})", "try again, or start this process anew"))
