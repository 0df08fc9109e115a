"""Limits how many requests are under way at once; later ones wait their turn without holding a thread.

enter(send) ──▶ room? ──▶ send() ──▶ … the request ends ──▶ leave() ──▶ send() of the one that waits longest
                  └─ no ─▶ waits
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable


class Gate:
    """At most `width` requests at once; may be used from any number of threads. Who has entered must leave once."""

    def __init__(self, width: int) -> None:
        self._free = width
        self._width = width
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_sending = False
        self._lock = threading.Lock()

    @property
    def under_way(self) -> int:
        """How many requests have entered and not left; more than the width after it was narrowed."""
        return self._width - self._free

    def widen(self, width: int) -> None:
        """Change how many requests may be under way; waiting ones start when the next one leaves."""
        with self._lock:
            self._free += width - self._width
            self._width = width

    def enter(self, send: Callable[[], None]) -> None:
        """Call `send` now if there is room, else as soon as there is, in the thread that leaves."""
        with self._lock:
            if self._free <= 0:
                self._waiting.append(send)
                return
            self._free -= 1
        send()

    def try_enter(self) -> bool:
        """Enter if there is room; return whether it did. It never waits."""
        with self._lock:
            if self._free <= 0:
                return False
            self._free -= 1
            return True

    def leave(self) -> None:
        """End one request and start waiting ones.

        A request that ends inside its own `send` comes here again: that call only counts, and the loop of the outer
        one starts the next request. So the stack does not grow with the queue.
        """
        with self._lock:
            self._free += 1
            if self._is_sending:
                return
            self._is_sending = True
        try:
            while (send := self._next()) is not None:
                send()
        except BaseException:
            self._is_sending = False
            raise

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            if self._free <= 0 or not self._waiting:
                self._is_sending = False
                return None
            self._free -= 1
            return self._waiting.popleft()
