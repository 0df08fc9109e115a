"""What earlier compilations found, kept by the identity of what it was found from: a keystroke costs what it changes.

Trees of unchanged files are the same objects, so what was made from them can be found again by identity; each entry
holds on to its keys, so that no other object can take their place. Everything kept is immutable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from piql.forking import RenewedLock

V = TypeVar("V")

TURN = 1_000_000  # characters compiled anew, of which some 150 bytes each are kept


class Memory(Generic[V]):
    """Values by the identities of several objects; what was not asked for longest is forgotten first.

    `most` limits how many there are, and `note_compiled` how many bytes: what was neither found nor asked for during a
    whole turn is forgotten, so that all memories together hold what two turns of text are made of, and no more.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}
        self._older: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}  # not asked for in this turn
        self._lock = RenewedLock()
        _memories.add(self)

    def get(self, keys: tuple[object, ...]) -> V | None:
        key = tuple(map(id, keys))
        with self._lock.lock:
            entry = self._found.pop(key, None) or self._older.pop(key, None)
            if entry is None:
                return None
            self._found[key] = entry  # the youngest again
        return entry[1]

    def put(self, keys: tuple[object, ...], value: V) -> V:
        with self._lock.lock:
            if len(self._found) + len(self._older) >= self._most:
                oldest = self._older or self._found
                del oldest[next(iter(oldest))]
            self._found[tuple(map(id, keys))] = (keys, value)
        return value

    def recall(self, keys: tuple[object, ...], make: Callable[[], V]) -> V:
        """Return what was found from these objects, or find it now."""
        cached = self.get(keys)
        return cached if cached is not None else self.put(keys, make())

    def turn(self) -> None:
        """Forget what was not asked for since the turn before."""
        with self._lock.lock:
            self._older, self._found = self._found, {}

    def __len__(self) -> int:
        return len(self._found) + len(self._older)


class _Turns:
    """How many characters were compiled since the last turn."""

    characters = 0
    guard = RenewedLock()


_memories: WeakSet[Memory[Any]] = WeakSet()


def note_compiled(characters: int) -> None:
    """Count text that was compiled anew; after enough of it all memories take a turn."""
    with _Turns.guard.lock:
        _Turns.characters += characters
        if _Turns.characters < TURN:
            return
        _Turns.characters = 0
        memories = list(_memories)
    for memory in memories:
        memory.turn()
