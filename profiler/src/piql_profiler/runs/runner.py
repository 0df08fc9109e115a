"""Runners carry out tasks: their interface, and the one that measures in this process. Ray's is in `cluster`."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from piql.errors import StoreUnavailable

from piql_profiler.measure.benchmark import measure
from piql_profiler.measure.grid import Grid, Point
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.open_loop import AT_LEAST


@dataclass(frozen=True, slots=True)
class Task:
    """Points to measure in one interval, mixed, each for its seconds (`shares`): all that a client needs to know."""

    store_url: str
    grid: Grid
    shares: tuple[tuple[Point, float], ...]
    interval: int
    seed: int
    load: float = 0.0
    precision: float | None = None
    at_least: int = AT_LEAST

    def __str__(self) -> str:
        """Name what is measured."""
        first, others = self.shares[0][0], len(self.shares) - 1
        return f"{first} and {others} other points" if others else f"{first}"

    def run(self) -> list[Measurement]:
        return measure(
            dict(self.shares),
            self.store_url,
            grid=self.grid,
            interval=self.interval,
            seed=self.seed,
            load=self.load,
            precision=self.precision,
            at_least=self.at_least,
        )


class MeasuringStopped(Exception):
    """The measurements ended before they were complete; the message says why."""


def sentence_of(error: Exception) -> str:
    """Why a run ended, in one sentence for the user, and where possible what to do about it."""
    if isinstance(error, MeasuringStopped):
        return str(error)
    if isinstance(error, StoreUnavailable):
        return f"the store does not answer: {error}; resume the run when it answers again"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full: free some space, then resume the run; all earlier intervals are complete"
    return f"{type(error).__name__}: {error}".splitlines()[0]


class Runner(Protocol):
    """Runs tasks on one or more clients; a context manager that holds them."""

    @property
    def clients(self) -> int: ...

    def run(self, tasks: Sequence[Task]) -> Iterator[Measurement]:
        """Yield the measurements as they come, in any order."""
        ...

    @property
    def places(self) -> tuple[str, ...]:
        """The host of each client, in their order."""
        ...

    def notices(self) -> list[str]:
        """What has happened to clients since the last call, in sentences for the user."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class LocalRunner:
    """Measures in this process, one task after the other."""

    clients = 1
    places = ("this process",)

    def run(self, tasks: Sequence[Task]) -> Iterator[Measurement]:
        for task in tasks:
            yield from task.run()

    def notices(self) -> list[str]:
        return []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None
