"""How well a quantile is known: its confidence interval from ranks, and when a point has been measured enough.

Distribution-free: the number of executions below the true quantile is binomial, so two ranks enclose it. Executions
that are slow together tell less than independent ones: their number is divided by the inflation of the indicator
"slower than the quantile", 1 + 2 Σ ρₖ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import binom

from piql_profiler.histogram import Histogram, quantile_of_curve

CONFIDENCE = 0.95
FEWEST_FOR_P99 = 300  # below, there is no upper bound to speak of
_MOST_LAGS = 50


@dataclass(frozen=True, slots=True)
class Precision:
    """A quantile in µs and the interval that holds the true one in 95 of 100 cases; `high_us` may be infinite."""

    estimate_us: float
    low_us: float
    high_us: float

    @property
    def half_width(self) -> float:
        """Give half the interval as a share of the estimate."""
        return (self.high_us - self.low_us) / 2 / self.estimate_us


def precision_of(histogram: Histogram, effective: float, quantile: float = 0.99) -> Precision:
    """Give the interval of a quantile; `effective` is how many independent executions the counts are worth."""
    low, high = _ranks(max(1, round(effective)), quantile)
    curve = histogram.cumulative[None, :]
    at = [float(quantile_of_curve(curve, share)[0]) for share in (quantile, max(low, 1e-9), min(high, 1.0))]
    return Precision(at[0], at[1], at[2] if high <= 1.0 else math.inf)


def effective_number(latencies_us: Sequence[float], quantile: float = 0.99) -> float:
    """Give how many independent executions these, in their order, are worth."""
    count = len(latencies_us)
    values = np.asarray(latencies_us)
    exceeds = (values > np.quantile(values, quantile)).astype(float) if count else np.zeros(0)
    exceeds -= exceeds.mean() if count else 0.0
    variance = float(exceeds @ exceeds)
    if variance == 0.0:
        return float(count)
    inflation = 1.0
    noise = 2.0 / math.sqrt(count)
    for lag in range(1, min(_MOST_LAGS, count - 1)):
        correlation = float(exceeds[:-lag] @ exceeds[lag:]) / variance
        if correlation < noise:
            break
        inflation += 2.0 * correlation
    return count / inflation


def is_precise(latencies_us: Sequence[float], target: float, quantile: float = 0.99) -> bool:
    """Tell whether the quantile is known to ± `target` of itself."""
    values = np.sort(np.asarray(latencies_us))
    low, high = _ranks(max(1, round(effective_number(latencies_us, quantile))), quantile)
    if high > 1.0:
        return False
    estimate, bottom, top = np.quantile(values, [quantile, low, high])
    return bool((top - bottom) / 2 <= target * estimate)


@lru_cache(maxsize=4096)
def _ranks(count: int, quantile: float) -> tuple[float, float]:
    """Give the shares of executions at the two ranks that enclose the quantile; above 1 there is no upper one."""
    tail = (1.0 - CONFIDENCE) / 2
    low, high = binom.ppf([tail, 1.0 - tail], count, quantile)
    return float(low) / count, (float(high) + 1) / count
