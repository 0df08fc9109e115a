"""Immutable sequences and mappings whose changed copies share what stayed the same.

A keystroke in one of a thousand queries makes a new set of a thousand. Copying what is kept for each query would take a
fifth of the time to compile the changed one, most of it to load a thousand objects that nobody reads.
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
    """Consecutive items, with the results that functions computed from them (see `LongList.by_run`)."""

    __slots__ = ("facts", "items")

    def __init__(self, items: tuple[T, ...]) -> None:
        self.items = items
        self.facts: dict[object, Any] = {}


class LongList(Generic[T]):
    """A sequence in runs of up to LONGEST items; no run is empty.

    abc  defg  hi      with_slice(4, 5, "xyz")  →  abc  dxyzfg  hi     of which two runs are the same
    """

    __slots__ = ("_firsts", "_runs")

    def __init__(self, runs: tuple[_Run[T], ...]) -> None:
        self._runs = runs
        self._firsts = list(
            accumulate((len(run.items) for run in runs), initial=0)
        )  # index of the first item of each run, then the length

    @staticmethod
    def of(items: Iterable[T]) -> LongList[T]:
        """Return a new sequence of these items."""
        return LongList(_runs_of(tuple(items)))

    def __len__(self) -> int:
        return self._firsts[-1]

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable([run.items for run in self._runs])

    def __getitem__(self, at: int) -> T:
        number = bisect_right(self._firsts, at) - 1
        return self._runs[number].items[at - self._firsts[number]]

    def between(self, start: int, end: int) -> list[T]:
        """Return the items from index `start` up to `end`, which is not included."""
        first, last = self._runs_around(start, end)
        items = [*chain.from_iterable(run.items for run in self._runs[first:last])]
        return items[start - self._firsts[first] : end - self._firsts[first]]

    def with_slice(self, start: int, end: int, items: Iterable[T]) -> LongList[T]:
        """Return a sequence in which `items` replace those from index `start` up to `end`, which is not included."""
        first, last = self._runs_around(start, end)
        head = self.between(self._firsts[first], start)
        tail = self.between(end, self._firsts[last])
        return LongList((*self._runs[:first], *_runs_of((*head, *items, *tail)), *self._runs[last:]))

    def with_replaced(self, changed: Mapping[int, T]) -> LongList[T]:
        """Return a sequence in which each item whose `id()` is a key of `changed` is replaced by the value there."""
        runs = [
            run if ids.isdisjoint(changed) else _Run(tuple([changed.get(id(item), item) for item in run.items]))
            for run, ids in zip(self._runs, self.by_run(_ids_of), strict=True)
        ]
        return LongList(tuple(runs))

    def items_with_ids(self, ids: Collection[int]) -> list[T]:
        """Return the items whose `id()` is among `ids`, in order."""
        near = (
            run.items
            for run, run_ids in zip(self._runs, self.by_run(_ids_of), strict=True)
            if not run_ids.isdisjoint(ids)
        )
        return [item for item in chain.from_iterable(near) if id(item) in ids]

    def by_run(self, compute: Callable[[tuple[T, ...]], V]) -> list[V]:
        """Return `compute(items)` of each run, in order; a run keeps its result, so shared runs are computed once."""
        facts: list[V] = []
        for run in self._runs:
            if compute not in run.facts:
                run.facts[compute] = compute(run.items)
            facts.append(run.facts[compute])
        return facts

    def runs(self) -> Iterator[tuple[T, ...]]:
        """Yield the items of each run."""
        return (run.items for run in self._runs)

    def _runs_around(self, start: int, end: int) -> tuple[int, int]:
        """Return the first run that holds one of the items, and the one behind the last that does.

        Where `start` equals `end`, the range holds the run into which items would be inserted.
        """
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


def common_ends(left: LongList[T], right: LongList[T]) -> tuple[int, int]:
    """Return how many items two sequences have in common at the beginning, and how many at the end; `is` compares."""
    shorter = min(len(left), len(right))
    runs = list(left.runs()), list(right.runs())
    head = _in_common(runs[0], runs[1], iter, shorter)
    tail = _in_common(runs[0][::-1], runs[1][::-1], reversed, shorter)
    return head, min(tail, shorter - head)


def _in_common(
    left: list[tuple[T, ...]], right: list[tuple[T, ...]], turned: Callable[[tuple[T, ...]], Iterator[T]], most: int
) -> int:
    """Count the items that are the same up to the first that is not; shared runs are counted without a look inside."""
    runs = next(compress(count(), map(is_not, left, right)), min(len(left), len(right)))
    remainders = [chain.from_iterable(map(turned, side[runs:])) for side in (left, right)]
    same = sum(map(len, left[:runs]))
    return same + next(compress(count(), map(is_not, *remainders)), most - same)


class LongMap(Mapping[K, V]):
    """A mapping, stored as a base mapping and at most `MOST_CHANGES` changed values."""

    __slots__ = ("_all", "_changes")

    def __init__(self, values: Mapping[K, V], changes: Mapping[K, V] | None = None) -> None:
        self._all = values
        self._changes = changes or {}

    def with_values(self, values: Mapping[K, V]) -> LongMap[K, V]:
        """Return a mapping with these values for their keys; new keys come last."""
        changes = {**self._changes, **values}
        if len(changes) <= MOST_CHANGES and all(value in self._all for value in values):
            return LongMap(self._all, changes)
        return LongMap({**self._all, **changes})

    def __getitem__(self, key: K) -> V:
        return self._changes[key] if key in self._changes else self._all[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def amended(values: Mapping[K, V], changes: Mapping[K, V]) -> Mapping[K, V]:
    """Return `values` with the values of `changes` for their keys."""
    return (values if isinstance(values, LongMap) else LongMap(values)).with_values(changes)
