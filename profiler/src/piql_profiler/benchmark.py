"""Measures one point on a store: the operator as the engine executes it, again and again for some seconds.

A scan is a query of its own and is timed as a whole. A join needs rows to join with, so its query scans them first;
the join's time is that of the execution less what the store took to answer that scan, merging and output included.

Each client is one process with one thread under open-loop load (`open_loop`). A block in which the client itself was
late is measured anew; a point that is known well enough (`precision`) gives its time back.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import lru_cache
from random import Random

import numpy as np
import piql
from piql.database import Observation
from scipy.special import ndtri
from scipy.stats import rankdata

from piql_profiler.grid import Grid, Operator, Point
from piql_profiler.histogram import Histogram
from piql_profiler.measurements import Measurement
from piql_profiler.open_loop import offer
from piql_profiler.precision import effective_number, is_precise
from piql_profiler.workload import Call, Workload

_ATTEMPTS = 2  # at a block that is not void
_FEW = 10  # below this a correlation says nothing


def prepare(grid: Grid, store_url: str) -> None:
    """Bring the tables, queries and rows of a grid to a store, unless they are there."""
    with piql.connect(store_url) as database:
        Workload(grid).prepare(database)


def measure(
    point: Point,
    store_url: str,
    seconds: float,
    *,
    grid: Grid,
    interval: int = 0,
    seed: int = 1,
    load: float = 0.0,
    precision: float | None = None,
) -> Measurement:
    """Measure a point of a prepared grid for about `seconds`, or until its p99 is known to ± `precision` of itself."""
    session = _session(store_url, grid, os.getpid())
    random = Random(seed)

    whole_us: list[float] = []

    def execute() -> float:
        took, whole = session.execute(session.workload.call(point, random), point)
        whole_us.append(whole)
        return took

    def is_enough(service_us: Sequence[float]) -> bool:
        return precision is not None and is_precise(service_us, precision)

    started_at, began = time.time(), time.perf_counter()
    for attempt in range(_ATTEMPTS):
        block = offer(execute, seconds / 2**attempt, load=load, seed=seed + attempt, is_enough=is_enough)
        if not block.is_void:
            break
    return Measurement(
        point,
        interval,
        Histogram.of(block.service_us),
        started_at,
        time.perf_counter() - began,
        correlation_of(block.service_us),
        response=Histogram.of(block.response_us),
        effective=effective_number(block.service_us),
        lag=block.lag,
        whole=None if point.operator is Operator.INDEX_SCAN else Histogram.of(whole_us[-len(block.service_us) :]),
    )


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

    def execute(self, call: Call, point: Point) -> tuple[float, float]:
        """Give what the operator of the point took, and the execution as a whole, in µs."""
        self._seen.clear()
        self._database.execute(call.query, call.parameters)
        (seen,) = self._seen
        below_ms = sum(each.elapsed_ms for each in seen.operators if each.operator != point.operator.value)
        return (seen.elapsed_ms - below_ms) * 1000, seen.elapsed_ms * 1000


@lru_cache(maxsize=2)
def _session(store_url: str, grid: Grid, process: int) -> _Session:
    """Keep a worker's connection; a forked process opens its own."""
    return _Session(store_url, grid)
