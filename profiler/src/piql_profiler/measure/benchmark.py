"""Measures points on a store: operators as the engine executes them, again and again for some seconds.

    scan, get    a query of its own, timed as a whole
    join         its query scans the rows to join with first; the time is that of the execution less that of the scan
    write        inserts a row, which is deleted before the next one; the parts of a write are timed apart

Each client is one process with one thread under open-loop load: of one point (`open_loop`), or of several mixed at
random (`mixed_load`). A block is void where the client itself was late or too busy; it is measured once more. A point
whose p99 is known well enough (`precision`) is measured no longer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random

import numpy as np
import piql
from piql.client.database import Observation

from piql_profiler.measure.clock import REAL, Clock
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import FEWEST_PAIRS, Measurement
from piql_profiler.measure.mixed_load import Part, offer_mixed
from piql_profiler.measure.normal_scores import normal_scores
from piql_profiler.measure.open_loop import AT_LEAST, ATTEMPTS, Block, offer, offer_until_not_void
from piql_profiler.measure.precision import effective_number, is_precise
from piql_profiler.measure.workload import Call, Workload


def prepare(grid: Grid, store_url: str) -> None:
    """Deploy the tables and queries of a grid on a store, and load their rows, unless they are there."""
    with piql.connect(store_url, report="", otel=False) as database:
        Workload(grid).prepare(database)


def measure(
    shares: Mapping[Point, float],
    store_url: str,
    *,
    grid: Grid,
    interval: int = 0,
    seed: int = 1,
    load: float = 0.0,
    precision: float | None = None,
    at_least: int = AT_LEAST,
) -> list[Measurement]:
    """Measure points of a prepared grid for about their seconds, or until each p99 is known to ± `precision` of itself.

    A point whose block is void is measured once more, in half of its seconds.
    """
    session = _session(store_url, grid, os.getpid())
    cells: dict[Point, Measurement] = {}
    for attempt in range(ATTEMPTS):
        lacking = {
            point: seconds / 2**attempt
            for point, seconds in shares.items()
            if point not in cells or cells[point].is_void
        }
        if lacking:
            measured, _ = session.measure_mixed(
                lacking, interval=interval, seed=seed + attempt, load=load, precision=precision, at_least=at_least
            )
            for cell in measured:
                spent = cells[cell.point].seconds if cell.point in cells else 0.0
                cells[cell.point] = replace(cell, seconds=spent + cell.seconds)
    return list(cells.values())


def correlation_of(latencies_us: Sequence[float]) -> float:
    """The correlation of consecutive latencies, by normal scores: 0 when a slow execution tells nothing of the next."""
    return correlation_between(latencies_us[:-1], latencies_us[1:])


def correlation_between(first_us: Sequence[float], second_us: Sequence[float]) -> float:
    """The correlation of two operators' latencies, pair by pair, by normal scores: how much they are slow together.

    0 where there are too few pairs to tell, or all latencies are equal.
    """
    if len(first_us) < FEWEST_PAIRS or min(first_us) == max(first_us) or min(second_us) == max(second_us):
        return 0.0
    first, second = (normal_scores(latencies_us) for latencies_us in (first_us, second_us))
    return float(np.corrcoef(first, second)[0, 1])


@dataclass(slots=True)
class _Recording:
    """The executions of one point.

    `run` executes it once and returns two times in µs: of the point's operator, and of the rest of the execution.
    `rest_us` keeps the latter; `busy` is how long each execution took in all, in seconds.
    """

    point: Point
    run: Callable[[], tuple[float, float]]
    clock: Clock
    rest_us: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)

    def execute(self) -> float:
        """Execute the point once, and return its operator's time in µs."""
        began = self.clock.now()
        took, rest = self.run()
        self.rest_us.append(rest)
        self.busy.append(self.clock.now() - began)
        return took


