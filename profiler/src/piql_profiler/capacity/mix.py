"""One mix of queries in 200 draws of what is uncertain: rates, demands and profile intervals.

    queries × Model × Demands  ──▶  Mix  ──▶  Drawn, for each number of nodes: latencies, what binds, and where

All rates grow by one factor. Their proportions stay as they are, and with them how waits grow with the utilisation. So
what is drawn for a number of nodes is drawn once, and tells every growth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from piql.trees.cached_property import cached_property

from piql_profiler.capacity.demand import Demands
from piql_profiler.capacity.load import UTILISATIONS, Cluster, LoadModel, QueryLoad
from piql_profiler.capacity.uncertain import Answer
from piql_profiler.capacity.waiting import FULLEST
from piql_profiler.predictor.model import Model

Values = NDArray[np.float64]
OVERLOADED, UNDER_USED = 0.85, 0.3  # of a node: the thresholds of the paper
NODES = "the nodes"  # what binds where no SLO does
DRAWS, _SEED = 200, 20_261_128


class Drawn:
    """One mix on one number of nodes; the draws are the same for every question, and for every number of nodes.

    `utilisation` is how busy nodes are in each draw at the rates as they are.
    """

    def __init__(self, load: LoadModel) -> None:
        self.load = load
        random = np.random.default_rng(_SEED)
        of_demand = random.standard_normal(DRAWS)
        of_rates = random.standard_normal((DRAWS, len(load.queries)))
        self._intervals = np.arange(DRAWS) % load.intervals
        self._factors = load.certainty.at(of_demand)
        rates = np.stack([query.per_second.at(of_rates[:, at]) for at, query in enumerate(load.queries)], axis=1)
        per_node = 1e6 * load.cluster.nodes * load.cluster.cores
        self.utilisation = self._factors * (rates @ load.busy_us) / per_node

    @cached_property
    def _curves(self) -> tuple[Values, ...]:
        """Of each query by draw, the logarithm of its SLO's quantile, or its p99, at each of `UTILISATIONS`."""
        return tuple(self._curves_of(query) for query in range(len(self.load.queries)))

    def _curves_of(self, query: int) -> Values:
        known = self.load.certainty
        ends = np.unique([known.low, known.mid, known.high])
        quantile = self.load.queries[query].quantile
        tables = np.log([self.load.latencies_ms(query, quantile, float(factor)) for factor in ends])
        curves = np.empty((DRAWS, len(UTILISATIONS)))
        for draw, (factor, interval) in enumerate(zip(self._factors, self._intervals, strict=True)):
            curves[draw] = [np.interp(math.log(factor), np.log(ends), at) for at in tables[:, :, interval].T]
        return curves

    @cached_property
    def largest_of_queries(self) -> tuple[Values | None, ...]:
        """Of each query by draw, the largest utilisation that keeps its SLO; None where it has none."""
        return tuple(
            None
            if query.slo is None
            else np.array([_crossing(of_draw, math.log(query.slo.threshold_ms)) for of_draw in curves])
            for query, curves in zip(self.load.queries, self._curves, strict=True)
        )

    @cached_property
    def _ends(self) -> dict[str, Values]:
        """By what may bind, the largest utilisation of each draw: `NODES`, then the queries with an SLO.

        Where a query keeps its SLO until the nodes are full, the two are equal, and the nodes bind.
        """
        ends = {
            query.name: largest
            for query, largest in zip(self.load.queries, self.largest_of_queries, strict=True)
            if largest is not None
        }
        return {NODES: np.full(DRAWS, FULLEST if ends else OVERLOADED), **ends}

    @cached_property
    def largest(self) -> Values:
        """By draw, the largest utilisation that keeps every SLO."""
        return np.asarray(np.min([*self._ends.values()], axis=0))

    @cached_property
    def binding(self) -> tuple[str, ...]:
        """By draw, what binds there: the name of a query, or `NODES`."""
        names = [*self._ends]
        return tuple(names[at] for at in np.argmin([*self._ends.values()], axis=0))

    def latency_ms(self, query: int, growth: float = 1.0) -> Answer:
        """The quantile of a query's SLO, or its p99, when all rates grow so; without end where nodes are full."""
        utilisations = self.utilisation * growth
        at = [
            np.interp(utilisation, UTILISATIONS, curve)
            for utilisation, curve in zip(utilisations, self._curves[query], strict=True)
        ]
        return Answer.of(np.where(utilisations > FULLEST, np.inf, np.exp(at)))


class Mix:
    """Queries at their rates on any number of nodes; `measured_nodes` were profiled, and fewer are never answered."""

    def __init__(self, queries: Sequence[QueryLoad], model: Model, demands: Demands, measured: Cluster) -> None:
        self.queries = tuple(queries)
        self.measured = measured
        self._model = model
        self.demands = demands
        self._drawn: dict[int, Drawn] = {}

    def on(self, nodes: int) -> Drawn:
        """The mix on so many nodes; NotMeasured for an operator that the profile does not reach."""
        if nodes not in self._drawn:
            cluster = Cluster(nodes, self.measured.cores)
            self._drawn[nodes] = Drawn(LoadModel(self.queries, self._model, self.demands, cluster))
        return self._drawn[nodes]


def _crossing(log_latencies: Values, log_threshold: float) -> float:
    """The largest utilisation at which a latency that grows with it is not above the threshold."""
    above = np.flatnonzero(log_latencies > log_threshold)
    if not len(above):
        return FULLEST
    first = int(above[0])
    if first == 0:
        return 0.0
    low, high = log_latencies[first - 1], log_latencies[first]
    part = float((log_threshold - low) / (high - low))
    return float(UTILISATIONS[first - 1] + part * (UTILISATIONS[first] - UTILISATIONS[first - 1]))
