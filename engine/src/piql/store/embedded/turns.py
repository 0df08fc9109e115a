"""Whose turn it is to write: of all who wait for the writer of a file, one stands at the front.

SQLite has no queue: whoever looks in the moment between two writers wins. With many processes some wait for ever, and
all that looking takes the processor time that the writer needs. So a file beside the store has a lock (`flock`) that
says who stands at the front:

    front is free      step there, begin the transaction, and leave the front. It costs two calls of the system
    front is taken     somebody waits longer: look again after a pause, without asking SQLite

Only the one at the front asks SQLite often. Correctness never depends on the front: SQLite's own lock decides who
writes. The system frees the front when a process ends, however it ends. A process that is stopped there holds up
nobody for long: whoever has waited for BEHIND_SECONDS asks SQLite as well. Where the lock fails, as on a network's file
system, a writer goes on without it.
"""

from __future__ import annotations

import os
import random
import sqlite3
import sys
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep

from piql.store.embedded.waiting import is_busy, patiently

if sys.platform != "win32":
    import fcntl

    _TAKE = fcntl.LOCK_EX | fcntl.LOCK_NB
    _OPEN = os.O_RDWR | os.O_NOFOLLOW

BESIDE = "-turn"
"""The end of the name of the file with the lock. It is empty, and stays when the store is closed."""

BEHIND_SECONDS = 0.2
_READ_AND_WRITE = 0o666
_PAUSE_SECONDS = 0.003  # a shorter one takes processor time from the writer, a longer one leaves the front empty


class Turns:
    """One connection's way to the front; it has a descriptor of its own, because the lock belongs to a descriptor."""

    __slots__ = ("_descriptor", "_path")

    def __init__(self, real_path: str) -> None:
        self._path: str | None = real_path  # None once the file was opened
        self._descriptor: int | None = None

    def begin(self, begin: Callable[[], object], wait_seconds: float) -> None:
        """Call `begin`, which raises SQLite's busy error while another writes, when it is this connection's turn.

        After `wait_seconds` it raises what `begin` raises.
        """
        if self._path is not None:
            self._descriptor, self._path = _opened(self._path), None
        try:  # before the lock is taken: Ctrl+C may come right after it
            if self._is_front_free():
                patiently(begin, wait_seconds)
            else:
                self._queue(begin, wait_seconds)
        finally:  # written out: a KeyboardInterrupt may come where a function begins
            if self._descriptor is not None:
                try:
                    fcntl.flock(self._descriptor, fcntl.LOCK_UN)
                except OSError:  # to close it leaves the front, too
                    self.close()

    def _is_front_free(self) -> bool:
        """Step to the front unless another stands there; without a lock that works, nobody does."""
        if self._descriptor is not None:
            try:
                fcntl.flock(self._descriptor, _TAKE)
            except BlockingIOError:
                return False
            except OSError:
                self.close()
        return True

    def _queue(self, begin: Callable[[], object], wait_seconds: float) -> None:
        """Wait for the front, then begin; after BEHIND_SECONDS begin without it, too."""
        started = monotonic()
        while (waited := monotonic() - started) < wait_seconds:
            sleep(_PAUSE_SECONDS * (0.5 + random.random()))
            if self._is_front_free():
                break
            if waited >= BEHIND_SECONDS and _is_begun(begin):
                return
        patiently(begin, wait_seconds - (monotonic() - started))

    def close(self) -> None:
        """Close the descriptor. In a forked process this leaves the parent's place as it is."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                os.close(descriptor)


def _opened(real_path: str) -> int | None:
    """Open the file with the lock, for whoever may open the store; None where there can be no such lock."""
    if sys.platform == "win32":
        return None
    name = real_path + BESIDE
    try:
        store = os.stat(real_path)
        try:
            descriptor = os.open(name, _OPEN | os.O_CREAT | os.O_EXCL, store.st_mode & _READ_AND_WRITE)
        except FileExistsError:
            return _locking(os.open(name, _OPEN))
    except OSError:
        return None
    with suppress(OSError):
        _share_as(store, descriptor)
    return _locking(descriptor)


def _share_as(store: os.stat_result, new: int) -> None:
    """Let the users of the store open a new file, as SQLite does for its own: whatever the umask, and if root made it.

    Only what is new is changed: a link that lay there might lead to somebody else's file.
    """
    if os.geteuid() == 0:
        os.fchown(new, store.st_uid, store.st_gid)
    os.fchmod(new, store.st_mode & _READ_AND_WRITE)


def _locking(descriptor: int) -> int | None:
    """Return the descriptor; close it and return None where the file system has no such locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _is_begun(begin: Callable[[], object]) -> bool:
    """Begin if nobody writes at this moment."""
    try:
        begin()
    except sqlite3.OperationalError as failure:
        if not is_busy(failure):
            raise
        return False
    return True
