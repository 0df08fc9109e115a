"""Several points or queries in one schedule: at each moment that is due one is drawn, by its share of the time.

    in turns   aaaaaaaa bbbb cccccccc     consecutive executions of one part are slow for the same cause
    mixed      b a c a c c a b a c c a    what slows the store for a while slows all parts alike, each only a little

So in the same time more is learned of each part. How much consecutive executions are slow together is still known: it
is computed from executions that follow each other, whichever parts they are of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from piql_profiler.measure.clock import REAL, Clock
from piql_profiler.measure.measurements import FEWEST_PAIRS
from piql_profiler.measure.normal_scores import normal_scores
from piql_profiler.measure.open_loop import AT_LEAST, BETWEEN_CHECKS, Block, check_load, seconds_of_one


@dataclass(frozen=True, slots=True)
class Part:
    """A point or a query to execute: `execute` does it once and returns its service time in µs.

    It is given `seconds` of the schedule; one execution takes about `one_takes` seconds, None where that is not known.
    `is_enough` is asked now and then, off the schedule, with all service times so far: a part that is enough is
    executed no longer, and its remaining seconds are not used.
    """

    execute: Callable[[], float]
    seconds: float
    one_takes: float | None = None
    is_enough: Callable[[Sequence[float]], bool] = lambda service_us: False


@dataclass(frozen=True, slots=True)
class Mixed:
    """What came of a schedule: a block of each part, the seconds it took, and the part of each execution, in order."""

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
            scores[order == part] = normal_scores(values)
            is_even[part] = len(values) < FEWEST_PAIRS or values.min() == values.max()
        correlations = []
        for part in range(len(self.blocks)):
            at = np.flatnonzero((order[1:] == part) & ~is_even[order[:-1]]) + 1
            is_known = len(at) >= FEWEST_PAIRS and not is_even[part]
            before = scores[at - 1]
            correlations.append(float(np.corrcoef(before, scores[at])[0, 1]) if is_known and before.std() else 0.0)
        return correlations


@dataclass(slots=True)
class _PartTimes:
    """The times of one part's executions, in µs, and the seconds that they took in all."""

    service: list[float] = field(default_factory=list)
    response: list[float] = field(default_factory=list)
    lag: list[float] = field(default_factory=list)
    spent: float = 0.0


class _Client:
    """The one client that executes all parts; it notes the times of each, their order, and its processor time."""

    def __init__(self, parts: Sequence[Part], clock: Clock) -> None:
        self.times = [_PartTimes() for _ in parts]
        self.order: list[int] = []
        self.computed = 0.0
        self._parts = parts
        self._clock = clock

    def execute(self, number: int, due: float | None, free: float) -> float:
        """Execute a part, due at a moment (None: now), by a client that is free since `free`; return when it ended."""
        clock, times = self._clock, self.times[number]
        self.computed -= clock.computed()
        started = clock.now()
        due = started if due is None else due
        took = self._parts[number].execute()
        self.computed += clock.computed()
        ended = clock.now()
        times.service.append(took)
        times.response.append(took + (started - due) * 1e6)
        times.lag.append((started - max(due, free)) * 1e6)
        times.spent += ended - started
        self.order.append(number)
        return ended

    def lacking(self, at_least: int) -> list[int]:
        """The parts that were executed less than `at_least` times, each as often as it lacks executions."""
        return [number for number, times in enumerate(self.times) for _ in range(at_least - len(times.service))]

    def blocks(self, seconds: Sequence[float], computing: float) -> list[Block]:
        """The times of all parts; `seconds` are those that each part was offered."""
        return [
            Block(times.service, times.response, times.lag, times.spent / max(part_seconds, 1e-9), computing)
            for times, part_seconds in zip(self.times, seconds, strict=True)
        ]


def offer_mixed(
    parts: Sequence[Part], *, load: float, seed: int, at_least: int = AT_LEAST, clock: Clock = REAL
) -> Mixed:
    """Keep one client busy for a share `load` of all parts' seconds; ValueError for a load of 1 or more.

    A part that is too slow for its seconds is still executed `at_least` times: the rest of them at the end, without
    waiting. A `load` of 0 is closed loop: one execution after the other.
    """
    check_load(load)
    takes = [part.one_takes or seconds_of_one(part.execute, part.seconds, clock) for part in parts]
    random = Random(seed)
    client = _Client(parts, clock)
    seconds = [part.seconds for part in parts]
    share_left = 1.0  # of the seconds of all active parts
    began = free = due = clock.now()
    active = [at for at, part in enumerate(parts) if part.seconds > 0.0]
    while active:
        seconds_left = sum(parts[at].seconds for at in active)
        rates = [parts[at].seconds / takes[at] for at in active]
        end = free + seconds_left * share_left
        gap = seconds_left / (load * sum(rates)) if load else 0.0
        finished = None
        while free < end and finished is None:
            if load:
                due += random.expovariate(1.0 / gap)
                clock.wait_until(due)
            (drawn,) = random.choices(active, rates)
            free = client.execute(drawn, due if load else None, free)
            service = client.times[drawn].service
            if len(service) % BETWEEN_CHECKS == 0 and len(service) >= at_least:
                finished = drawn if parts[drawn].is_enough(service) else None
                due += clock.now() - free
                free = clock.now()
        if finished is None:
            break
        share_left = max(0.0, (end - free) / seconds_left)
        seconds[finished] *= 1.0 - share_left
        active.remove(finished)
    computing = client.computed / max(free - began, 1e-9) if load else 0.0
    lacking = client.lacking(at_least)
    for number in random.sample(lacking, len(lacking)):
        free = client.execute(number, None, free)
    return Mixed(client.blocks(seconds, computing), seconds, client.order)
