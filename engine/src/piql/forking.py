"""Renews objects in a forked process that would not work there.

A fork copies memory and only the thread that forks. In the child, a lock that another thread held stays locked for
ever, a thread pool has no threads, and an id that was unique to the parent exists twice. An object that has such parts
registers a function that renews them:

    renew_in_children(self, Pool._renew)
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
_renewals: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()  # object → what renews it


def renew_in_children(target: K, renew: Callable[[K], None]) -> None:
    """Call `renew(target)` in each process that is forked from this one, while `target` exists.

    It is called in the child alone, before any other code there.
    """
    _renewals[target] = renew


class RenewedLock:
    """A lock for `with renewed.lock:`, which is open in a forked process, even if a thread of the parent held it."""

    def __init__(self) -> None:
        self._open()
        renew_in_children(self, RenewedLock._open)

    def _open(self) -> None:
        self.lock = threading.Lock()


def _renew() -> None:
    for target, renew in list(_renewals.items()):
        renew(target)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
