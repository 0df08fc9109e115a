"""Whether an SLO is kept as often as predicted: an exact test of how many executions took at most its threshold.

    share     of executions predicted within the threshold: that of all intervals of the profile together
    region    from the share if latencies were longer, by TOLERANCE or as in the worst interval in 9 of 10 cases,
              to the share if they were shorter by TOLERANCE; wider by MARGIN of the error budget at either end
    worse     the true share lies below the region
    better    it lies above the region
    agrees    it lies inside

These three statements are tested as those about the p99 (`agreement.py`): each end of the region is tested against by
how many of n executions were within the threshold, at ERROR / 2. Executions of several sizes are held against the mean
of their regions: a sum of different chances has no longer tail than the binomial of their mean (W. Hoeffding, Ann.
Math. Statist. 27 (1956) 713-721). Of a class of sizes the region holds those of its smallest and its largest size, and
they agree inside the part that both have in common.

Executions that may have been within the threshold or not are counted against each statement.

With fewer executions than show the SLO's quantile, the outcome is "too few". Where more do not decide, it is too if
even executions that were all within the threshold could not have shown agreement yet; else it is "undecided".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import scipy

from piql_profiler.predictor.predict import Prediction
from piql_profiler.validation.agreement import ERROR, TOLERANCE

MARGIN = 0.25  # of what the SLO allows to break it: shares this close to the region are inside

Outcome = Literal["too few", "worse", "better", "agrees", "undecided"]


@dataclass(frozen=True, slots=True)
class PredictedShare:
    """The share of executions predicted within a threshold, and the ends of what counts as predicted."""

    share: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Expected:
    """The region of executions whose sizes lie between two, and the part that the regions of both have in common."""

    least: float
    most: float
    common_least: float
    common_most: float


@dataclass(frozen=True, slots=True)
class Kept:
    """Of executions, how many took at most the threshold, and how many more may have."""

    executions: int
    kept: int
    unsure: int


@dataclass(frozen=True, slots=True)
class ComplianceVerdict:
    """A verdict on executions; a true share from `least` to `most` counts as predicted.

    `needed` is how many executions are the fewest that could show agreement, None where these decide.
    """

    outcome: Outcome
    least: float
    most: float
    needed: int | None


def samples_needed(quantile: float) -> int:
    """How many executions can show a quantile: 100 for the p99."""
    return math.ceil(round(1 / (1 - quantile), 6))  # rounded, or 1 / (1 - 0.99) would be a little over 100


def predicted_share(prediction: Prediction, threshold_ms: float) -> PredictedShare:
    """The share predicted within a threshold, with its region."""
    careful = prediction.careful_factor or 1.0
    shares = prediction.shares_by_interval([threshold_ms / factor for factor in (1, TOLERANCE, 1 / TOLERANCE, careful)])
    share, slower, faster, _ = (float(mean) for mean in shares.mean(axis=0))
    return PredictedShare(share, min(slower, float(shares[:, -1].min())), faster)


def expected_of(smallest: PredictedShare, largest: PredictedShare) -> Expected:
    """The region of executions of a class: of its smallest size up to its largest."""
    leasts, mosts = (smallest.least, largest.least), (smallest.most, largest.most)
    return Expected(min(leasts), max(mosts), max(leasts), min(mosts))


def expected_together(parts: Sequence[tuple[int, Expected]]) -> Expected:
    """The region of executions of several classes: the mean, by how many each has."""
    executions = sum(count for count, _ in parts)

    def mean(ends: Sequence[float]) -> float:
        return sum(count * end for (count, _), end in zip(parts, ends, strict=True)) / executions

    return Expected(
        mean([part.least for _, part in parts]),
        mean([part.most for _, part in parts]),
        mean([part.common_least for _, part in parts]),
        mean([part.common_most for _, part in parts]),
    )


def judge_compliance(seen: Kept, expected: Expected, quantile: float) -> ComplianceVerdict:
    """Judge executions by the region that their SLO is predicted to be kept in; its margin is added here."""
    if min(seen.kept, seen.unsure) < 0 or seen.kept + seen.unsure > seen.executions:
        raise ValueError(f"{seen.kept} and {seen.unsure} of {seen.executions} are no counts of parts")
    margin = MARGIN * (1 - quantile)
    ends = Expected(
        expected.least - margin, expected.most + margin, expected.common_least - margin, expected.common_most + margin
    )
    needed = _needed(ends.common_least, quantile)
    outcome = _outcome(seen, ends)
    if seen.executions < samples_needed(quantile) or (outcome == "undecided" and seen.executions < needed):
        outcome = "too few"
    is_decided = outcome not in ("too few", "undecided")
    return ComplianceVerdict(outcome, max(0.0, ends.least), min(1.0, ends.most), None if is_decided else needed)


def _outcome(seen: Kept, ends: Expected) -> Outcome:
    if _is_below(seen, ends.least):
        return "worse"
    if _is_above(seen, ends.most):
        return "better"
    is_inside = _is_above(seen, ends.common_least) and _is_below(seen, ends.common_most)
    return "agrees" if is_inside else "undecided"


def _is_below(seen: Kept, end: float) -> bool:
    """Whether the true share is below an end: so few would be too improbable if it were exactly there."""
    if not 0 < end < 1:
        return end >= 1
    return float(scipy.special.bdtr(seen.kept + seen.unsure, seen.executions, end)) <= ERROR / 2


def _is_above(seen: Kept, end: float) -> bool:
    """Whether the true share is above an end."""
    if not 0 < end < 1:
        return end <= 0
    return seen.kept > 0 and float(scipy.special.bdtrc(seen.kept - 1, seen.executions, end)) <= ERROR / 2


def _needed(end: float, quantile: float) -> int:
    """The fewest executions that show that the true share is above an end, if all were within the threshold."""
    fewest = samples_needed(quantile)
    return fewest if end <= 0 else max(fewest, math.ceil(math.log(ERROR / 2) / math.log(end)))
