"""Waits for other writers of the file, and turns what SQLite raises into errors of the engine.

SQLite's own waiting looks again after ever longer pauses, so that a writer that has waited long loses to those who have
just come. Here it is the other way round: who has waited for some milliseconds looks most often.

    waited   < 5 ms   every 0.5 ms        < 200 ms   every 0.1 ms        longer   every 2 ms
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

from piql.errors import StoreFull, StoreUnavailable

T = TypeVar("T")


def patiently(work: Callable[[], T], wait_seconds: float) -> T:
    """Do what may find the file busy, again and again until it is not; give up after `wait_seconds`."""
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
    code = getattr(failure, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _pause(waited: float) -> float:
    if waited < 0.005:
        return 0.0005
    return 0.0001 if waited < 0.2 else 0.002


def unavailable(failure: sqlite3.Error | OSError, wait_seconds: float = 0.0) -> StoreUnavailable:
    """Give the engine's error for one of SQLite's."""
    if isinstance(failure, sqlite3.Error) and is_busy(failure):
        return StoreUnavailable(f"the embedded store was written to by others for {wait_seconds:g} s: try again")
    if getattr(failure, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
        return StoreFull("the disk of the embedded store is full: nothing was written")
    return StoreUnavailable(f"the embedded store does not answer: {failure}")
