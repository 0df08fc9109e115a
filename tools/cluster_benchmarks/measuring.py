"""Runs variants in shuffled rounds and gives the ratios of their processor times, with the interval of each.

The processor time is that of the whole process, so the driver's own threads count. Both sides of a ratio are of the
same round, which cancels what the machine does meanwhile.
"""

from __future__ import annotations

import gc
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Thread
from time import perf_counter, process_time
from typing import Any

Rows = list[dict[str, Any]]
Variant = Callable[[str], Rows]
RESAMPLES = 2_000  # of the rounds, for the interval of a ratio
TURNS = 5  # of each variant in a round


@dataclass
class Times:
    """What one variant took: microseconds of processor time a call in each round, and of each call on the clock."""

    cpu: list[float] = field(default_factory=list)
    middle: list[float] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)

    def add(self, more: Times) -> None:
        self.cpu += more.cpu
        self.middle += more.middle
        self.calls += more.calls

    @property
    def slowest(self) -> float:
        return statistics.quantiles(self.calls, n=100)[98]


@dataclass(frozen=True)
class Ratio:
    """The median of ratios, and where it lies in 95 of 100 samples of the rounds."""

    middle: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.middle:.3f} [{self.low:.3f}, {self.high:.3f}]"

    @property
    def is_one(self) -> bool:
        """Return whether the same work measured twice was found the same, within 3 %."""
        return self.low <= 1 <= self.high and self.high - self.low <= 0.06


def ratio(above: Sequence[float], below: Sequence[float]) -> Ratio:
    """Return the ratio of two variants, measured in the same rounds, with its interval by resampling the rounds."""
    ratios = [a / b for a, b in zip(above, below, strict=True)]
    chance = random.Random(3)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return Ratio(statistics.median(ratios), medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES)])


def measure(
    variants: dict[str, Variant], arguments: Sequence[str], rounds: int, calls: int, seed: int = 1
) -> dict[str, Times]:
    """Measure calls one after another; in a round each variant has several turns, so that all meet the same moments."""
    chance = random.Random(seed)
    times = {label: Times() for label in variants}
    each_turn = -(-calls // TURNS)
    for _ in range(rounds):
        worked = dict.fromkeys(variants, 0.0)
        taken: dict[str, list[float]] = {label: [] for label in variants}
        gc.collect()
        gc.disable()
        for _ in range(TURNS):
            chosen = chance.choices(arguments, k=each_turn)
            for label in chance.sample(list(variants), len(variants)):
                worked[label] += _turn(variants[label], chosen, taken[label])
        gc.enable()
        for label, durations in times.items():
            durations.cpu.append(worked[label] / (TURNS * each_turn) * 1e6)
            durations.middle.append(statistics.median(taken[label]))
            durations.calls += taken[label]
    return times


def measure_until(
    is_enough: Callable[[dict[str, Times]], bool],
    measured: Callable[[int, int], dict[str, Times]],
    first: int,
    most: int,
) -> dict[str, Times]:
    """Measure `first` rounds, then double them until the times are enough or there are `most` rounds.

    `measured` takes a number of rounds and the seed of their order.
    """
    times, rounds = measured(first, 1), first
    while not is_enough(times) and rounds < most:
        for label, more in measured(min(rounds, most - rounds), 1 + rounds).items():
            times[label].add(more)
        rounds = min(2 * rounds, most)
    return times


def _turn(run: Variant, arguments: Sequence[str], taken: list[float]) -> float:
    """Make some calls and return their processor time; the microseconds of each on the clock are added to `taken`."""
    run(arguments[-1])
    moments = [0.0] * (len(arguments) + 1)
    worked = process_time()
    moments[0] = perf_counter()
    for at, argument in enumerate(arguments, 1):
        run(argument)
        moments[at] = perf_counter()
    worked = process_time() - worked
    taken += [(b - a) * 1e6 for a, b in pairwise(moments)]
    return worked


def measure_together(
    variants: dict[str, Variant], arguments: Sequence[str], rounds: int, calls: int, in_flight: int, seed: int = 1
) -> dict[str, Times]:
    """Measure calls of several threads at once; `middle` is then microseconds on the clock for each call."""
    chance = random.Random(seed)
    times = {label: Times() for label in variants}
    for _ in range(rounds):
        chosen = chance.choices(arguments, k=calls)
        for label in chance.sample(list(variants), len(variants)):
            run = variants[label]
            threads = [Thread(target=_run_all, args=(run, chosen[at::in_flight])) for at in range(in_flight)]
            gc.collect()
            worked, started = process_time(), perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            times[label].middle.append((perf_counter() - started) / calls * 1e6)
            times[label].cpu.append((process_time() - worked) / calls * 1e6)
    return times


def _run_all(run: Variant, arguments: Sequence[str]) -> None:
    for argument in arguments:
        run(argument)


def cheapest(ways: dict[str, Variant], arguments: Sequence[str], calls: int) -> str:
    """Return the way that takes the least processor time of a call: the median of seven short rounds."""
    times = measure(ways, arguments, 7, calls)
    return min(times, key=lambda label: statistics.median(times[label].cpu))