class Session:
    """A connection to a prepared store that measures points by what its executions report."""

    def __init__(
        self, database: piql.Database, observations: list[Observation], workload: Workload, clock: Clock = REAL
    ) -> None:
        """Take a database whose observer appends to `observations`, and whose clock is this one."""
        self._database = database
        self._observations = observations
        self._workload = workload
        self._clock = clock
        self._one_takes: dict[Point, float] = {}

    @classmethod
    def open(cls, store_url: str, grid: Grid) -> Session:
        """Connect to a store that is prepared for the grid."""
        observations: list[Observation] = []
        return cls(piql.connect(store_url, observations.append, report="", otel=False), observations, Workload(grid))

    def measure(
        self,
        point: Point,
        seconds: float,
        *,
        interval: int = 0,
        seed: int = 1,
        load: float = 0.0,
        precision: float | None = None,
        at_least: int = AT_LEAST,
        at_most: int | None = None,
    ) -> Measurement:
        """Measure a point for about `seconds`, or until it is known well enough."""
        recording = self._record(point, seed)
        started_at, began = time.time(), self._clock.now()
        block = offer_until_not_void(
            lambda attempt: offer(
                recording.execute,
                seconds / 2**attempt,
                load=load,
                seed=seed + attempt,
                at_least=at_least,
                at_most=at_most,
                one_takes=self._one_takes.get(point),
                is_enough=_known_to(precision),
                clock=self._clock,
            )
        )
        took = self._clock.now() - began
        return self._measurement(recording, block, interval, started_at, took, correlation_of(block.service_us))

    def measure_mixed(
        self,
        shares: Mapping[Point, float],
        others: Sequence[Part] = (),
        *,
        interval: int = 0,
        seed: int = 1,
        load: float = 0.0,
        precision: float | None = None,
        at_least: int = AT_LEAST,
    ) -> tuple[list[Measurement], list[Block]]:
        """Measure points in one schedule with `others`; return the points' measurements, and the blocks of the others.

        Each has its seconds, or as many as it takes until it is known well enough.
        """
        recordings = [self._record(point, seed + at) for at, point in enumerate(shares)]
        is_enough = _known_to(precision)
        parts = [
            Part(recording.execute, shares[recording.point], self._one_takes.get(recording.point), is_enough)
            for recording in recordings
        ]
        started_at = time.time()
        mixed = offer_mixed([*parts, *others], load=load, seed=seed, at_least=at_least, clock=self._clock)
        measured_parts = zip(recordings, mixed.blocks, mixed.seconds, mixed.correlations(), strict=False)
        measured = [
            self._measurement(recording, block, interval, started_at, seconds, correlation)
            for recording, block, seconds, correlation in measured_parts
        ]
        return measured, list(mixed.blocks[len(parts) :])

    def _record(self, point: Point, seed: int) -> _Recording:
        random = Random(seed)
        return _Recording(point, lambda: self._execute(self._workload.call(point, random), point), self._clock)

    def _measurement(
        self,
        recording: _Recording,
        block: Block,
        interval: int,
        started_at: float,
        seconds: float,
        correlation: float,
    ) -> Measurement:
        """The measurement of a block; a join's own executions show how much it is slow together with its scan."""
        point, count = recording.point, len(block.service_us)
        rest_us = recording.rest_us[-count:]
        self._one_takes[point] = float(np.median(recording.busy[-count:]))
        return Measurement(
            point,
            interval,
            Histogram.of(block.service_us),
            started_at,
            seconds,
            correlation if point.is_query else correlation_between(rest_us, block.service_us),
            response=Histogram.of(block.response_us),
            effective=effective_number(block.service_us),
            lag=block.lag,
            computing=block.computing,
            whole=None if point.is_query else Histogram.of(np.add(rest_us, block.service_us)),
        )

    def _execute(self, call: Call, point: Point) -> tuple[float, float]:
        """Execute a call; return the time of the point's operator, and that of the rest of the execution, in µs."""
        self._observations.clear()
        self._database.execute(call.query, call.parameters)
        (observation,) = self._observations
        if call.undo is not None:
            self._database.execute(call.undo.query, call.undo.parameters)
            part = "Insert" if point.operator is Operator.WRITE else point.operator.name_in_plans
            took_ms = sum(operator.elapsed_ms for operator in observation.operators if operator.operator == part)
            if not took_ms:  # nothing was checked, because the row was there: a process that was killed left it
                return self._execute(call, point)
            return took_ms * 1000, (observation.elapsed_ms - took_ms) * 1000
        if point.is_query:
            return observation.elapsed_ms * 1000, 0.0
        below_ms = sum(
            operator.elapsed_ms
            for operator in observation.operators
            if operator.operator != point.operator.name_in_plans
        )
        return (observation.elapsed_ms - below_ms) * 1000, below_ms * 1000


def _known_to(precision: float | None) -> Callable[[Sequence[float]], bool]:
    """A function that tells whether service times are enough to know their p99; without a precision they never are."""
    return lambda service_us: precision is not None and is_precise(service_us, precision)


@lru_cache(maxsize=2)
def _session(store_url: str, grid: Grid, process: int) -> Session:
    """The session of a worker process, kept between its tasks; a forked process opens one of its own."""
    return Session.open(store_url, grid)
