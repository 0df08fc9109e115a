"""How likely an interval breaks an SLO: the share of intervals predicted to break it, with its confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import scipy

ENOUGH_INTERVALS = 20
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Risk:
    """Of `intervals`, `violations` are predicted to break the SLO; the true share lies in `low … high` (95 %)."""

    violations: int
    intervals: int
    low: float
    high: float
    warnings: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.violations / self.intervals

    @property
    def is_shown(self) -> bool:
        """Below this many intervals the confidence interval is too wide to decide by."""
        return self.intervals >= ENOUGH_INTERVALS


def risk_of(
    latency_by_interval_ms: Sequence[float],
    threshold_ms: float,
    *,
    profile_interval_seconds: float,
    slo_interval_seconds: float | None = None,
) -> Risk:
    """Count the intervals over the threshold (Clopper and Pearson's exact interval)."""
    violations = sum(latency_ms > threshold_ms for latency_ms in latency_by_interval_ms)
    intervals = len(latency_by_interval_ms)
    low, high = clopper_pearson(violations, intervals)
    warnings = []
    if intervals < ENOUGH_INTERVALS:
        warnings.append(
            f"{intervals} intervals were profiled; a share of intervals means something from {ENOUGH_INTERVALS} on"
        )
    if slo_interval_seconds is not None and slo_interval_seconds != profile_interval_seconds:
        warnings.append(
            f"the SLO's interval is {slo_interval_seconds:g} s, the profile's {profile_interval_seconds:g} s: "
            "shorter intervals vary more, longer ones less"
        )
    return Risk(violations, intervals, low, high, tuple(warnings))


def clopper_pearson(successes: int, trials: int, confidence: float = _CONFIDENCE) -> tuple[float, float]:
    """The exact two-sided confidence interval of a share."""
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no share")
    tail = (1.0 - confidence) / 2
    low = 0.0 if successes == 0 else float(scipy.special.betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes == trials else float(scipy.special.betaincinv(successes + 1, trials - successes, 1 - tail))
    return low, high
