"""Results of earlier compilations, kept so that a keystroke costs only what it changes.

A module declares once what it keeps, by a `Cached` or a `Latest`, which hold no values. The values are in the `Caches`
that are at work in the thread or task, and last as long as those:

    _plans: Cached[Plan] = Cached(2048)                in a module: at most 2,048 plans
    _plans.recall((query,), lambda: plan(query))       in a function: from the caches at work

Trees of unchanged files are the same objects, so a result is found again by the identity of its trees. Each entry holds
its keys, so that no other object can get the identity of one. All values are immutable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar, cast

from piql.forking import RenewedLock

V = TypeVar("V")

TURN = 1_000_000  # characters that are compiled anew between two turns; about 150 bytes are kept for each


class Memory(Generic[V]):
    """Values by several keys, `most` at most: one more forgets that which was not asked for longest.

    Keys are compared by identity, or by value with `is_by_value`. A turn forgets what was not asked for since the turn
    before.
    """

    def __init__(self, most: int, *, is_by_value: bool = False) -> None:
        self._most = most
        self._is_by_value = is_by_value
        self._recent: dict[tuple[object, ...], tuple[tuple[object, ...], V]] = {}
        self._older: dict[tuple[object, ...], tuple[tuple[object, ...], V]] = {}  # not asked for in this turn
        self._lock = RenewedLock()

    def get(self, keys: tuple[object, ...]) -> V | None:
        """Return the value of these keys, or None."""
        key = keys if self._is_by_value else tuple(map(id, keys))
        with self._lock.lock:
            entry = self._recent.pop(key, None) or self._older.pop(key, None)
            if entry is None:
                return None
            self._recent[key] = entry  # the youngest again
        return entry[1]

    def put(self, keys: tuple[object, ...], value: V) -> V:
        """Keep a value, and return it."""
        key = keys if self._is_by_value else tuple(map(id, keys))
        with self._lock.lock:
            if len(self._recent) + len(self._older) >= self._most:
                oldest = self._older or self._recent
                del oldest[next(iter(oldest))]
            self._recent[key] = (keys, value)
        return value

    def turn(self) -> None:
        """Forget what was not asked for since the turn before."""
        with self._lock.lock:
            self._older, self._recent = self._recent, {}

    def __len__(self) -> int:
        return len(self._recent) + len(self._older)


class Cached(Generic[V]):
    """Says that values of one kind are kept, and how many at most; the caches at work hold them."""

    __slots__ = ("is_by_value", "most")

    def __init__(self, most: int, *, is_by_value: bool = False) -> None:
        self.most = most
        self.is_by_value = is_by_value

    def get(self, keys: tuple[object, ...]) -> V | None:
        """Return the value of these keys, or None."""
        return _at_work.get().memory_of(self).get(keys)

    def put(self, keys: tuple[object, ...], value: V) -> V:
        """Keep a value, and return it."""
        return _at_work.get().memory_of(self).put(keys, value)

    def recall(self, keys: tuple[object, ...], make: Callable[[], V]) -> V:
        """Return the value of these keys; make it where there is none."""
        memory = _at_work.get().memory_of(self)
        known = memory.get(keys)
        return known if known is not None else memory.put(keys, make())


class Latest(Generic[V]):
    """Says that one immutable value is kept, which is replaced as a whole; the caches at work hold it."""

    __slots__ = ("first",)

    def __init__(self, first: V) -> None:
        self.first = first

    def get(self) -> V:
        """Return the value that was put last; at first `first`."""
        return _at_work.get().latest_of(self)

    def put(self, value: V) -> None:
        """Keep a value in the place of the one before."""
        _at_work.get().replace_latest(self, value)


class Caches:
    """All that is kept between compilations, with one lifetime; several threads may use it.

    What was neither put nor asked for while `TURN` characters were compiled is forgotten. So it holds the results of
    two turns of text at most, whatever the number of its entries.
    """

    def __init__(self) -> None:
        self._memories: dict[Cached[Any], Memory[Any]] = {}
        self._latest: dict[Latest[Any], object] = {}
        self._characters = 0  # compiled since the last turn
        self._counting = RenewedLock()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Let all that runs inside, in this thread or task, keep its values here."""
        token = _at_work.set(self)
        try:
            yield
        finally:
            _at_work.reset(token)

    def memory_of(self, kind: Cached[V]) -> Memory[V]:
        """Return the values of one kind."""
        memory = self._memories.get(kind)
        if memory is None:
            memory = self._memories.setdefault(kind, Memory(kind.most, is_by_value=kind.is_by_value))
        return memory

    def latest_of(self, kind: Latest[V]) -> V:
        """Return the value that was put last."""
        return cast("V", self._latest.get(kind, kind.first))

    def replace_latest(self, kind: Latest[V], value: V) -> None:
        """Keep a value in the place of the one before."""
        self._latest[kind] = value

    def note_compiled(self, characters: int) -> None:
        """Count text that was compiled anew; after enough of it every memory takes a turn."""
        with self._counting.lock:
            self._characters += characters
            if self._characters < TURN:
                return
            self._characters = 0
            memories = list(self._memories.values())
        for memory in memories:
            memory.turn()


def note_compiled(characters: int) -> None:
    """Tell the caches at work that so much text was compiled anew."""
    _at_work.get().note_compiled(characters)


def with_these_caches(find: Callable[[], V]) -> Callable[[], V]:
    """Return what calls `find` later with the caches that are at work now."""
    caches = _at_work.get()

    def find_later() -> V:
        with caches.at_work():
            return find()

    return find_later


# Where nobody has put others to work, all callers of a process share these: the one place that outlives its caller.
_at_work: ContextVar[Caches] = ContextVar("caches at work", default=Caches())  # noqa: B039
