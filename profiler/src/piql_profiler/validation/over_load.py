"""Whether a query's p99 grows with the load of its store: hours in, a verdict with its interval out. Pure.

    hours with p99 and load  ──▶  the third with the least load, the third with the most
                             ──▶  p99 of the one by p99 of the other, and its interval over other days like these

Hours after one another are alike, so whole days are drawn for the interval. The p99 is independent of the load if the
whole interval lies within a quarter of 1, as wherever a latency counts as predicted; it grows if all of it lies above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1.25  # times as long, or as short
FEWEST_DAYS = 5
LEAST_RATIO_OF_LOADS = 2.0  # a load that never changes shows nothing
_DRAWS = 1_000
_INTERVAL = (2.5, 97.5)  # percentiles

Outcome = Literal["independent", "grows", "falls", "undecided", "too few", "even load"]


@dataclass(frozen=True, slots=True)
class LoadedHour:
    """One hour: its number since 1970, the executions of all queries in it, and the p99 of one query."""

    hour: int
    load: int
    p99_ms: float


@dataclass(frozen=True, slots=True)
class OverLoad:
    """How many times the p99 and the load of the busiest third of the hours are those of the quietest third."""

    outcome: Outcome
    days: int
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    ratio_of_loads: float | None = None


def over_load(hours: Sequence[LoadedHour]) -> OverLoad:
    """Judge hours of executions of one size."""
    days = np.array([hour.hour // 24 for hour in hours])
    known = np.unique(days)
    if len(known) < FEWEST_DAYS:
        return OverLoad("too few", len(known))
    loads = np.array([hour.load for hour in hours], dtype=np.float64)
    p99s = np.array([hour.p99_ms for hour in hours], dtype=np.float64)
    quiet, busy = np.quantile(loads, [1 / 3, 2 / 3])
    is_quiet, is_busy = loads <= quiet, loads >= busy
    of_loads = float(np.median(loads[is_busy]) / max(float(np.median(loads[is_quiet])), 1.0))
    if of_loads < LEAST_RATIO_OF_LOADS:
        return OverLoad("even load", len(known), ratio_of_loads=of_loads)
    ratio = _ratio(p99s, is_quiet, is_busy)
    assert ratio is not None  # both thirds have hours
    low, high = _interval(p99s, is_quiet, is_busy, [np.flatnonzero(days == day) for day in known])
    return OverLoad(_outcome(low, high), len(known), ratio, low, high, of_loads)


def _outcome(low: float, high: float) -> Outcome:
    if low > TOLERANCE:
        return "grows"
    if high < 1 / TOLERANCE:
        return "falls"
    return "independent" if low >= 1 / TOLERANCE and high <= TOLERANCE else "undecided"


def _ratio(p99s: NDArray[np.float64], is_quiet: NDArray[np.bool_], is_busy: NDArray[np.bool_]) -> float | None:
    """None where one of the thirds has no hour."""
    if not is_quiet.any() or not is_busy.any():
        return None
    return float(np.median(p99s[is_busy]) / np.median(p99s[is_quiet]))


def _interval(
    p99s: NDArray[np.float64],
    is_quiet: NDArray[np.bool_],
    is_busy: NDArray[np.bool_],
    days: Sequence[NDArray[np.intp]],
) -> tuple[float, float]:
    """The interval (95 %) of the ratio over days that are drawn from those that were seen."""
    random = np.random.default_rng(0)  # the same hours give the same verdict
    ratios = []
    for _ in range(_DRAWS):
        drawn = np.concatenate([days[number] for number in random.integers(0, len(days), len(days))])
        ratio = _ratio(p99s[drawn], is_quiet[drawn], is_busy[drawn])
        if ratio is not None:
            ratios.append(ratio)
    low, high = np.percentile(ratios, _INTERVAL)
    return float(low), float(high)
