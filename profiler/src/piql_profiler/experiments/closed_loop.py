"""A cluster of simulated nodes under clients that call again as soon as they are answered, as the papers load theirs.

    kinds of calls, each its stages: (requests, rows) …   ──▶   calls a second, and the latency of each call

A key has its replicas on a ring: each node has `PLACES` places on it, and a key lies on the nodes of the next places.
Requests of a stage leave together, each for a key at random and to one of its replicas; a node answers in the order of
arrival with as many requests at once as it has cores. Every event is simulated in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace

import numpy as np
from numpy.typing import NDArray

PLACES = 64
_KEYS = 20_000  # that requests ask for; more only cost memory


@dataclass(frozen=True, slots=True)
class NodeLaw:
    """One request keeps a core busy for `request_us` + rows · `row_us` on average; its way is lognormal."""

    request_us: float = 400.0
    row_us: float = 4.0
    network_us: float = 300.0
    network_spread: float = 0.4
    cores: int = 1
    replicas: int = 2

    def said(self) -> str:
        """Return the law as a sentence."""
        return (
            f"A request keeps a core busy for {self.request_us:g} µs and {self.row_us:g} µs a row on average "
            f"(exponential), and takes {self.network_us:g} µs on its way (lognormal, spread {self.network_spread:g}); "
            f"nodes have {self.cores} core, keys {self.replicas} replicas on a ring with {PLACES} places a node."
        )


@dataclass(frozen=True, slots=True)
class CallStage:
    """Requests that one call makes together, and the mean rows of each answer."""

    requests: int
    rows: float


@dataclass(frozen=True)
class Measured:
    """What clients saw once the cluster was warm: calls a second, and the latency of each call in ms.

    `busiest` is how many keys the node with the most of them has, over the mean.
    """

    per_second: float
    latencies_ms: NDArray[np.float64]
    busiest: float


def run(
    law: NodeLaw, nodes: int, threads: int, kinds: Sequence[Sequence[CallStage]], calls: int, seed: int
) -> Measured:
    """Let so many threads make so many calls in all, each of a kind at random; the first fifth is not counted."""
    random = np.random.default_rng(seed)
    replicas = placed_keys(nodes, min(law.replicas, nodes), random)
    free = [[0.0] * law.cores for _ in range(nodes)]
    drawn = random.integers(len(kinds), size=calls + threads).tolist()
    due = [(at, thread, 0, at, drawn.pop()) for thread, at in enumerate(random.uniform(0, 10_000, threads).tolist())]
    heapify(due)
    ends: list[tuple[float, float]] = []
    while len(ends) < calls:
        now, thread, stage, began, kind = due[0]
        stages = kinds[kind]
        last = now + _stage_us(law, stages[stage], now, replicas, free, random)
        if stage + 1 < len(stages):
            heapreplace(due, (last, thread, stage + 1, began, kind))
        else:
            ends.append((last, last - began))
            heapreplace(due, (last, thread, 0, last, drawn.pop()))
    counted = sorted(ends)[calls // 5 :]
    seconds = (counted[-1][0] - counted[0][0]) / 1e6
    keys = np.bincount(replicas.ravel(), minlength=nodes)
    return Measured(
        (len(counted) - 1) / seconds,
        np.array([latency / 1000 for _, latency in counted]),
        float(keys.max() / keys.mean()),
    )


def _stage_us(
    law: NodeLaw,
    stage: CallStage,
    now: float,
    replicas: NDArray[np.intp],
    free: list[list[float]],
    random: np.random.Generator,
) -> float:
    """Send the requests of a stage, and return how long the last answer takes."""
    chosen = replicas[
        random.integers(len(replicas), size=stage.requests), random.integers(replicas.shape[1], size=stage.requests)
    ]
    busy = random.exponential(law.request_us + stage.rows * law.row_us, stage.requests)
    way = law.network_us * np.exp(law.network_spread * random.standard_normal(stage.requests))
    last = 0.0
    for node, takes, network in zip(chosen.tolist(), busy.tolist(), way.tolist(), strict=True):
        cores = free[node]
        done = max(cores[0], now) + takes
        heapreplace(cores, done)
        last = max(last, done + network - now)
    return last


def placed_keys(nodes: int, replicas: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Return the nodes of each key: those of the next places on the ring, as many different ones as it has replicas."""
    places = random.random(nodes * PLACES)
    owners = np.repeat(np.arange(nodes), PLACES)[np.argsort(places)]
    starts = np.searchsorted(np.sort(places), random.random(_KEYS))
    placement = []
    for start in starts.tolist():
        chosen: list[int] = []
        at = start
        while len(chosen) < replicas:
            owner = int(owners[at % len(owners)])
            if owner not in chosen:
                chosen.append(owner)
            at += 1
        placement.append(chosen)
    return np.array(placement, dtype=np.intp)
