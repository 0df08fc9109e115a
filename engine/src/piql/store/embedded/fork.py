"""A fork while SQLite files are open: none is open at that moment, or the child refuses the file.

SQLite notes in a process's memory which locks the process has on a file. A fork copies the notes, but not the locks:
the child would take itself for safe, while others take the file for unused and remove its log (section 2.6 of
sqlite.org/howtocorrupt.html). The notes on a file end when the last connection to it is closed. So:

    before the fork     new uses of connections wait; those under way are waited for, with whatever else their threads
                        use or close meanwhile; every connection is closed
    in the parent       each is opened again when it is next used
    in the child        the same; but a database file that is open there already was open in the parent, too: by
                        another library, or by a use that did not end in time. That file is refused (StoreForked)

A thread that was at work in SQLite at the moment of the fork may have held one of its mutexes, which nobody releases in
the child: SQLite as a whole is refused there.
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
    from piql.store.embedded.connections import Held

PATIENCE_SECONDS = 5.0
"""How long a fork waits for uses under way: as long as a writer waits for others."""

_LOOK_SECONDS = 0.0005
_MAGIC = b"SQLite format 3\0"
_ADVICE = "start it by spawn or forkserver, or close what has the file open before the fork"

File = tuple[int, int]  # device and inode


class Forks:
    """Keeps this process's connections and its forks apart; there is one, `FORKS`."""

    def __init__(self) -> None:
        self.is_near = False
        self.held: Final[set[Held]] = set()  # all connections of this process
        self.turn = threading.RLock()  # held by who forks, and by who closes a connection
        self._forker = 0
        self._over = threading.Event()
        self._process = os.getpid()
        self._refused: set[File] = set()  # open in the parent when it forked, or in the parent's own parent
        self._is_stuck = False

    def let_pass(self, held: Held) -> None:
        """Wait until a fork that is near is over; who forks may go on, and so may a thread that the fork waits for."""
        while True:
            over = self._over
            if not self.is_near or self._forker == get_ident() or self._is_at_work(held):
                return
            held.uses -= 1
            try:
                over.wait()
            finally:
                held.uses += 1

    def take_turn(self) -> bool:
        """Wait for the turn to close a connection; false where a fork waits for this thread, and closes it itself."""
        while not self.turn.acquire(timeout=_LOOK_SECONDS):
            if self.is_near and self._is_at_work():
                return False
        return True

    def _is_at_work(self, but: Held | None = None) -> bool:
        """Return whether this thread uses a connection other than one."""
        me = get_ident()
        return any(held.uses and held.thread == me and held is not but for held in list(self.held))

    def refuse_strangers(self) -> None:
        """Raise StoreForked in a process that was forked in a way of which Python was not told."""
        if self._process != os.getpid():
            raise StoreForked(f"this process was forked without Python's knowledge: {_ADVICE}")

    def refuse_inherited(self, path: Path) -> None:
        """Raise StoreForked where the notes that SQLite has on a file are those of the parent process."""
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
        """Close every connection, those in use when their use ends; what does not end in time stays open."""
        until = monotonic() + PATIENCE_SECONDS
        if not self.turn.acquire(timeout=PATIENCE_SECONDS):
            return
        me = self._forker = get_ident()
        self.is_near = True
        while any(held.uses and held.thread != me for held in list(self.held)) and monotonic() < until:
            sleep(_LOOK_SECONDS)
        for held in list(self.held):
            if not held.uses:
                held.close()

    def after_in_parent(self) -> None:
        """Let the others go on."""
        if self.is_near and self._forker == get_ident():
            self.is_near = False
            self._over.set()
            self._over = threading.Event()
            for held in list(self.held):  # given up by a thread that was still at work
                held.close_if_over()
            self.turn.release()

    def after_in_child(self) -> None:
        """Leave alone what is still open, and refuse its files from now on."""
        me = get_ident()
        was_closing = not self.turn.acquire(blocking=False)
        self._is_stuck = self._is_stuck or was_closing or any(held.uses and held.thread != me for held in self.held)
        self._refused |= _open_databases()
        self._process = os.getpid()
        for held in list(self.held):
            held.leave_to_parent()
            if held.thread == me:
                held.process = self._process
            else:
                self.held.discard(held)
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
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return [int(name) for name in os.listdir(folder) if name.isdigit()]
        except OSError:
            continue
    return list(range(os.sysconf("SC_OPEN_MAX")))


FORKS: Final = Forks()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=FORKS.before, after_in_parent=FORKS.after_in_parent, after_in_child=FORKS.after_in_child)
