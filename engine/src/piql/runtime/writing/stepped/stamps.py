"""Names of writes: each begins with a stamp, microseconds that grow from one write of a record to the next.

0005f2c9a1b3c4d8-9f3a11c2-1f      stamp, process, number
stamp, stamp + 1, stamp + 2       when its entries are written: doubtful, visible, deleted
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from time import time

STEP = 4  # microseconds from one write to the next: room for the times of its entries


def stamp_of(write: str | None) -> int:
    """Return the stamp of a write; 0 for a record that no write has left."""
    return int(write[:16], 16) if write else 0


class Stamps:
    """Makes the names of one client process's writes; `clock` gives seconds since 1970."""

    def __init__(self, process: str | None = None, clock: Callable[[], float] = time) -> None:
        self.process = process or secrets.token_hex(4)
        self._clock = clock
        self._last = 0
        self._number = 0
        self._lock = threading.Lock()

    def rename(self) -> None:
        """Take another name: a forked process shares its parent's, and names of writes must be of one process."""
        self.process = secrets.token_hex(4)
        self._lock = threading.Lock()

    def seconds(self) -> float:
        """Return the time now, in seconds since 1970."""
        return self._clock()

    def write_after(self, *stamps: int) -> str:
        """Return the name of a write that is later than any of these, and than all that this process made before."""
        with self._lock:
            now = int(self._clock() * 1_000_000)
            self._last = max(now, self._last + STEP, *(stamp + STEP for stamp in stamps)) // STEP * STEP
            self._number += 1
            return f"{self._last:016x}-{self.process}-{self._number:x}"
