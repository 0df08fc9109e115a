"""How far the load may grow before an SLO breaks, what breaks first, and how many nodes a load needs.

    Drawn  ──▶  Capacity: answers at 5, 50 and 95 %        Mix  ──▶  Nodes: the fewest that keep every SLO

In each draw all rates grow by the same factor until the first query passes its SLO, or until the nodes are full.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from piql_profiler.capacity.load import LoadModel
from piql_profiler.capacity.mix import DRAWS, OVERLOADED, UNDER_USED, Drawn, Mix, Values
from piql_profiler.capacity.uncertain import Answer
from piql_profiler.capacity.waiting import FULLEST

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

    `growth` is the factor on all rates; below 1 an SLO is broken already. `growth_of_queries` is that at which each
    query breaks its own SLO: None where it has none, without end where nodes are full before. `firsts` begins with the
    likeliest. `p99_ms` has the quantile of each query's SLO, or its p99, at the rates as they are: without end where
    nodes are full.
    """

    growth: Answer
    growth_of_queries: tuple[Answer | None, ...]
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


def capacity_of(load: LoadModel) -> Capacity:
    """How far all rates may grow together, and what breaks first."""
    return capacity_in(Drawn(load))


def capacity_in(drawn: Drawn) -> Capacity:
    """The same of draws that are there already."""
    load = drawn.load
    return Capacity(
        Answer.of(drawn.largest / drawn.utilisation),
        tuple(
            None if largest is None else Answer.of(np.where(largest < FULLEST, largest / drawn.utilisation, np.inf))
            for largest in drawn.largest_of_queries
        ),
        tuple(drawn.latency_ms(query) for query in range(len(load.queries))),
        firsts_of(drawn),
        Answer.of(drawn.utilisation),
        tuple(map(float, load.shares)),
    )


def nodes_for(mix: Mix, growth: float = 1.0) -> Nodes:
    """The fewest nodes on which every SLO is kept and no node is overloaded when all rates grow so."""
    nodes = mix.measured.nodes
    for _ in range(_TRIES):
        drawn = mix.on(nodes)
        first = firsts_of(drawn)[0]
        at_most = np.minimum(drawn.largest, OVERLOADED)
        if np.median(at_most) == 0.0:
            return Nodes(None, first)
        answer = Answer.of(np.maximum(_nodes_needed(drawn, at_most, growth), mix.measured.nodes))
        if answer.mid in (nodes, math.inf) or answer.mid > _MOST_NODES:
            break
        nodes = int(answer.mid)
    return Nodes(answer, first)


def nodes_not_overloaded(mix: Mix, growth: float) -> int:
    """The fewest nodes that are not overloaded, whatever becomes of the SLOs."""
    drawn = mix.on(mix.measured.nodes)
    needed = _nodes_needed(drawn, np.full(DRAWS, OVERLOADED), growth)
    return max(mix.measured.nodes, int(Answer.of(needed).mid))


def _nodes_needed(drawn: Drawn, at_most: Values, growth: float) -> Values:
    """By draw, the nodes on which none is busier than `at_most`; without end where that is 0."""
    with np.errstate(divide="ignore"):
        needed = np.ceil(drawn.load.cluster.nodes * growth * drawn.utilisation / at_most - 1e-9)
    return np.asarray(np.where(at_most > 0.0, needed, np.inf))


def firsts_of(drawn: Drawn) -> tuple[First, ...]:
    """What breaks first, the likeliest at the beginning."""
    firsts = []
    for name, count in Counter(drawn.binding).most_common():
        ends = [end for end, binding in zip(drawn.largest, drawn.binding, strict=True) if binding == name]
        middle = float(np.median(ends))
        firsts.append(First(name, count / DRAWS, middle, middle == 0.0))
    return tuple(firsts)
