"""Counts the requests of one write, stops it before its bound is passed, and times its parts if somebody listens.

part of a write      what it counts
Insert, Update …     the record, its index entries, the intent
LimitCheck           limits and UNIQUE keys: their places, or with transactions the rows of their groups
ReferenceCheck       foreign keys on both sides, and the mark on the record
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, TypeAlias

from piql.errors import RepairPending
from piql.runtime.execution.observation import OperatorTiming
from piql.runtime.execution.strategy import Clock, exceeded

Part: TypeAlias = Literal["LimitCheck", "ReferenceCheck"]
_PATHS: dict[Part, tuple[int, ...]] = {"LimitCheck": (0,), "ReferenceCheck": (1,)}  # where a plan shows each
_NOT_TIMED = nullcontext()


class Meter:
    """The requests of one write. Without a `bound` they have no limit: bulk loads and back-fills have none.

    operations           requests of the last try: a write that others overtook begins again (no transactions only)
    lost                 requests of earlier tries, those that a quicker writer made useless, and those that take back
                         what a refused write has shown
    repair_operations    requests that settle interrupted writes of others
    attempts             the three together
    round_trips          waits of the last try

    With a `clock`, in seconds, the parts are timed.
    """

    __slots__ = ("_kept", "_parts", "bound", "clock", "lost", "operations", "repair_operations", "round_trips")

    def __init__(self, bound: int | None = None, clock: Clock | None = None) -> None:
        self.bound = bound
        self.clock = clock
        self.operations = 0
        self.round_trips = 0
        self.lost = 0
        self.repair_operations = 0
        self._parts: dict[Part, _Sum] = {}
        self._kept = (0, 0)

    @property
    def attempts(self) -> int:
        """All requests that were made, whatever for."""
        return self.operations + self.lost + self.repair_operations

    def spend(self, requests: int) -> None:
        """Count requests before they are made; raise BoundExceeded instead of passing the bound."""
        if self.bound is not None and self.operations + requests > self.bound:
            raise exceeded(self.bound, self.operations + requests)
        self.operations += requests

    def step(self, requests: int = 1) -> None:
        """Count requests that are sent together: one round trip."""
        if requests:
            self.spend(requests)
            self.round_trips += 1

    def lose(self, requests: int) -> None:
        """Count requests that a quicker writer made useless, or that a refusal made necessary."""
        self.lost += requests

    def repair(self, requests: int) -> None:
        """Count requests that settle an interrupted write; raise RepairPending if they are more than the bound."""
        if self.bound is not None and self.repair_operations + requests > self.bound:
            raise RepairPending(
                f"interrupted writes left more to settle than the {self.bound} requests that a write may add: try again"
            )
        self.repair_operations += requests

    def keep(self) -> None:
        """Keep what was counted so far, of a row that is written, when another row of the write begins again."""
        self._kept = self.operations, self.round_trips
        for part in self._parts.values():
            part.kept = part.operations

    def begin_again(self) -> None:
        """Start another try: what was counted for it so far is lost."""
        operations, round_trips = self._kept
        self.lost += self.operations - operations
        self.operations, self.round_trips = operations, round_trips
        for part in self._parts.values():
            part.operations = part.kept

    def within(self, part: Part) -> AbstractContextManager[object]:
        """Count and time what is done inside the context as a part of the write."""
        return _NOT_TIMED if self.clock is None else _Timed(self, part, self.clock)

    def add(self, part: Part, operations: int, seconds: float) -> None:
        """Add requests and seconds to a part; a part that made no request is not reported."""
        if operations:
            spent = self._parts.setdefault(part, _Sum())
            spent.operations += operations
            spent.seconds += seconds

    def timings(
        self, write: str, elapsed_ms: float, of_section: Sequence[OperatorTiming] = ()
    ) -> tuple[OperatorTiming, ...]:
        """Return the timing of each part that made requests, after that of the rest of the write, named `write`.

        `of_section` are those of the operators that read which rows are written.
        """
        parts = tuple(
            OperatorTiming(_PATHS[name], name, spent.operations, 0, spent.seconds * 1000)
            for name, spent in self._parts.items()
        )
        parts = (*parts, *of_section)
        operations = self.operations - sum(part.operations for part in parts)
        rest_ms = elapsed_ms - sum(part.elapsed_ms for part in parts)
        return (OperatorTiming((), write, operations, 0, rest_ms), *parts)


class _Sum:
    """The requests and seconds of one part, over all tries; `kept` are those of rows that are written."""

    __slots__ = ("kept", "operations", "seconds")

    def __init__(self) -> None:
        self.operations = self.kept = 0
        self.seconds = 0.0


class _Timed:
    """A context that adds its requests and seconds to a part."""

    __slots__ = ("_clock", "_meter", "_operations", "_part", "_started")

    def __init__(self, meter: Meter, part: Part, clock: Clock) -> None:
        self._meter = meter
        self._part = part
        self._clock = clock

    def __enter__(self) -> None:
        self._operations = self._meter.operations
        self._started = self._clock()

    def __exit__(self, *failure: object) -> None:
        operations = self._meter.operations - self._operations
        self._meter.add(self._part, operations, self._clock() - self._started)
