"""Sequences and mappings that are never changed, and whose changed copies share what stayed the same.

A key in one of a thousand queries makes a new set of a thousand. To copy what a set keeps of each query takes as long
as a fifth of compiling the one that changed, most of it to fetch a thousand things from memory that nobody looks at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import accumulate, chain, compress, count
from operator import is_not
from typing import Any, Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

RUN, LONGEST = 32, 64
MOST_CHANGES = 64


class _Run(Generic[T]):
    """Some items that follow each other, with what was found out about them."""

    __slots__ = ("found", "items")

    def __init__(self, items: tuple[T, ...]) -> None:
        self.items = items
        self.found: dict[object, Any] = {}


class LongList(Generic[T]):
    """A sequence in runs; no run is empty.

    abc  defg  hi      with_other(4, 5, "xyz")  →  abc  dxyzfg  hi     of which two runs are the same
    """

    __slots__ = ("_firsts", "_runs")

    def __init__(self, runs: tuple[_Run[T], ...]) -> None:
        self._runs = runs
        self._firsts = list(accumulate((len(run.items) for run in runs), initial=0))  # and the length

    @staticmethod
    def of(items: Iterable[T]) -> LongList[T]:
        return LongList(_runs_of(tuple(items)))

    def __len__(self) -> int:
        return self._firsts[-1]

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable([run.items for run in self._runs])

    def __getitem__(self, at: int) -> T:
        number = bisect_right(self._firsts, at) - 1
        return self._runs[number].items[at - self._firsts[number]]

    def between(self, start: int, end: int) -> list[T]:
        """Return the items from one place up to another."""
        first, last = self._runs_around(start, end)
        items = [*chain.from_iterable(run.items for run in self._runs[first:last])]
        return items[start - self._firsts[first] : end - self._firsts[first]]

    def with_other(self, start: int, end: int, items: Iterable[T]) -> LongList[T]:
        """Return the sequence with other items in the place of those from `start` up to `end`."""
        first, last = self._runs_around(start, end)
        head = self.between(self._firsts[first], start)
        tail = self.between(end, self._firsts[last])
        return LongList((*self._runs[:first], *_runs_of((*head, *items, *tail)), *self._runs[last:]))

    def with_each(self, changed: Mapping[int, T]) -> LongList[T]:
        """Return the sequence with others in the place of some items, found by their ids."""
        runs = [
            each if ids.isdisjoint(changed) else _Run(tuple([changed.get(id(item), item) for item in each.items]))
            for each, ids in zip(self._runs, self.told(_ids_of), strict=True)
        ]
        return LongList(tuple(runs))

    def among(self, ids: Collection[int]) -> list[T]:
        """Return the items that have one of these ids."""
        near = (run.items for run, own in zip(self._runs, self.told(_ids_of), strict=True) if not own.isdisjoint(ids))
        return [each for each in chain.from_iterable(near) if id(each) in ids]

    def told(self, find: Callable[[tuple[T, ...]], V]) -> list[V]:
        """Return what a function finds out about each run; about those that are shared it was found before."""
        found: list[V] = []
        for run in self._runs:
            if find not in run.found:
                run.found[find] = find(run.items)
            found.append(run.found[find])
        return found

    def runs(self) -> Iterator[tuple[T, ...]]:
        """Return the items run by run."""
        return (run.items for run in self._runs)

    def _runs_around(self, start: int, end: int) -> tuple[int, int]:
        """Return the runs that items stand in; where there are none, the run that others would be put into."""
        first = max(0, min(bisect_right(self._firsts, start) - 1, len(self._runs) - 1))
        last = first
        while last < len(self._runs) and (last == first or self._firsts[last] < end):
            last += 1
        return first, last


def _runs_of(items: tuple[T, ...]) -> tuple[_Run[T], ...]:
    if not items:
        return ()
    if len(items) <= LONGEST:
        return (_Run(items),)
    return tuple([_Run(items[at : at + RUN]) for at in range(0, len(items), RUN)])


def _ids_of(items: tuple[object, ...]) -> frozenset[int]:
    return frozenset(map(id, items))


def common_ends(one: LongList[T], other: LongList[T]) -> tuple[int, int]:
    """Return how many items two sequences have in common at the beginning, and how many at the end."""
    shorter = min(len(one), len(other))
    runs = list(one.runs()), list(other.runs())
    head = _in_common(runs[0], runs[1], iter, shorter)
    tail = _in_common(runs[0][::-1], runs[1][::-1], reversed, shorter)
    return head, min(tail, shorter - head)


def _in_common(
    one: list[tuple[T, ...]], other: list[tuple[T, ...]], turned: Callable[[tuple[T, ...]], Iterator[T]], most: int
) -> int:
    """Return how many items are the same up to the first that is not; runs that are shared are not looked into."""
    runs = next(compress(count(), map(is_not, one, other)), min(len(one), len(other)))
    rest = [chain.from_iterable(map(turned, each[runs:])) for each in (one, other)]
    same = sum(map(len, one[:runs]))
    return same + next(compress(count(), map(is_not, *rest)), most - same)


class LongMap(Mapping[K, V]):
    """A mapping, kept as another one with a few other values."""

    __slots__ = ("_all", "_other")

    def __init__(self, values: Mapping[K, V], other: Mapping[K, V] | None = None) -> None:
        self._all = values
        self._other = other or {}

    def with_other(self, values: Mapping[K, V]) -> LongMap[K, V]:
        """Return the mapping with other values for some keys; new keys come last."""
        other = {**self._other, **values}
        if len(other) <= MOST_CHANGES and all(value in self._all for value in values):
            return LongMap(self._all, other)
        return LongMap({**self._all, **other})

    def __getitem__(self, key: K) -> V:
        return self._other[key] if key in self._other else self._all[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def amended(values: Mapping[K, V], other: Mapping[K, V]) -> Mapping[K, V]:
    """Return a mapping with other values for some of its keys."""
    return (values if isinstance(values, LongMap) else LongMap(values)).with_other(other)
