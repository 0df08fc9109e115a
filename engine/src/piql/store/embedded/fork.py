"""Closes all SQLite files before a fork; where one stays open, the child refuses that file.

SQLite notes in a process's memory which locks the process has on a file. A fork copies the notes, but not the locks:
the child believes that it holds locks, while others take the file for unused and remove its log (section 2.6 of
sqlite.org/howtocorrupt.html). The notes on a file end when the last connection to it is closed. So:

    before the fork     new uses of connections wait. Uses under way are waited for, and their threads may use or close
                        other connections meanwhile. Then every connection is closed
    in the parent       a connection is opened again at its next use
    in the child        the same. But a database file that is still open there was open in the parent, too: by another
                        library, or by a use that did not end in time. That file is refused (StoreForked)

A thread that was inside SQLite at the moment of the fork may have held one of its mutexes, which nobody releases in the
child: there, every file is refused.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from stat import S_ISREG
from threading import get_ident
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from piql.errors import StoreForked

if TYPE_CHECKING:
    from piql.store.embedded.connections import ConnectionHandle

PATIENCE_SECONDS = 5.0
"""How long a fork waits for uses under way: as long as a writer waits for others."""

_LOOK_SECONDS = 0.0005  # between two looks at what is waited for
_MAGIC = b"SQLite format 3\0"  # how every database file begins
_ADVICE = "start it by spawn or forkserver, or close what has the file open before the fork"

File = tuple[int, int]  # device and inode


class Forks:
    """Keeps the uses of this process's connections apart from its forks; there is one instance, `FORKS`.

    is_near      a thread is about to fork
    handles      all connections of this process
    turn         the lock of the thread that forks, or that closes a connection
    _forker      the thread that forks
    _over        set when that fork is over
    _refused     files that were open in the parent when it forked, or in its own parent
    _is_stuck    another thread was inside SQLite when this process was forked
    """

    def __init__(self) -> None:
        self.is_near = False
        self.handles: Final[set[ConnectionHandle]] = set()
        self.turn = threading.RLock()
        self._forker = 0
        self._over = threading.Event()
        self._process = os.getpid()
        self._refused: set[File] = set()
        self._is_stuck = False

    def let_pass(self, handle: ConnectionHandle) -> None:
        """Wait, before a use, until a fork that is near is over.

        The thread that forks does not wait, nor does one with another use under way, since the fork waits for that.
        """
        while True:
            over = self._over
            if not self.is_near or self._forker == get_ident() or self._is_at_work(handle):
                return
            handle.uses -= 1
            try:
                over.wait()
            finally:
                handle.uses += 1

    def take_turn(self) -> bool:
        """Wait for the turn to close a connection; return False if a fork waits for this thread and will close it."""
        while not self.turn.acquire(timeout=_LOOK_SECONDS):
            if self.is_near and self._is_at_work():
                return False
        return True

    def _is_at_work(self, but: ConnectionHandle | None = None) -> bool:
        """Return whether this thread uses a connection other than `but`."""
        me = get_ident()
        return any(handle.uses and handle.thread == me and handle is not but for handle in list(self.handles))

    def refuse_strangers(self) -> None:
        """Raise StoreForked in a process that was forked by C code, so that the handlers here did not run."""
        if self._process != os.getpid():
            raise StoreForked(f"this process was forked without Python's knowledge: {_ADVICE}")

    def refuse_inherited(self, path: Path) -> None:
        """Raise StoreForked for a file on which SQLite has the notes of the parent process."""
        self.refuse_strangers()
        if self._is_stuck:
            raise StoreForked(
                f"this process was forked while another thread of its parent was at work in SQLite: {_ADVICE}"
            )
        if not self._refused:
            return
        try:
            status = os.stat(path)
        except OSError:  # a file that is not there yet
            return
        if (status.st_dev, status.st_ino) in self._refused:
            raise StoreForked(f"this process was forked while its parent had {path} open: {_ADVICE}")

    def before(self) -> None:
        """Wait for the uses under way, for PATIENCE_SECONDS at most, and close the connections that are not in use."""
        until = monotonic() + PATIENCE_SECONDS
        if not self.turn.acquire(timeout=PATIENCE_SECONDS):
            return
        me = self._forker = get_ident()
        self.is_near = True
        while any(handle.uses and handle.thread != me for handle in list(self.handles)) and monotonic() < until:
            sleep(_LOOK_SECONDS)
        for handle in list(self.handles):
            if not handle.uses:
                handle.close()

    def after_in_parent(self) -> None:
        """Let waiting threads go on."""
        if self.is_near and self._forker == get_ident():
            self.is_near = False
            self._over.set()
            self._over = threading.Event()
            for handle in list(self.handles):  # those that were retired while a thread still used them
                handle.close_if_over()
            self.turn.release()

    def after_in_child(self) -> None:
        """Leave connections that are still open alone, refuse their files from now on, and start afresh."""
        me = get_ident()
        was_closing = not self.turn.acquire(blocking=False)
        self._is_stuck = (
            self._is_stuck or was_closing or any(handle.uses and handle.thread != me for handle in self.handles)
        )
        self._refused |= _open_databases()
        self._process = os.getpid()
        for handle in list(self.handles):
            handle.leave_to_parent()
            if handle.thread == me:
                handle.process = self._process
            else:
                self.handles.discard(handle)
        self.is_near = False
        self._over = threading.Event()
        self.turn = threading.RLock()


def _open_databases() -> set[File]:
    """Return the SQLite databases that this process has open, by whatever library."""
    databases: set[File] = set()
    for descriptor in _descriptors():
        try:
            status = os.fstat(descriptor)
            if S_ISREG(status.st_mode) and os.pread(descriptor, len(_MAGIC), 0) == _MAGIC:
                databases.add((status.st_dev, status.st_ino))
        except OSError:  # not open any more, or not for reading
            continue
    return databases


def _descriptors() -> list[int]:
    """Return the open file descriptors of this process; where the system does not list them, all that may be."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return [int(name) for name in os.listdir(folder) if name.isdigit()]
        except OSError:
            continue
    return list(range(os.sysconf("SC_OPEN_MAX")))


FORKS: Final = Forks()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=FORKS.before, after_in_parent=FORKS.after_in_parent, after_in_child=FORKS.after_in_child)
