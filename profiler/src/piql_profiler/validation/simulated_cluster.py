"""A cluster of a stated law under load, so that predictions of capacity can be held against what would happen.

    ClusterLaw, streams of executions at their rates  ──simulate──▶  latencies and busy time of each stream

Executions arrive at random (Poisson). Each makes its stages one after the other; the requests of a stage leave
together, each to a node at random, as keys are spread evenly. A node answers in the order of arrival with as many
requests at once as it has cores. One request takes

    (request + rows · row + rows · bytes · byte) · G        on its core; G is gamma with mean 1 and this variability
    network · exp(spread · ε)                               on its way, on which nothing waits

and a stage ends with its last answer. Every event is simulated in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace

import numpy as np
from numpy.typing import NDArray

from piql_profiler.measure.grid import Point

_WARM_UP = 0.05  # of the executions, the first ones, are not counted


@dataclass(frozen=True, slots=True)
class ClusterLaw:
    """The parameters of the law said above; the times are means on a core, and the median of the network."""

    nodes: int
    cores: int
    request_us: float
    row_us: float
    byte_ns: float
    variability: float
    network_us: float
    network_spread: float

    def request_mean_us(self, point: Point) -> float:
        """The mean time of one request of a point on its core."""
        return self.request_us + point.rows * (self.row_us + point.row_bytes * self.byte_ns / 1000)

    def busy_us(self, stages: Sequence[Point]) -> float:
        """The mean time that one execution keeps one core busy."""
        return sum(stage.child_rows * self.request_mean_us(stage) for stage in stages)

    def utilisation(self, streams: Sequence[Stream]) -> float:
        """How busy the nodes are on average under streams."""
        busy = sum(stream.per_second * self.busy_us(stream.stages) for stream in streams)
        return busy / 1e6 / (self.nodes * self.cores)


@dataclass(frozen=True, slots=True)
class Stream:
    """Executions of one kind: the points of their stages, and how many come in a second."""

    stages: tuple[Point, ...]
    per_second: float


@dataclass(frozen=True)
class Observed:
    """Of one stream: the latency of each counted execution, and the mean time that an execution kept a core busy."""

    latencies_us: NDArray[np.float64]
    busy_us: float

    @property
    def p99_us(self) -> float:
        return float(np.quantile(self.latencies_us, 0.99))


def simulate(law: ClusterLaw, streams: Sequence[Stream], *, executions: int, seed: int) -> tuple[Observed, ...]:
    """Run so many executions of all streams together, in proportion to their rates."""
    random = np.random.default_rng(seed)
    rates = np.array([stream.per_second for stream in streams])
    kinds = random.choice(len(streams), size=executions, p=rates / rates.sum())
    arrivals = np.cumsum(random.exponential(1e6 / rates.sum(), size=executions))
    drawn = _drawn(law, streams, np.bincount(kinds, minlength=len(streams)), random)
    numbers = np.empty(executions, dtype=np.intp)  # of each execution within its stream
    for kind in range(len(streams)):
        numbers[kinds == kind] = np.arange(int((kinds == kind).sum()))
    ends = _run(law, arrivals, kinds, numbers, drawn)
    counted = np.arange(executions) >= _WARM_UP * executions
    return tuple(
        Observed(
            (ends - arrivals)[counted & (kinds == kind)],
            float(sum(stage.busy_us.sum() for stage in drawn[kind])) / max(1, int((kinds == kind).sum())),
        )
        for kind in range(len(streams))
    )


@dataclass(frozen=True)
class _Stage:
    """The draws of one stage of a stream: `nodes`, `busy_us` and `network_us` by execution and request."""

    nodes: NDArray[np.intp]
    busy_us: NDArray[np.float64]
    network_us: NDArray[np.float64]


def _drawn(
    law: ClusterLaw, streams: Sequence[Stream], counts: NDArray[np.intp], random: np.random.Generator
) -> list[list[_Stage]]:
    drawn = []
    for stream, count in zip(streams, counts, strict=True):
        stages = []
        for point in stream.stages:
            shape = (int(count), point.child_rows)
            varied = random.gamma(1 / law.variability, law.variability, shape)
            network = law.network_us * np.exp(law.network_spread * random.standard_normal(shape))
            stages.append(_Stage(random.integers(law.nodes, size=shape), law.request_mean_us(point) * varied, network))
        drawn.append(stages)
    return drawn


def _run(
    law: ClusterLaw,
    arrivals: NDArray[np.float64],
    kinds: NDArray[np.intp],
    numbers: NDArray[np.intp],
    drawn: Sequence[Sequence[_Stage]],
) -> NDArray[np.float64]:
    """When each execution ends: all stages of all executions in the order in which they begin."""
    nodes = [[stage.nodes.tolist() for stage in stages] for stages in drawn]
    busy = [[stage.busy_us.tolist() for stage in stages] for stages in drawn]
    network = [[stage.network_us.tolist() for stage in stages] for stages in drawn]
    free = [[0.0] * law.cores for _ in range(law.nodes)]  # when each core of a node is free again
    ends = np.empty(len(arrivals))
    due = [(at, execution, 0) for execution, at in enumerate(arrivals.tolist())]
    heapify(due)
    kind_of, number_of = kinds.tolist(), numbers.tolist()
    while due:
        begins, execution, stage = heappop(due)
        kind, number = kind_of[execution], number_of[execution]
        last = begins
        requests = zip(nodes[kind][stage][number], busy[kind][stage][number], network[kind][stage][number], strict=True)
        for node, takes, way in requests:
            cores = free[node]
            done = (cores[0] if cores[0] > begins else begins) + takes
            heapreplace(cores, done)
            if done + way > last:
                last = done + way
        if stage + 1 < len(nodes[kind]):
            heappush(due, (last, execution, stage + 1))
        else:
            ends[execution] = last
    return ends
