"""How well a quantile is known: its confidence interval from ranks, and when a point has been measured enough.

The interval is distribution-free: the number of executions below the true quantile is binomial, so two ranks enclose
it. Executions that are slow together tell less than independent ones: their number is divided by 1 + 2 Σ ρₖ, where ρₖ
is the autocorrelation of the indicator "slower than the quantile" at lag k. Some thousand executions have only few slow
ones, which tell little of ρₖ. So it is also derived from all latencies: from the autocorrelation of their normal
scores, as if these were jointly normal. The larger sum counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from piql_profiler.measure.histogram import Histogram, quantile_of_curve
from piql_profiler.measure.normal_scores import normal_scores

CONFIDENCE = 0.95
FEWEST_FOR_P99 = 300  # independent executions; of fewer, the interval of a p99 has no upper end
_CORRELATIONS = np.linspace(0.0, 1.0, 201)  # at which `_joint_excess` is computed


@dataclass(frozen=True, slots=True)
class Precision:
    """A quantile in µs and the interval that holds the true one in 95 of 100 cases; `high_us` may be infinite."""

    estimate_us: float
    low_us: float
    high_us: float

    @property
    def half_width(self) -> float:
        """Half the interval as a share of the estimate."""
        return (self.high_us - self.low_us) / 2 / self.estimate_us


def precision_of(histogram: Histogram, effective: float, quantile: float = 0.99) -> Precision:
    """The interval of a quantile; `effective` is how many independent executions the counts are worth."""
    low, high = _ranks(max(1, round(effective)), quantile)
    curve = histogram.cumulative[None, :]
    at = [float(quantile_of_curve(curve, share)[0]) for share in (quantile, max(low, 1e-9), min(high, 1.0))]
    return Precision(at[0], at[1], at[2] if high <= 1.0 else math.inf)


def effective_number(latencies_us: Sequence[float] | NDArray[np.float64], quantile: float = 0.99) -> float:
    """How many independent executions these, in their order, are worth."""
    values = np.asarray(latencies_us, dtype=np.float64)
    if len(values) < 2 or values.min() == values.max():
        return float(len(values))
    exceeds = (values > np.quantile(values, quantile)).astype(float)
    scores = normal_scores(values)
    correlation_sum = _leading(exceeds).sum()
    implied = np.interp(_leading(scores), _CORRELATIONS, _joint_excess(quantile)).sum()
    return len(values) / (1.0 + 2.0 * float(max(correlation_sum, implied)))


def effective_number_of_blocks(blocks_us: Sequence[Sequence[float]], quantile: float = 0.99) -> float:
    """How many independent executions several blocks are worth together.

    The executions beyond the quantile of all may gather in some of the blocks, by more than their dependence within a
    block explains: then the store was not the same in each. What the blocks are worth is divided by how many times the
    counts vary more than that (Pearson's χ² by its degrees of freedom).
    """
    blocks = [np.asarray(block, dtype=np.float64) for block in blocks_us if len(block)]
    worth = np.array([effective_number(block, quantile) for block in blocks])
    if len(blocks) < 2:
        return float(worth.sum())
    threshold = np.quantile(np.concatenate(blocks), quantile)
    counts = np.array([len(block) for block in blocks], dtype=np.float64)
    passing = np.array([(block > threshold).sum() for block in blocks])
    share = passing.sum() / counts.sum()
    if share == 0.0:
        return float(worth.sum())
    expected = counts**2 / worth * share * (1.0 - share)
    excess = ((passing - counts * share) ** 2 / expected).sum() / (len(blocks) - 1)
    return float(worth.sum() / max(1.0, excess))


def _leading(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """The autocorrelations from lag 1 on, up to the first that may be noise."""
    centred = series - series.mean()
    spectrum = np.abs(scipy.fft.rfft(centred, scipy.fft.next_fast_len(2 * len(series), real=True))) ** 2
    products = scipy.fft.irfft(spectrum)[: len(series)]
    if products[0] <= 0.0:
        return np.zeros(0)
    correlations = products[1:] / products[0]
    is_noise = correlations < 2.0 / math.sqrt(len(series))
    return np.asarray(correlations[: int(np.argmax(is_noise)) if is_noise.any() else len(correlations)])


@lru_cache(maxsize=16)
def _joint_excess(quantile: float) -> NDArray[np.float64]:
    """The correlation of the indicators "beyond the quantile" of two normal scores, for each of `_CORRELATIONS`.

    An integral over the tail of one score, by Gauss-Legendre quadrature.
    """
    threshold = float(scipy.special.ndtri(quantile))
    nodes, weights = leggauss(200)
    shares = quantile + (nodes + 1) / 2 * (1.0 - quantile)
    rho = _CORRELATIONS[:, None]
    share_beyond = scipy.special.ndtr(
        (rho * scipy.special.ndtri(shares)[None, :] - threshold) / np.sqrt(np.maximum(1.0 - rho**2, 1e-9))
    )
    both = (share_beyond * weights[None, :]).sum(axis=1) / 2
    return np.asarray((both - (1.0 - quantile)) / quantile)


def is_precise(latencies_us: Sequence[float], target: float, quantile: float = 0.99) -> bool:
    """Whether the quantile is known to ± `target` of itself."""
    values = np.sort(np.asarray(latencies_us))
    low, high = _ranks(max(1, round(effective_number(latencies_us, quantile))), quantile)
    if high > 1.0:
        return False
    estimate, bottom, top = np.quantile(values, [quantile, low, high])
    return bool((top - bottom) / 2 <= target * estimate)


@lru_cache(maxsize=4096)
def _ranks(count: int, quantile: float) -> tuple[float, float]:
    """The shares of executions at the two ranks that enclose the quantile; above 1 there is no upper one."""
    low, high = ranks_around(count, quantile)
    return low / count, high / count


def ranks_around(count: int, quantile: float) -> tuple[int, int]:
    """The ranks of independent executions, from 1 on, that enclose the quantile in 95 of 100 cases.

    A low one of 0, and a high one beyond `count`, say that there is no such end.
    """
    tail = (1.0 - CONFIDENCE) / 2
    low, high = (_fewest(share, count, quantile) for share in (tail, 1.0 - tail))
    return low, high + 1


def _fewest(share: float, count: int, quantile: float) -> int:
    """The least number of executions below the quantile that is not exceeded with a probability of at least `share`."""
    number: int = max(math.ceil(scipy.special.bdtrik(share, count, quantile)), 0)
    return number - 1 if number > 0 and scipy.special.bdtr(number - 1, count, quantile) >= share else number
