"""Queries at their rates on a cluster: which share of a node each takes, and how long each takes as the load grows.

    QueryLoad × Cluster × Model × Demands  ──▶  LoadModel: shares, which add up to the utilisation, and p99 at any load

A query keeps all nodes busy by rate × demand, so its share of a node is b = rate × demand / (nodes × cores). Its
latency is composed as `predict` does, only that an operator waits at each of the nodes that it asks, and ends with the
last of them. At no load it is the prediction itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from piql.trees.cached_property import cached_property

from piql_profiler.capacity.demand import Demand, Demands
from piql_profiler.capacity.uncertain import Uncertain
from piql_profiler.capacity.waiting import FULLEST, Jobs, Wait, wait_at
from piql_profiler.measure.histogram import EDGES_US, Curve
from piql_profiler.predictor.cardinalities import RemoteWork, Work
from piql_profiler.predictor.composition import quantile_us
from piql_profiler.predictor.model import Model
from piql_profiler.predictor.predict import composed, correlation_of, refuse_what_is_too_far

Values = NDArray[np.float64]
# Dense at both ends: where as many jobs wait as a quantile leaves out, a fast query's quantile jumps from its own time
# to a slow one's; towards the full node waits grow without end.
_FEW_WAIT = [0.0, 0.005, 0.0085, 0.0105, 0.013, 0.017, 0.025, 0.04, 0.065]
UTILISATIONS = np.array([*_FEW_WAIT, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.78, 0.85, 0.9, 0.94, FULLEST])
_RARE = 1e-7  # shares of waits below this change no quantile
_US_A_SECOND = 1e6


@dataclass(frozen=True, slots=True)
class Slo:
    """A share `quantile` of the executions takes at most `threshold_ms`."""

    quantile: float
    threshold_ms: float


@dataclass(frozen=True, slots=True)
class QueryLoad:
    """A query with its remote operators, how often it runs in a second, and what is promised of it, if anything is."""

    name: str
    work: Work
    per_second: Uncertain
    slo: Slo | None = None

    @property
    def quantile(self) -> float:
        """Which latency is told of it: that of its SLO, else the p99."""
        return 0.99 if self.slo is None else self.slo.quantile


@dataclass(frozen=True, slots=True)
class Cluster:
    """Nodes that share all keys evenly, each with so many cores."""

    nodes: int
    cores: int = 1

    def __post_init__(self) -> None:
        if min(self.nodes, self.cores) < 1:
            raise ValueError("a cluster has at least one node, and a node one core")


class LoadModel:
    """One set of queries on one cluster; all numbers are of the middle rates and demands.

    Raises NotMeasured for an operator that the profile does not reach.
    """

    def __init__(self, queries: Sequence[QueryLoad], model: Model, demands: Demands, cluster: Cluster) -> None:
        self.queries = tuple(queries)
        self.cluster = cluster
        self.certainty = demands.certainty
        self._model = model
        self._wait_factor = demands.wait_factor
        self._waits: dict[float, Wait] = {}
        for query in queries:
            refuse_what_is_too_far(query.work.operators, model)
        self._demands = [[demands.of(operator.point) for operator in query.work.operators] for query in queries]

    @property
    def intervals(self) -> int:
        return self._model.intervals

    @cached_property
    def busy_us(self) -> Values:
        """The time that one execution of each query keeps one core busy."""
        return np.array([sum(demand.mean_us for demand in demands) for demands in self._demands])

    @cached_property
    def shares(self) -> Values:
        """The share of a node that each query takes at its middle rate; they add up to the utilisation."""
        rates = np.array([query.per_second.mid for query in self.queries])
        return np.asarray(rates * self.busy_us / (_US_A_SECOND * self.cluster.nodes * self.cluster.cores))

    @cached_property
    def jobs(self) -> tuple[Jobs, ...]:
        """What comes to one node, a kind for each operator of each query."""
        return tuple(
            _jobs(operator, demand, query.per_second.mid, self.cluster)
            for query, demands in zip(self.queries, self._demands, strict=True)
            for operator, demand in zip(query.work.operators, demands, strict=True)
        )

    def latency_ms(self, query: int, quantile: float, utilisation: float, time_factor: float = 1.0) -> Values:
        """A quantile of one query in each interval of the profile, when all rates grow to this utilisation.

        `time_factor` multiplies the demands, and so the waits.
        """
        work = self.queries[query].work
        wait = self._wait_at(utilisation).scaled(time_factor * self._wait_factor)
        curves = [
            with_wait(self._model.curves(point), wait, _nodes_asked(point.child_rows, self.cluster.nodes))
            for point in (operator.point for operator in work.operators)
        ]
        correlation = correlation_of(work, self._model)
        return np.asarray(quantile_us(composed(work, self._model), curves, quantile, correlation=correlation)) / 1000

    def _wait_at(self, utilisation: float) -> Wait:
        """The law of waits of all queries, kept because each of them asks for it."""
        if utilisation not in self._waits:
            self._waits[utilisation] = wait_at(self.jobs, utilisation, cores=self.cluster.cores)
        return self._waits[utilisation]

    def latencies_ms(self, query: int, quantile: float, time_factor: float = 1.0) -> Values:
        """The same at each of `UTILISATIONS`, which is the first axis; it never falls as the load grows."""
        rows = [self.latency_ms(query, quantile, float(at), time_factor) for at in UTILISATIONS]
        return np.asarray(np.maximum.accumulate(np.stack(rows), axis=0))


def _nodes_asked(requests: int, nodes: int) -> float:
    """How many nodes are asked by requests that go to a node each at random."""
    return nodes * _share_asked(requests, nodes)


def _share_asked(requests: int, nodes: int) -> float:
    """1 − (1 − 1/nodes) ** requests, exact also where there are so many nodes that 1 − 1/nodes is 1."""
    return 1.0 if nodes == 1 else -math.expm1(requests * math.log1p(-1.0 / nodes))


def _jobs(operator: RemoteWork, demand: Demand, per_second: float, cluster: Cluster) -> Jobs:
    """The jobs that an operator brings to one node: batches of the requests that happen to go there."""
    if demand.is_one_job:
        mean = demand.mean_us / cluster.cores
        return Jobs(per_second / cluster.nodes, mean, mean**2 * (1 + demand.variability))
    requests, part = operator.point.child_rows, 1.0 / cluster.nodes
    asked = _share_asked(requests, cluster.nodes)
    batch = requests * part / asked
    square_batch = (requests * part * (1 - part) + (requests * part) ** 2) / asked
    request_us = demand.mean_us / requests / cluster.cores
    square = request_us**2 * (batch * demand.variability + square_batch)
    return Jobs(per_second * asked, batch * request_us, square, batch)


def with_wait(curves: Curve, wait: Wait, nodes_asked: float) -> Curve:
    """The latencies of an operator that waits at each of the nodes it asks: cumulative shares at the same edges.

    The nodes are taken as alike and independent: at rest each answers in a time T₁ with P(T₁ ≤ t) = P(T ≤ t) ** (1/m),
    under load in T₁ + wait, and the operator ends with the last of the m.
    """
    kept = wait.shares > _RARE
    times, shares = wait.times_us[kept], wait.shares[kept] / wait.shares[kept].sum()
    if len(times) == 1 and times[0] == 0.0:
        return curves
    moved = np.maximum(EDGES_US[None, :] - times[:, None], 0.0)
    of_a_node = curves ** (1 / nodes_asked)
    return np.stack([shares @ np.interp(moved, EDGES_US, curve, left=0.0) for curve in of_a_node]) ** nodes_asked
