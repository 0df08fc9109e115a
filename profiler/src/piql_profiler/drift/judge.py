"""How far a store has moved away from its profile: ratios of p99 now and then, with their confidence intervals.

canary              a point that is measured again to compare it
ratio of a canary   p99 now / p99 in the profile; its interval follows from those of both p99s
ratio of a look     the geometric mean of its canaries' ratios
stale               the last three looks agree: off by more than a third, in the same direction, and not by chance
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.precision import Precision

FAR = 0.3  # the logarithm of a ratio that is far off: 1.35 times slower, or faster
LOOKS = 3  # that have to agree
_DEVIATIONS = 1.96  # to the ends of a 95 % interval


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long as in the profile, with its 95 % interval."""

    factor: float
    low: float
    high: float

    @property
    def is_far(self) -> bool:
        """Whether it is off by more than `FAR`, and its interval does not contain 1."""
        return abs(math.log(self.factor)) > FAR and not self.low <= 1.0 <= self.high


@dataclass(frozen=True, slots=True)
class Canary:
    """One point measured again: its p99 in the profile, and the one of now."""

    point: Point
    then: Precision
    now: Precision

    @property
    def ratio(self) -> Ratio:
        return _ratio([self])


@dataclass(frozen=True, slots=True)
class Look:
    """All canaries at one time, in seconds since 1970."""

    at: float
    canaries: tuple[Canary, ...]

    @property
    def ratio(self) -> Ratio:
        return _ratio(self.canaries)


def stale_operators(looks: Sequence[Look]) -> tuple[Operator, ...]:
    """The operators whose canary was far off, in the same direction, in each of the last `LOOKS` looks.

    Where no single canary is known to be far off, but the looks as a whole are, all operators are stale.
    """
    last = looks[-LOOKS:]
    if len(last) < LOOKS:
        return ()
    stale = tuple(
        canary.point.operator
        for canary in last[-1].canaries
        if _agree([earlier.ratio for look in last for earlier in look.canaries if earlier.point == canary.point])
    )
    if not stale and _agree([look.ratio for look in last]):
        return tuple(canary.point.operator for canary in last[-1].canaries)
    return stale


def _agree(ratios: Sequence[Ratio]) -> bool:
    """Whether there is a ratio of each look, and all are far off in the same direction."""
    return (
        len(ratios) == LOOKS
        and all(ratio.is_far for ratio in ratios)
        and len({ratio.factor > 1.0 for ratio in ratios}) == 1
    )


def _ratio(canaries: Sequence[Canary]) -> Ratio:
    """The geometric mean of the canaries' ratios; its interval takes log p99s as normal and independent."""
    middle = sum(math.log(canary.now.estimate_us / canary.then.estimate_us) for canary in canaries) / len(canaries)
    variance = (
        sum(_deviation(canary.then) ** 2 + _deviation(canary.now) ** 2 for canary in canaries) / len(canaries) ** 2
    )
    half_width = _DEVIATIONS * math.sqrt(variance)
    return Ratio(math.exp(middle), math.exp(middle - half_width), math.exp(middle + half_width))


def _deviation(precision: Precision) -> float:
    """The standard deviation of the logarithm; an interval without an upper end is as wide as below."""
    below = math.log(precision.estimate_us / precision.low_us)
    above = math.log(precision.high_us / precision.estimate_us) if math.isfinite(precision.high_us) else below
    return max(below, above) / _DEVIATIONS
