"""A load sweep: queries at several loads of the store, from which it is learned how its work makes others wait.

    latencies at rest, busy times, p99s of single requests under load  ──▶  the variability of a request's time
    p99s of queries under load                                         ──▶  what predicted waits are multiplied by

The model takes jobs as arriving at random. The second operator of a query begins where the first one ends, so it comes
less at random, and waits are shorter than predicted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from piql_profiler.capacity.demand import MeasuredDemands
from piql_profiler.capacity.load import Cluster, LoadModel, QueryLoad
from piql_profiler.capacity.uncertain import Uncertain
from piql_profiler.measure.grid import Point
from piql_profiler.predictor.cardinalities import RemoteWork, Work
from piql_profiler.predictor.composition import Leaf, Serial
from piql_profiler.predictor.model import Model

VARIABILITIES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0)
WAIT_FACTORS = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.3)


@dataclass(frozen=True)
class LoadLevel:
    """One load: the queries with their rates, and the p99 of each."""

    queries: tuple[QueryLoad, ...]
    p99_ms: tuple[float, ...]


def calibrate(
    model: Model,
    busy_us: Mapping[Point, float],
    of_requests: Sequence[LoadLevel],
    of_queries: Sequence[LoadLevel],
    cluster: Cluster,
) -> MeasuredDemands:
    """The demands that fit best: the variability is chosen by single requests, then the factor of waits by queries.

    `model` is of the store at rest, `busy_us` are its measured busy times.
    """

    def error(demands: MeasuredDemands, level: LoadLevel) -> float:
        load = LoadModel(level.queries, model, demands, cluster)
        utilisation = float(load.shares.sum())
        errors = [
            np.log(np.median(load.latency_ms(at, 0.99, utilisation)) / p99_ms) for at, p99_ms in enumerate(level.p99_ms)
        ]
        return float(np.mean(np.abs(errors)))

    by_variability = {at: MeasuredDemands(busy_us, variability=at) for at in VARIABILITIES}
    variability = min(VARIABILITIES, key=lambda at: sum(error(by_variability[at], level) for level in of_requests))
    by_factor = [MeasuredDemands(busy_us, variability=variability, wait_factor=factor) for factor in WAIT_FACTORS]
    return min(by_factor, key=lambda demands: sum(error(demands, level) for level in of_queries))


def query_of(points: Sequence[Point], per_second: float, name: str = "") -> QueryLoad:
    """Points, one after the other, as a query."""
    operators = tuple(RemoteWork((at,), point.operator.value, point) for at, point in enumerate(points))
    leaves = tuple(map(Leaf, range(len(points))))
    composition = Serial(leaves) if len(leaves) > 1 else leaves[0]
    work = Work(operators, composition, points[-1].child_rows * points[-1].rows)
    return QueryLoad(name or ", ".join(map(str, points)), work, Uncertain.exactly(per_second))
