"""Whether executions were as predicted: an exact test of how many of them took longer than the prediction.

    region    from predicted / TOLERANCE to the larger of predicted × TOLERANCE and what 9 of 10 cases stay below; where
              that is not known, the worst interval's prediction stands for it
    slower    the p99 lies above the region: more than 1 of 100 executions exceed its upper end
    faster    the p99 lies below the region: fewer than 1 of 100 exceed its lower end
    agrees    the p99 lies inside: fewer than 1 of 100 exceed the upper end, and more than 1 of 100 the lower one

Each of these four statements is tested against its opposite by the quantile test: of n executions whose p99 is exactly
at an end, the number that exceed it is binomial with 1 of 100. A statement is made where a number as large, or as
small, has a probability of at most ERROR / 2. So a verdict is wrong in at most ERROR of the cases, whatever the
distribution of the latencies is. Where the executions do not decide, the outcome is undecided, and not agreement.

Executions of which only a range of sizes is known have a region that holds those of all the sizes, and the part that is
common to all. They are slower or faster where they are so outside of all regions, and agree inside the common part.

With fewer than `NEEDED` executions, fewer than 1 of 100 could not be shown even if none exceeded the upper end: the
outcome is then "too few".

The test assumes that executions are independent, and that it is made once. Executions of one second are slow together,
and who looks at a page all day sees wrong verdicts more often than in ERROR of the cases.

The quantile test: W. J. Conover, Practical Nonparametric Statistics, section 3.2. A region inside which two things are
called equal, held against by two one-sided tests: D. J. Schuirmann, J. Pharmacokin. Biopharm. 15 (1987) 657-680.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import scipy

QUANTILE = 0.99
ERROR = 0.05  # how often at most a verdict is wrong
TOLERANCE = 1.25  # a p99 within this factor of the prediction is as predicted
NEEDED = math.ceil(math.log(ERROR / 2) / math.log(QUANTILE))
_MOST_NEEDED = 1_000_000

Outcome = Literal["too few", "slower", "faster", "agrees", "undecided"]


@dataclass(frozen=True, slots=True)
class Region:
    """The latencies within which a p99 is as predicted, in the unit of the prediction."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """A verdict on `executions`; `needed` is about how many would decide, None where these do, or too many would."""

    outcome: Outcome
    executions: int
    needed: int | None


def region_of(predicted: float, conservative: float | None) -> Region:
    """The region of a predicted p99; `conservative` is what it stays below in 9 of 10 cases, or the worst interval."""
    return Region(predicted / TOLERANCE, max(predicted * TOLERANCE, conservative or 0.0))


def share_interval(kept: int, executions: int, error: float = ERROR) -> tuple[float, float]:
    """The exact interval of a share, seen as `kept` of `executions`: the true one is outside in at most `error` cases.

    C. J. Clopper and E. S. Pearson, Biometrika 26 (1934) 404-413.
    """
    if not 0 <= kept <= executions or executions == 0:
        raise ValueError(f"{kept} of {executions} is no count of a part")
    low = 0.0 if kept == 0 else float(scipy.special.betaincinv(kept, executions - kept + 1, error / 2))
    high = 1.0 if kept == executions else float(scipy.special.betaincinv(kept + 1, executions - kept, 1 - error / 2))
    return low, high


def judge(
    executions: int,
    over_low: int,
    over_high: int,
    over_common_low: int | None = None,
    over_common_high: int | None = None,
) -> Agreement:
    """Judge executions, of which `over_low` took longer than the lower end of their region, `over_high` than the upper.

    Executions of several sizes are judged together, each by the region predicted for its own size. Where only a range
    of sizes is known, two more counts are those of the ends that all regions have in common.
    """
    common_low = over_low if over_common_low is None else over_common_low
    common_high = over_high if over_common_high is None else over_common_high
    over = _Over(over_low, over_high, common_low, common_high)
    if not (0 <= over_high <= over_low <= executions and all(over_high <= end <= over_low for end in over[2:])):
        raise ValueError(f"{over_low} and {over_high} of {executions} are no counts of what exceeds two ends")
    if executions < NEEDED:
        return Agreement("too few", executions, NEEDED)
    outcome = _outcome(executions, over)
    return Agreement(outcome, executions, _needed(executions, over) if outcome == "undecided" else None)


class _Over(NamedTuple):
    """How many executions took longer than each end: those of all regions, and those of the part common to all."""

    low: int
    high: int
    common_low: int
    common_high: int


def _outcome(executions: int, over: _Over) -> Outcome:
    if _are_many(executions, over.high):
        return "slower"
    if _are_few(executions, over.low):
        return "faster"
    is_inside = _are_few(executions, over.common_high) and _are_many(executions, over.common_low)
    return "agrees" if is_inside else "undecided"


def _are_many(executions: int, over: int) -> bool:
    """Whether more than 1 of 100 exceed an end: so many would be too improbable if exactly 1 of 100 did."""
    return float(scipy.special.bdtrc(over - 1, executions, 1 - QUANTILE)) <= ERROR / 2


def _are_few(executions: int, over: int) -> bool:
    """Whether fewer than 1 of 100 exceed an end."""
    return float(scipy.special.bdtr(over, executions, 1 - QUANTILE)) <= ERROR / 2


def _needed(executions: int, over: _Over) -> int | None:
    """About how many executions would decide if the same shares of them exceeded the ends; None for too many."""
    more = executions
    while more < _MOST_NEEDED:
        more = math.ceil(more * 1.5)
        scaled = _Over._make(round(count * more / executions) for count in over)
        if _outcome(more, scaled) != "undecided":
            return _to_two_digits(more)
    return None


def _to_two_digits(number: int) -> int:
    """Round up to two digits, as the number is only approximate."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit
