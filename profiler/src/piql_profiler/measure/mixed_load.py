"""Several executions in one schedule: at each moment that is due one of them is drawn, by the time that it is given.

    in turns   aaaaaaaa bbbb cccccccc     consecutive executions of one share what makes them slow
    mixed      b a c a c c a b a c c a    what disturbs the store for a while disturbs all alike, each only a little

The same time tells more of each, as much as what is slow lasts longer than one execution. How much consecutive
executions share is still seen: from those that follow each other, whatever they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from piql_profiler.measure.clock import REAL, Clock
from piql_profiler.measure.measurements import FEWEST_PAIRS
from piql_profiler.measure.open_loop import AT_LEAST, BETWEEN_CHECKS, Block, check_load, seconds_of_one


@dataclass(frozen=True, slots=True)
class Part:
    """What is executed, which gives its service time in µs; the seconds it is given, and those that one takes.

    `is_enough` is asked now and then, off the schedule, of all service times so far; the others then have the rest of
    its time no longer to share with it.
    """

    execute: Callable[[], float]
    seconds: float
    one_takes: float | None = None
    is_enough: Callable[[Sequence[float]], bool] = lambda service_us: False


@dataclass(frozen=True, slots=True)
class Mixed:
    """A block of each part, how many of its seconds it took, and which part each execution was of, in their order."""

    blocks: Sequence[Block]
    seconds: Sequence[float]
    order: Sequence[int]

    def correlations(self) -> list[float]:
        """The correlation of each part's executions with those just before them, by normal scores."""
        order = np.array(self.order)
        scores = np.zeros(len(order))
        is_even = np.zeros(len(self.blocks), dtype=bool)
        for part, block in enumerate(self.blocks):
            values = np.array(block.service_us)
            scores[order == part] = ndtri((rankdata(values) - 0.5) / max(len(values), 1))
            is_even[part] = len(values) < FEWEST_PAIRS or values.min() == values.max()
        correlations = []
        for part in range(len(self.blocks)):
            at = np.flatnonzero((order[1:] == part) & ~is_even[order[:-1]]) + 1
            is_known = len(at) >= FEWEST_PAIRS and not is_even[part]
            before = scores[at - 1]
            correlations.append(float(np.corrcoef(before, scores[at])[0, 1]) if is_known and before.std() else 0.0)
        return correlations


@dataclass(slots=True)
class _Taken:
    service: list[float] = field(default_factory=list)
    response: list[float] = field(default_factory=list)
    lag: list[float] = field(default_factory=list)
    spent: float = 0.0


def offer_mixed(
    parts: Sequence[Part], *, load: float, seed: int, at_least: int = AT_LEAST, clock: Clock = REAL
) -> Mixed:
    """Keep one client busy for a share `load` of all seconds given; ValueError for a load of 1 or more.

    A part too slow for its seconds is still executed `at_least` times, at the end and without waiting. A `load` of 0 is
    closed loop: one execution after the other.
    """
    check_load(load)
    takes = [part.one_takes or seconds_of_one(part.execute, part.seconds, clock) for part in parts]
    random = Random(seed)
    results_of_parts = [_Taken() for _ in parts]
    seconds = [part.seconds for part in parts]
    order: list[int] = []
    left = 1.0  # of the seconds that are given
    computed = 0.0

    def execute(at: int, due: float | None, free: float) -> float:
        nonlocal computed
        computed -= clock.computed()
        started = clock.now()
        due = started if due is None else due
        took = parts[at].execute()
        computed += clock.computed()
        ended = clock.now()
        results = results_of_parts[at]
        results.service.append(took)
        results.response.append(took + (started - due) * 1e6)
        results.lag.append((started - max(due, free)) * 1e6)
        results.spent += ended - started
        order.append(at)
        return ended

    began = free = due = clock.now()
    active = [at for at, part in enumerate(parts) if part.seconds > 0.0]
    while active:
        seconds_left = sum(parts[at].seconds for at in active)
        rates = [parts[at].seconds / takes[at] for at in active]
        end = free + seconds_left * left
        gap = seconds_left / (load * sum(rates)) if load else 0.0
        finished = None
        while free < end and finished is None:
            if load:
                due += random.expovariate(1.0 / gap)
                clock.wait_until(due)
            (drawn,) = random.choices(active, rates)
            free = execute(drawn, due if load else None, free)
            service = results_of_parts[drawn].service
            if len(service) % BETWEEN_CHECKS == 0 and len(service) >= at_least:
                finished = drawn if parts[drawn].is_enough(service) else None
                due += clock.now() - free
                free = clock.now()
        if finished is None:
            break
        left = max(0.0, (end - free) / seconds_left)
        seconds[finished] *= 1.0 - left
        active.remove(finished)
    computing = computed / max(free - began, 1e-9) if load else 0.0
    lacking = [at for at, results in enumerate(results_of_parts) for _ in range(at_least - len(results.service))]
    for at in random.sample(lacking, len(lacking)):
        free = execute(at, None, free)
    return Mixed(
        [
            Block(results.service, results.response, results.lag, results.spent / max(took, 1e-9), computing)
            for results, took in zip(results_of_parts, seconds, strict=True)
        ],
        seconds,
        order,
    )
