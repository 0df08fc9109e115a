"""Whether a figure of ours agrees with what a paper claims, by intervals; a claim that ours cannot tell is undecidable.

ratio of two p99s, 95 %: 0.98 to 1.04, claimed at most 1.10  ──▶  agrees
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

Verdict: TypeAlias = Literal["agrees", "disagrees", "undecidable"]
Values: TypeAlias = Sequence[float] | NDArray[np.float64]

_DRAWS = 1_000
_TAILS = (2.5, 97.5)  # percent: the ends of a 95 % interval


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper says, what was found here, and whether the two agree."""

    paper: str
    ours: str
    verdict: Verdict


class Interval(NamedTuple):
    """An estimate, and the ends between which the true value lies in 95 of 100 cases."""

    estimate: float
    low: float
    high: float


def exactly(holds: bool) -> Verdict:
    """Return the verdict on a claim about what was counted."""
    return "agrees" if holds else "disagrees"


def at_most(interval: Interval, most: float) -> Verdict:
    """Return the verdict on a claim that a value is at most so much: decided only if the whole interval says so."""
    if interval.high <= most:
        return "agrees"
    return "disagrees" if interval.low > most else "undecidable"


def at_least(interval: Interval, least: float) -> Verdict:
    """Return the verdict on a claim that a value is at least so much."""
    if interval.low >= least:
        return "agrees"
    return "disagrees" if interval.high < least else "undecidable"


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return one verdict for several that must all hold."""
    if "disagrees" in verdicts:
        return "disagrees"
    return "undecidable" if "undecidable" in verdicts else "agrees"


def ratio_of(
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]], above: Values, below: Values, seed: int = 1
) -> Interval:
    """Return a statistic of some values over that of others, with its interval by the bootstrap.

    The values of each side must not depend on each other; `statistic` takes a table and returns one value a row.
    """
    random = np.random.default_rng(seed)
    sides = [np.asarray(values, dtype=np.float64) for values in (above, below)]
    top, bottom = (
        np.concatenate([statistic(random.choice(values, (50, len(values)))) for _ in range(_DRAWS // 50)])
        for values in sides
    )
    low, high = np.percentile(top / bottom, _TAILS)
    return Interval(float(statistic(sides[0][None])[0] / statistic(sides[1][None])[0]), float(low), float(high))


def ratio_of_runs(above: Sequence[float], below: Sequence[float]) -> Interval:
    """Return the geometric mean of one figure of several runs over that of others, with the interval by Welch's t."""
    top, bottom = np.log(above), np.log(below)
    errors = [float(side.var(ddof=1)) / len(side) for side in (top, bottom)]
    error = sum(errors)
    freedom = error**2 / sum(part**2 / (len(side) - 1) for part, side in zip(errors, (top, bottom), strict=True))
    middle, reach = float(top.mean() - bottom.mean()), float(scipy.special.stdtrit(freedom, 0.975)) * error**0.5
    return Interval(float(np.exp(middle)), float(np.exp(middle - reach)), float(np.exp(middle + reach)))


def p99(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the 99th percentile of each row of a table."""
    quantiles: NDArray[np.float64] = np.quantile(values, 0.99, axis=1)
    return quantiles


def median(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of each row of a table."""
    medians: NDArray[np.float64] = np.median(values, axis=1)
    return medians


def shown(interval: Interval, digits: int = 2) -> str:
    """Return an interval as it is written: `1.02 (95 %: 0.98 to 1.04)`."""
    return f"{interval.estimate:.{digits}f} (95 %: {interval.low:.{digits}f} to {interval.high:.{digits}f})"
