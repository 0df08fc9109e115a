"""Finds the worst and the median interval of many cells without composing every interval of each: composing is slow.

    1  estimate   every interval cheaply: medians add up, and distances from them to the quantile add up like deviations
    2  exact      compose the FIRST intervals of each cell with the largest estimates
    3  exact      compose the others that may still be worse than the worst of these

An interval may be worse where its estimate says so after two corrections: by the mean ratio of exact values to
estimates in its cell, and by four standard deviations of such ratios, which are computed over all cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

import numpy as np

from piql_profiler.measure.histogram import Curve, quantile_of_curve
from piql_profiler.predictor.composition import Composition, Leaf, Parallel, Serial

FIRST = 4  # intervals of each cell that are composed in any case
_DEVIATIONS = 4.0
_MEDIAN = 0.5

Exact = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Composes cells, each in the interval beside it: from two arrays of numbers to an array of quantiles."""


def worst_of(estimates: np.ndarray, exact: Exact) -> np.ndarray:
    """The largest exact value of each cell, given `estimates[cell, interval]`."""
    cells, intervals = estimates.shape
    if intervals <= FIRST:
        return np.asarray(_every(estimates, exact).max(axis=1))
    first = np.argsort(-estimates, axis=1)[:, :FIRST]
    rows = np.arange(cells)[:, None]
    exact_values = exact(np.broadcast_to(rows, first.shape).ravel(), first.ravel()).reshape(first.shape)
    log_ratios = np.log(exact_values / estimates[rows, first])
    mean_ratios = log_ratios.mean(axis=1, keepdims=True)
    deviation = float(np.sqrt(((log_ratios - mean_ratios) ** 2).sum() / (cells * (FIRST - 1))))
    worst = exact_values.max(axis=1)
    may_be_worse = estimates * np.exp(mean_ratios + _DEVIATIONS * deviation) > worst[:, None]
    may_be_worse[rows, first] = False
    candidates = np.argwhere(may_be_worse)
    if len(candidates):
        np.maximum.at(worst, candidates[:, 0], exact(candidates[:, 0], candidates[:, 1]))
    return np.asarray(worst)


def worst_and_typical(estimates: np.ndarray, exact: Exact) -> tuple[np.ndarray, np.ndarray]:
    """The largest exact value of each cell, and that of its median interval (the lower of two).

    With more than FIRST intervals, the median interval is that of the estimates.
    """
    cells, intervals = estimates.shape
    middle = (intervals - 1) // 2
    if intervals <= FIRST:
        ascending = np.sort(_every(estimates, exact), axis=1)
        return ascending[:, -1], ascending[:, middle]
    return worst_of(estimates, exact), exact(np.arange(cells), np.argsort(estimates, axis=1)[:, middle])


def _every(estimates: np.ndarray, exact: Exact) -> np.ndarray:
    cells, intervals = np.indices(estimates.shape).reshape(2, -1)
    return exact(cells, intervals).reshape(estimates.shape)


def estimate(composition: Composition, curves: Sequence[Curve], q: float, *, correlation: float = 0.0) -> Curve:
    """A cheap estimate of a quantile of the whole, in µs, one value for each row of the curves."""
    medians = [quantile_of_curve(curve, _MEDIAN) for curve in curves]
    beyond = [quantile_of_curve(curve, q) - median for curve, median in zip(curves, medians, strict=True)]
    median, rest = _added(composition, medians, beyond, correlation)
    return np.asarray(median + rest)


def _added(
    composition: Composition, medians: Sequence[Curve], beyond: Sequence[Curve], correlation: float
) -> tuple[Curve, Curve]:
    """Return the median of a composition and how far its quantile lies beyond it, both in µs.

    Medians add up one after the other; what lies beyond them adds up like deviations of `correlation`.
    """
    match composition:
        case Leaf(index):
            return medians[index], beyond[index]
        case Serial(parts):
            sums = [_added(part, medians, beyond, correlation) for part in parts]
            rests = np.stack([rest for _, rest in sums])
            alone, together = (rests**2).sum(axis=0), rests.sum(axis=0) ** 2
            rest = np.sqrt((1.0 - correlation) * alone + correlation * together)
            return np.sum([median for median, _ in sums], axis=0), rest
        case Parallel(parts):
            sums = [_added(part, medians, beyond, correlation) for part in parts]
            median = np.max([median for median, _ in sums], axis=0)
            return median, np.max([above + rest for above, rest in sums], axis=0) - median
        case _:
            assert_never(composition)
