"""What a forked process makes anew of what it has taken over from its parent.

A fork copies memory and the one thread that forks. A lock that another thread held stays held for ever in the child, a
thread pool has no threads, and a name that was this process's alone is that of two. Whoever keeps such things says how
they are made anew.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
_renewals: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()


def renew_in_children(kept: K, renew: Callable[[K], None]) -> None:
    """Let something be made anew in each process that is forked from this one, for as long as it is there.

    `renew` is called in the child alone, before anything else runs there.
    """
    _renewals[kept] = renew


class RenewedLock:
    """A lock, `with its.lock:`, that is open in a forked process, whichever thread of the parent held it."""

    def __init__(self) -> None:
        self._open()
        renew_in_children(self, RenewedLock._open)

    def _open(self) -> None:
        self.lock = threading.Lock()


def _renew() -> None:
    for kept, renew in list(_renewals.items()):
        renew(kept)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
