"""Scenarios of a stated truth for `capacity.py`: a cluster's law, a set of queries with rates, and their SLOs.

Everything is drawn from a seed, which the measurements page names. SLOs are drawn as multiples of what the cluster
itself takes at rest; no prediction is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from piql_profiler.capacity.load import QueryLoad, Slo
from piql_profiler.capacity.sweep import query_of
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.validation.simulated_cluster import ClusterLaw, Stream, simulate

REST = 0.001  # utilisation of a cluster at rest: one execution at a time, as `piql profile` measures with one client
GRID = Grid.product(
    "capacity",
    row_bytes=(200,),
    scan_rows=(1, 10, 50, 100),
    fk_child_rows=(1, 5, 10, 30),
    sorted_child_rows=(1, 5, 10, 30),
    sorted_rows=(1, 10, 50),
)
# What a sweep runs under load: single requests, and queries of two operators as a profile runs its joins.
SINGLE_REQUESTS = tuple((point,) for point in GRID.points if point.child_rows == 1)
QUERIES = (
    (Point(Operator.INDEX_FK_JOIN, 1, 1, 200),),
    (Point(Operator.INDEX_SCAN, 1, 50, 200),),
    (Point(Operator.INDEX_SCAN, 1, 10, 200), Point(Operator.INDEX_FK_JOIN, 10, 1, 200)),
    (Point(Operator.INDEX_SCAN, 1, 10, 200), Point(Operator.SORTED_INDEX_JOIN, 10, 10, 200)),
)


@dataclass(frozen=True)
class Scenario:
    """A cluster and the queries on it; `slos_ms` has one for each stream."""

    law: ClusterLaw
    streams: tuple[Stream, ...]
    slos_ms: tuple[float, ...]

    def at(self, utilisation: float) -> tuple[Stream, ...]:
        """The streams with all rates scaled by one factor, so that nodes are this busy."""
        return scaled(self.law, self.streams, utilisation)

    def loads(self) -> list[QueryLoad]:
        """The queries as the model sees them."""
        return [
            replace(query_of(stream.stages, stream.per_second, f"q{at}"), slo=Slo(0.99, slo))
            for at, (stream, slo) in enumerate(zip(self.streams, self.slos_ms, strict=True))
        ]


def scaled(law: ClusterLaw, streams: Sequence[Stream], utilisation: float) -> tuple[Stream, ...]:
    """Streams at another load, in the same proportions."""
    factor = utilisation / law.utilisation(streams)
    return tuple(replace(stream, per_second=stream.per_second * factor) for stream in streams)


def drawn(seed: int, *, executions: int) -> Scenario:
    """Draw a scenario; `executions` of it are simulated to see what its queries take at rest."""
    random = np.random.default_rng(seed)
    law = ClusterLaw(
        nodes=int(random.choice([1, 3, 6])),
        cores=int(random.choice([1, 2, 4])),
        request_us=float(np.exp(random.uniform(np.log(40), np.log(400)))),
        row_us=float(np.exp(random.uniform(np.log(0.5), np.log(8)))),
        byte_ns=float(random.uniform(1, 10)),
        variability=float(random.choice([0.1, 0.5, 1.0, 2.0])),
        network_us=float(np.exp(random.uniform(np.log(100), np.log(800)))),
        network_spread=float(random.uniform(0.1, 0.4)),
    )
    streams = tuple(
        Stream(_stages(random), float(np.exp(random.uniform(0, np.log(3))))) for _ in range(random.integers(2, 5))
    )
    at_rest = simulate(law, scaled(law, streams, REST), executions=executions, seed=seed + 1)
    slos = tuple(seen.p99_us / 1000 * float(np.exp(random.uniform(np.log(1.5), np.log(6)))) for seen in at_rest)
    return Scenario(law, scaled(law, streams, 0.4), slos)


def _stages(random: np.random.Generator) -> tuple[Point, ...]:
    """One or two operators, the second for the rows of the first."""
    rows = int(random.integers(1, 101))
    few = int(random.integers(2, 21))
    match int(random.integers(4)):
        case 0:
            return (Point(Operator.INDEX_FK_JOIN, 1, 1, 200),)
        case 1:
            return (Point(Operator.INDEX_SCAN, 1, rows, 200),)
        case 2:
            return (Point(Operator.INDEX_SCAN, 1, few, 200), Point(Operator.INDEX_FK_JOIN, few, 1, 200))
        case _:
            depth = int(random.integers(1, 51))
            return (Point(Operator.INDEX_SCAN, 1, few, 200), Point(Operator.SORTED_INDEX_JOIN, few, depth, 200))
