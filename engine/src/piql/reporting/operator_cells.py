"""Where the time of executions went, operator by operator: of a sample, since to time operators costs time itself.

    query          version  whole time       path  operator       its time        → samples, requests, rows, µs
    thoughtstream  3        2.10 to 2.28 ms  0.1   SortedIndexJoin 1.77 to 1.93 ms → 3, 33, 30, 5,542

`WHOLE` is the operator of the execution itself: what it has more than all others was not spent on requests. A query of
one scan is never sampled: its time is that of its operator.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple, Protocol, TypeAlias

from piql.reporting.cells import BUCKETS_PER_OCTAVE, Executed, bucket_of, class_of

WHOLE = ""
WIDTH = 4  # buckets of `cells` to one of these, which is 9 % wide
EVERY = 64  # one of so many executions is sampled
MOST_A_SECOND = 20  # samples of one process
MOST_CELLS = 10_000  # in memory; samples that need another are dropped
MOST_OPERATORS = 50  # of one execution


class Timing(Protocol):
    """An `OperatorTiming`, as far as it is reported."""

    @property
    def path(self) -> tuple[int, ...]: ...
    @property
    def operator(self) -> str: ...
    @property
    def operations(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def elapsed_ms(self) -> float: ...


class Observed(Protocol):
    """An `Observation`, as far as it is reported."""

    @property
    def operations(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def elapsed_ms(self) -> float: ...
    @property
    def operators(self) -> Sequence[Timing]: ...


class OperatorCell(NamedTuple):
    """What the samples of a cell have in common; `path` is as in `OperatorTiming`, with points between."""

    minute: int  # since 1970
    query: str
    version: int
    requests_class: int  # of the whole execution, as are the next two
    rows_class: int
    whole_bucket: int
    path: str
    operator: str
    bucket: int


@dataclass(slots=True)
class OperatorSums:
    """How many samples a cell has, and what their operators made together."""

    samples: int = 0
    operations: int = 0
    rows: int = 0
    microseconds: int = 0

    def join(self, more: OperatorSums) -> None:
        """Add what was counted elsewhere of the same cell."""
        self.samples += more.samples
        self.operations += more.operations
        self.rows += more.rows
        self.microseconds += more.microseconds

    def values(self) -> tuple[int, ...]:
        """Its numbers in the order of its fields."""
        return self.samples, self.operations, self.rows, self.microseconds


OperatorCells: TypeAlias = dict[OperatorCell, OperatorSums]


@dataclass(slots=True)
class Sampler:
    """Says which executions are sampled, and keeps what is observed of them until it is folded.

    With `is_turn`, the next execution may be sampled. How many there are until the next turn is drawn at random, so
    that none is sampled for its place in a rhythm of the application.
    """

    is_turn: bool = False
    observed: list[tuple[Executed, Observed]] = field(default_factory=list)
    _second: int = 0
    _left: int = MOST_A_SECOND

    def gap(self) -> int:
        """How many executions there are until the next turn: EVERY in the mean."""
        return random.randrange(1, 2 * EVERY)

    def has_room(self) -> bool:
        """Whether one more sample may be taken in this second; it counts as taken."""
        second = int(monotonic())
        if second != self._second:
            self._second, self._left = second, MOST_A_SECOND
        self._left -= 1
        return self._left >= 0

    def folded(self, minute: int) -> OperatorCells:
        """Hand over the samples as cells."""
        observed, self.observed = self.observed, []
        cells: OperatorCells = {}
        for query, observation in observed:
            join(cells, cells_of(query, observation, minute))
        return cells


def cells_of(query: Executed, observation: Observed, minute: int) -> OperatorCells:
    """The cells of one sample: that of the whole execution, and one for each of its operators."""
    whole = wide_bucket(observation.elapsed_ms)
    common = (minute, query.name, query.version, class_of(observation.operations), class_of(observation.rows), whole)
    cells = {
        OperatorCell(*common, "", WHOLE, whole): OperatorSums(
            1, observation.operations, observation.rows, int(observation.elapsed_ms * 1000)
        )
    }
    for timing in observation.operators[:MOST_OPERATORS]:
        path = ".".join(map(str, timing.path))
        cell = OperatorCell(*common, path, timing.operator, wide_bucket(timing.elapsed_ms))
        sums = OperatorSums(1, timing.operations, timing.rows, int(timing.elapsed_ms * 1000))
        join(cells, {cell: sums})
    return cells


def join(cells: OperatorCells, more: Mapping[OperatorCell, OperatorSums]) -> None:
    """Add cells to others, as far as there is room."""
    for cell, sums in more.items():
        known = cells.get(cell)
        if known is not None:
            known.join(sums)
        elif len(cells) < MOST_CELLS:
            cells[cell] = sums


def wide_bucket(elapsed_ms: float) -> int:
    """The number of the bucket, 9 % wide, that a time belongs to."""
    return bucket_of(max(0.0, elapsed_ms) / 1000) // WIDTH


def edges_ms(bucket: int) -> tuple[float, float]:
    """The shortest and the longest time of a bucket."""
    low, high = (_edge_ms(number) for number in (bucket, bucket + 1))
    return low, high


def _edge_ms(bucket: int) -> float:
    return float((2.0 ** (bucket * WIDTH / BUCKETS_PER_OCTAVE) - 1.0) / 2.0**32 * 1000)
