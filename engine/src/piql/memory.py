"""What earlier compilations found, kept by the identity of what it was found from: a keystroke costs what it changes.

Trees of unchanged files are the same objects, so what was made from them can be found again by identity; each entry
holds on to its keys, so that no other object can take their place. Everything kept is immutable.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from piql.forking import renew_in_children

V = TypeVar("V")


class Memory(Generic[V]):
    """Values by the identities of several objects; what was not asked for longest is forgotten first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}
        self._lock = Lock()
        renew_in_children(self, Memory._renew)

    def _renew(self) -> None:
        """Open the lock, which another thread of the parent may have held; whatever it was at, each entry is whole."""
        self._lock = Lock()

    def get(self, keys: tuple[object, ...]) -> V | None:
        key = tuple(map(id, keys))
        with self._lock:
            entry = self._found.pop(key, None)
            if entry is None:
                return None
            self._found[key] = entry  # the youngest again
        return entry[1]

    def put(self, keys: tuple[object, ...], value: V) -> V:
        with self._lock:
            if len(self._found) >= self._most:
                del self._found[next(iter(self._found))]
            self._found[tuple(map(id, keys))] = (keys, value)
        return value

    def recall(self, keys: tuple[object, ...], make: Callable[[], V]) -> V:
        """Give what was found from these objects, or find it now."""
        known = self.get(keys)
        return known if known is not None else self.put(keys, make())
