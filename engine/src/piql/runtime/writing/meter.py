"""Counts the requests of one write, stops it before its bound is passed, and times its parts if somebody listens.

Insert            the record, its index entries, the intent
LimitCheck        places under limits and UNIQUE keys, taken and given back; counts, where there are transactions
ReferenceCheck    foreign keys on either side, the record's mark included
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Literal, TypeAlias

from piql.errors import RepairPending
from piql.runtime.execution.observation import OperatorTiming
from piql.runtime.execution.strategy import Clock, exceeded

Part: TypeAlias = Literal["LimitCheck", "ReferenceCheck"]
_PLACES: dict[Part, tuple[int, ...]] = {"LimitCheck": (0,), "ReferenceCheck": (1,)}
_NOT_TIMED = nullcontext()


class Meter:
    """`bound` None counts without a limit: bulk loads and back-fills are outside the bounds.

    On a store without transactions a write that others overtook begins again. Its `operations` are those of the last
    try; all are `attempts`. What it does for interrupted writes of others are `repair_operations`. With a `clock`, in
    seconds, its parts are timed.
    """

    __slots__ = ("_parts", "bound", "clock", "lost", "operations", "repair_operations", "round_trips")

    def __init__(self, bound: int | None = None, clock: Clock | None = None) -> None:
        self.bound = bound
        self.clock = clock
        self.operations = 0
        self.round_trips = 0
        self.lost = 0
        self.repair_operations = 0
        self._parts: dict[Part, _Sum] = {}

    @property
    def attempts(self) -> int:
        return self.operations + self.lost + self.repair_operations

    def spend(self, requests: int) -> None:
        """Count requests before they are made."""
        if self.bound is not None and self.operations + requests > self.bound:
            raise exceeded(self.bound, self.operations + requests)
        self.operations += requests

    def step(self, requests: int = 1) -> None:
        """Count requests that are made at the same time, and waited for."""
        if requests:
            self.spend(requests)
            self.round_trips += 1

    def lose(self, requests: int) -> None:
        """Count requests that a quicker writer made useless."""
        self.lost += requests

    def repair(self, requests: int) -> None:
        """Count requests that settle what an interrupted write left."""
        if self.bound is not None and self.repair_operations + requests > self.bound:
            raise RepairPending(
                f"interrupted writes left more to settle than the {self.bound} requests that a write may add: try again"
            )
        self.repair_operations += requests

    def begin_again(self) -> None:
        self.lost += self.operations
        self.operations = self.round_trips = 0
        for part in self._parts.values():
            part.operations = 0

    def within(self, part: Part) -> AbstractContextManager[object]:
        """Count and time what is done inside the context as a part of the write."""
        return _NOT_TIMED if self.clock is None else _Timed(self, part, self.clock)

    def add(self, part: Part, operations: int, seconds: float) -> None:
        """Add requests and seconds to a part; a part that made no request is not reported."""
        if operations:
            spent = self._parts.setdefault(part, _Sum())
            spent.operations += operations
            spent.seconds += seconds

    def timings(self, write: str, elapsed_ms: float) -> tuple[OperatorTiming, ...]:
        """Return what the write itself took, under its name in the plan, and what each of its parts did."""
        parts = tuple(
            OperatorTiming(_PLACES[name], name, spent.operations, 0, spent.seconds * 1000)
            for name, spent in self._parts.items()
        )
        operations = self.operations - sum(part.operations for part in parts)
        rest_ms = elapsed_ms - sum(part.elapsed_ms for part in parts)
        return (OperatorTiming((), write, operations, 0, rest_ms), *parts)


class _Sum:
    """The requests and seconds of one part, over all tries."""

    __slots__ = ("operations", "seconds")

    def __init__(self) -> None:
        self.operations = 0
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
