"""Load as users make it: executions are due at random moments, whether or not the one before has ended.

    schedule   ·  ·   · ··     ·        Poisson, drawn from a seed; nothing that happens moves it
    service    ▬  ▬▬▬▬▬▬▬▬ ▬▬▬ ▬        what an execution takes once it has begun
    response   ▬  ▬▬▬▬▬▬▬▬▬▬▬▬▬         from the moment it was due: waiting for the one before counts

A client that sends the next execution only after the last (closed loop) leaves out exactly the waits that a slow one
causes (coordinated omission), and never lets the store rest.

A block is void where the client itself was late by more than `MOST_LAG` of what it reports, or computed for more than
`MOST_COMPUTING` of the time: then its latencies are not the store's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from piql_profiler.measure.clock import REAL, Clock

WARM_UP = 3  # executions
AT_LEAST = 20  # executions of a block
MOST_LAG = 0.05  # of the p99 response
MOST_COMPUTING = 0.8  # of one processor: the most that a load may be, 0.7, and what chance adds to it
_CALIBRATION, _CALIBRATION_SHARE = 12, 0.05  # executions at most, in this share of the block's time at most
BETWEEN_CHECKS = 250  # executions
ATTEMPTS = 2  # to measure a block that is not void; the second has half of the time


@dataclass(frozen=True, slots=True)
class Block:
    """The executions of one block in their order, in µs; `busy` is the share of time spent in executions.

    `computing` is the share of one processor that the client took for them. In closed loop it is 0: a client that never
    waits computes much whatever the store does.
    """

    service_us: Sequence[float]
    response_us: Sequence[float]
    lag_us: Sequence[float]
    busy: float
    computing: float = 0.0

    @property
    def lag(self) -> float:
        """How late the client itself was: the p99 of its lag as a share of the p99 response."""
        return float(np.quantile(self.lag_us, 0.99) / max(np.quantile(self.response_us, 0.99), 1e-9))

    @property
    def is_void(self) -> bool:
        return self.lag > MOST_LAG or self.computing > MOST_COMPUTING


def offer_until_not_void(measure: Callable[[int], Block]) -> Block:
    """Return the first block that is not void, else the last; `measure` is given the number of the attempt, from 0."""
    for attempt in range(ATTEMPTS):
        block = measure(attempt)
        if not block.is_void:
            break
    return block


def offer(
    execute: Callable[[], float],
    seconds: float,
    *,
    load: float,
    seed: int,
    at_least: int = AT_LEAST,
    at_most: int | None = None,
    one_takes: float | None = None,
    is_enough: Callable[[Sequence[float]], bool] = lambda service_us: False,
    clock: Clock = REAL,
) -> Block:
    """Keep one client busy for a share `load` of `seconds`; `execute` does one execution and returns its time in µs.

    The rate follows from the seconds that `one_takes`, else from a few executions before the block. A point that is too
    slow for its time is still executed `at_least` times, the last ones without waiting. `is_enough` is asked now and
    then, off the schedule, with all service times so far, and ends the block early; so do `at_most` executions. A
    `load` of 0 is closed loop: one execution after the other. Raises ValueError for a load of 1 or more.
    """
    check_load(load)
    for _ in range(WARM_UP if one_takes is None else 1):
        execute()
    random = Random(seed)
    if one_takes is None and load:
        one_takes = seconds_of_one(execute, seconds, clock)
    gap = (one_takes or 0.0) / load if load else 0.0
    service: list[float] = []
    response: list[float] = []
    lag: list[float] = []
    spent = computed = 0.0
    began = free = due = clock.now()
    end = began + seconds
    while (len(service) < at_least or free < end) and len(service) != at_most:
        if load and free < end:
            due += random.expovariate(1.0 / gap)
            clock.wait_until(due)
        started = clock.now()
        if not load or free >= end:
            due = started
        computed -= clock.computed()
        took = execute()
        computed += clock.computed()
        ended = clock.now()
        service.append(took)
        response.append(took + (started - due) * 1e6)
        lag.append((started - max(due, free)) * 1e6)
        spent += ended - started
        free = ended
        if len(service) % BETWEEN_CHECKS == 0 and len(service) >= at_least:
            if is_enough(service):
                break
            free = clock.now()
            due += free - ended
    elapsed = max(free - began, 1e-9)
    is_scheduled = load > 0.0 and free < 2 * end - began  # a point that is too slow for its time is executed unpaused
    return Block(service, response, lag, spent / elapsed, computed / elapsed if is_scheduled else 0.0)


def check_load(load: float) -> None:
    """Raise ValueError for a load that a client cannot keep."""
    if not 0.0 <= load < 1.0:
        raise ValueError(f"a load is a share from 0 to less than 1, not {load}")


def seconds_of_one(execute: Callable[[], float], seconds: float, clock: Clock) -> float:
    """The median duration of an execution, in seconds: the rate is chosen by it."""
    durations: list[float] = []
    while not durations or (len(durations) < _CALIBRATION and sum(durations) < _CALIBRATION_SHARE * seconds):
        started = clock.now()
        execute()
        durations.append(clock.now() - started)
    return max(float(np.median(durations)), 1e-6)
