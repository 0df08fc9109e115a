"""How far the load may grow before an SLO breaks, what breaks first, and how many nodes a load needs.

    LoadModel  ──▶  200 draws of rates, demands and profile intervals  ──▶  Capacity: answers at 5, 50 and 95 %

In each draw all rates grow by the same factor until the first query passes its SLO, or until the nodes are full.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piql_profiler.capacity.demand import Demands
from piql_profiler.capacity.load import UTILISATIONS, Cluster, LoadModel, QueryLoad
from piql_profiler.capacity.uncertain import Answer
from piql_profiler.capacity.waiting import FULLEST
from piql_profiler.predictor.model import Model

Values = NDArray[np.float64]
OVERLOADED, UNDER_USED = 0.85, 0.3  # of a node: the thresholds of the paper
NODES = "the nodes"  # what binds where no SLO does
DRAWS, _SEED = 200, 20_261_128
_MOST_NODES = 1_000_000
_TRIES = 6  # numbers of nodes that are tried; each takes the last one's batches into account


@dataclass(frozen=True)
class First:
    """What breaks first: a query or `NODES`, in which share of the draws, and how busy a node then is (the middle).

    `is_slow_alone`: the query breaks its SLO with nothing else running, so that no node helps.
    """

    name: str
    share: float
    utilisation: float
    is_slow_alone: bool


@dataclass(frozen=True)
class Capacity:
    """What a cluster takes of one set of queries.

    `growth` is the factor on all rates; below 1 an SLO is broken already. `firsts` begins with the likeliest. `p99_ms`
    has the quantile of each query's SLO, or its p99, at the rates as they are: without end where nodes are full.
    """

    growth: Answer
    p99_ms: tuple[Answer, ...]
    firsts: tuple[First, ...]
    utilisation: Answer
    shares: tuple[float, ...]

    @property
    def state(self) -> str:
        """`overloaded`, `under-used` or `fit`, by the middle utilisation."""
        if self.utilisation.mid >= OVERLOADED:
            return "overloaded"
        return "under-used" if self.utilisation.mid <= UNDER_USED else "fit"


@dataclass(frozen=True)
class Nodes:
    """The fewest nodes that keep every SLO, at 5, 50 and 95 %; None where none do.

    `because` names what binds at the number of 50 %, or what no node helps.
    """

    answer: Answer | None
    because: First


class _Draws:
    """Draws of what is uncertain, the same for every question asked of one model."""

    def __init__(self, load: LoadModel) -> None:
        random = np.random.default_rng(_SEED)
        of_demand = random.standard_normal(DRAWS)
        of_rates = random.standard_normal((DRAWS, len(load.queries)))
        self.intervals = np.arange(DRAWS) % load.intervals
        self.factors = load.certainty.at(of_demand)
        rates = np.stack([query.per_second.at(of_rates[:, at]) for at, query in enumerate(load.queries)], axis=1)
        per_node = 1e6 * load.cluster.nodes * load.cluster.cores
        self.utilisation = self.factors * (rates @ load.busy_us) / per_node
        self._certainty = load.certainty

    def curves(self, load: LoadModel, query: int) -> Values:
        """By draw, the logarithm of a query's latency at each of `UTILISATIONS`: of its SLO's quantile, or its p99."""
        slo = load.queries[query].slo
        known = self._certainty
        ends = np.unique([known.low, known.mid, known.high])
        quantile = 0.99 if slo is None else slo.quantile
        tables = np.log([load.latencies_ms(query, quantile, float(factor)) for factor in ends])
        curves = np.empty((DRAWS, len(UTILISATIONS)))
        for draw, (factor, interval) in enumerate(zip(self.factors, self.intervals, strict=True)):
            curves[draw] = [np.interp(math.log(factor), np.log(ends), at) for at in tables[:, :, interval].T]
        return curves


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


def capacity_of(load: LoadModel) -> Capacity:
    """How far all rates may grow together, and what breaks first."""
    return _summary(load, _drawn(load))


def nodes_for(
    queries: Sequence[QueryLoad], model: Model, demands: Demands, *, cores: int, measured_nodes: int
) -> Nodes:
    """The fewest nodes on which every SLO is kept and no node is overloaded; never fewer than were profiled."""
    nodes = measured_nodes
    for _ in range(_TRIES):
        load = LoadModel(queries, model, demands, Cluster(nodes, cores))
        drawn = _drawn(load)
        first = _summary(load, drawn).firsts[0]
        at_most = np.minimum(drawn.largest, OVERLOADED)
        if np.median(at_most) == 0.0:
            return Nodes(None, first)
        with np.errstate(divide="ignore"):
            needed = np.where(at_most > 0.0, np.ceil(nodes * drawn.utilisation / at_most - 1e-9), np.inf)
        answer = Answer.of(np.maximum(needed, measured_nodes))
        if answer.mid in (nodes, math.inf) or answer.mid > _MOST_NODES:
            break
        nodes = int(answer.mid)
    return Nodes(answer, first)


@dataclass(frozen=True)
class _Drawn:
    """By draw: how busy nodes are, the largest utilisation that keeps every SLO, and what binds there."""

    utilisation: Values
    largest: Values
    binding: tuple[str, ...]
    p99_ms: tuple[Values, ...]


def _drawn(load: LoadModel) -> _Drawn:
    draws = _Draws(load)
    curves = [draws.curves(load, query) for query in range(len(load.queries))]
    largest, names = [], []
    for query, curve in zip(load.queries, curves, strict=True):
        if query.slo is not None:
            log_threshold = math.log(query.slo.threshold_ms)
            largest.append(np.array([_crossing(of_draw, log_threshold) for of_draw in curve]))
            names.append(query.name)
    largest.append(np.full(DRAWS, FULLEST if names else OVERLOADED))
    names.append(NODES)
    binding = tuple(names[at] for at in np.argmin(largest, axis=0))
    p99_ms = tuple(_now(curve, draws.utilisation) for curve in curves)
    return _Drawn(draws.utilisation, np.min(largest, axis=0), binding, p99_ms)


def _now(curves: Values, utilisations: Values) -> Values:
    """By draw, the latency at the utilisation that the rates lead to."""
    at = [np.interp(utilisation, UTILISATIONS, curve) for utilisation, curve in zip(utilisations, curves, strict=True)]
    return np.asarray(np.where(utilisations > FULLEST, np.inf, np.exp(at)))


def _summary(load: LoadModel, drawn: _Drawn) -> Capacity:
    firsts = []
    for name, count in Counter(drawn.binding).most_common():
        ends = [end for end, binding in zip(drawn.largest, drawn.binding, strict=True) if binding == name]
        middle = float(np.median(ends))
        firsts.append(First(name, count / DRAWS, middle, middle == 0.0))
    growth = Answer.of(drawn.largest / drawn.utilisation)
    p99_ms = tuple(map(Answer.of, drawn.p99_ms))
    return Capacity(growth, p99_ms, tuple(firsts), Answer.of(drawn.utilisation), tuple(map(float, load.shares)))
