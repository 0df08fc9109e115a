"""Measures one point on a store: the operator as the engine executes it, again and again for some seconds.

A scan is a query of its own and is timed as a whole. A join needs rows to join with, so its query scans them first;
the join's time is that of the execution less what the store took to answer that scan, merging and output included.

One execution follows the other (closed loop) in one thread; several clients are several processes. A point too slow
for its share of the interval is still measured `AT_LEAST` times, so that no point is left without a histogram.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random

import numpy as np
import piql
from piql.database import Observation
from scipy.special import ndtri
from scipy.stats import rankdata

from piql_profiler.grid import Grid, Point
from piql_profiler.histogram import Recorder
from piql_profiler.measurements import Measurement
from piql_profiler.workload import Call, Workload

WARM_UP = 3
AT_LEAST = 20
_FEW = 10  # below this a correlation says nothing


def prepare(grid: Grid, store_url: str) -> None:
    """Bring the tables, queries and rows of a grid to a store, unless they are there."""
    with piql.connect(store_url) as database:
        Workload(grid).prepare(database)


def measure(
    point: Point, store_url: str, seconds: float, *, grid: Grid, interval: int = 0, seed: int = 1
) -> Measurement:
    """Measure a point of a prepared grid for about `seconds`."""
    session = _session(store_url, grid, os.getpid())
    random = Random(seed)

    def execute() -> float:
        return session.execute(session.workload.call(point, random), point)

    started_at, began = time.time(), time.perf_counter()
    recorder = sample(execute, seconds)
    return Measurement(
        point,
        interval,
        recorder.histogram(),
        started_at,
        time.perf_counter() - began,
        correlation_of(recorder.latencies_us),
    )


def sample(execute: Callable[[], float], seconds: float, *, at_least: int = AT_LEAST) -> Recorder:
    """Execute until the time is over and there are enough; `execute` gives its latency in µs."""
    for _ in range(WARM_UP):
        execute()
    recorder = Recorder()
    end = time.perf_counter() + seconds
    while len(recorder) < at_least or time.perf_counter() < end:
        recorder.record_us(execute())
    return recorder


def correlation_of(latencies_us: Sequence[float]) -> float:
    """Correlate the normal scores of consecutive latencies: 0 when a slow execution tells nothing of the next."""
    if len(latencies_us) < _FEW or min(latencies_us) == max(latencies_us):
        return 0.0
    scores = ndtri((rankdata(latencies_us) - 0.5) / len(latencies_us))
    return float(np.corrcoef(scores[:-1], scores[1:])[0, 1])


class _Session:
    """A connection that listens to what its executions report."""

    def __init__(self, store_url: str, grid: Grid) -> None:
        self.workload = Workload(grid)
        self._seen: list[Observation] = []
        self._database = piql.connect(store_url, self._seen.append)

    def execute(self, call: Call, point: Point) -> float:
        """Give what the operator of the point took, in µs."""
        self._seen.clear()
        self._database.execute(call.query, call.parameters)
        (seen,) = self._seen
        below_ms = sum(each.elapsed_ms for each in seen.operators if each.operator != point.operator.value)
        return (seen.elapsed_ms - below_ms) * 1000


@lru_cache(maxsize=2)
def _session(store_url: str, grid: Grid, process: int) -> _Session:
    """Keep a worker's connection; a forked process opens its own."""
    return _Session(store_url, grid)
