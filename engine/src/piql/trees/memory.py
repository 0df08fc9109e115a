"""Caches of results, keyed by the identity of what they were computed from: a keystroke costs what it changes.

Trees of unchanged files are the same objects, so results are looked up by identity. Each entry keeps its keys alive, so
that no other object can get their ids. Everything cached is immutable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from piql.forking import RenewedLock

V = TypeVar("V")

TURN = 1_000_000  # characters compiled anew; each leaves some 150 bytes in the caches


class Memory(Generic[V]):
    """A cache keyed by the identities of several objects; the least recently used entry is dropped first.

    `most` limits the number of entries, and `note_compiled` their size: an entry that was neither stored nor read
    during a whole turn is dropped, so all caches together hold what two turns of text need.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._recent: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}
        self._older: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}  # not used in this turn
        self._lock = RenewedLock()
        _memories.add(self)

    def get(self, keys: tuple[object, ...]) -> V | None:
        """Return the value of these objects, or None; it becomes the most recently used."""
        key = tuple(map(id, keys))
        with self._lock.lock:
            entry = self._recent.pop(key, None) or self._older.pop(key, None)
            if entry is None:
                return None
            self._recent[key] = entry  # the most recently used
        return entry[1]

    def put(self, keys: tuple[object, ...], value: V) -> V:
        """Store a value for these objects and return it."""
        with self._lock.lock:
            if len(self._recent) + len(self._older) >= self._most:
                oldest = self._older or self._recent
                del oldest[next(iter(oldest))]
            self._recent[tuple(map(id, keys))] = (keys, value)
        return value

    def recall(self, keys: tuple[object, ...], make: Callable[[], V]) -> V:
        """Return the cached value of these objects, or compute it by `make` and store it."""
        cached = self.get(keys)
        return cached if cached is not None else self.put(keys, make())

    def turn(self) -> None:
        """Drop the entries that were not used since the last turn."""
        with self._lock.lock:
            self._older, self._recent = self._recent, {}

    def __len__(self) -> int:
        return len(self._recent) + len(self._older)


class _Turns:
    """The number of characters compiled since the last turn."""

    characters = 0
    guard = RenewedLock()


_memories: WeakSet[Memory[Any]] = WeakSet()


def note_compiled(characters: int) -> None:
    """Count characters that were compiled anew; every TURN characters all caches take a turn."""
    with _Turns.guard.lock:
        _Turns.characters += characters
        if _Turns.characters < TURN:
            return
        _Turns.characters = 0
        memories = list(_memories)
    for memory in memories:
        memory.turn()
