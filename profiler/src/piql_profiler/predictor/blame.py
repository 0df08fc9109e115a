"""Which operator a plan's quantile comes from: how far it moves when one operator is a little slower.

Sums and maxima are homogeneous: when all operators take s times as long, so does every quantile of the plan. By Euler's
theorem the operators' parts then add up to it: q = Σ ∂q / ∂ log sᵢ, where sᵢ scales operator i. An operator that runs
beside a slower one has almost no part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from piql_profiler.measure.histogram import LOG_RATIO, Curve
from piql_profiler.predictor.composition import Composition, leaves_of, quantile_us

_BINS = 4  # how much slower, in bins of the histograms: 8 %


def blame_us(
    composition: Composition, curves: Sequence[Curve], q: float, *, correlation: float = 0.0, whole: Curve | None = None
) -> Curve:
    """Each operator's part of the `q` quantile in µs, one row for each case; rows add up to the quantile.

    `whole` is that quantile, where it is known already.
    """
    leaves = leaves_of(composition)
    unscaled = [None] if whole is None else []  # a case in which no operator is slower: the quantile itself
    if len(leaves) == 1:
        return (quantile_us(composition, curves, q) if whole is None else whole)[:, None]
    slower = [
        np.concatenate([_slowed(curve) if at == leaf else curve for leaf in (*unscaled, *leaves)])
        for at, curve in enumerate(curves)
    ]
    quantiles = quantile_us(composition, slower, q, correlation=correlation).reshape(-1, len(curves[0]))  # all at once
    if whole is None:
        whole, quantiles = quantiles[0], quantiles[1:]
    grown = np.maximum((quantiles.T - whole[:, None]) / (np.exp(_BINS * LOG_RATIO) - 1), 0.0)
    return np.asarray(grown * (whole / np.maximum(grown.sum(axis=1), 1e-12))[:, None])


def _slowed(curve: Curve) -> Curve:
    """The curve of latencies that are `_BINS` bins longer."""
    moved = np.zeros_like(curve)
    moved[:, _BINS:] = curve[:, :-_BINS]
    moved[:, -1] = curve[:, -1]
    return moved
