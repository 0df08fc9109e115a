"""Combines operators' latencies into a plan's: sums of what runs in sequence, the maximum of what runs in parallel.

What enters: for each operator a row of cumulative shares at the histogram's bin edges (see `histogram.EDGES_US`),
many rows at once. What leaves: one quantile for each row. Latencies are taken as independent, or, with a correlation
ρ > 0, as driven by one common Gaussian factor.

Sums are taken on a linear grid of `STEPS` points. Its top is Σ qᵢ(1 − (1 − q)/K), which the quantile cannot pass
whatever the dependence of the K operators; what lies beyond the top cannot influence the quantile and is left out.
The step is a power of the bins' ratio, so that spreading a histogram onto the grid is a shift of a fixed table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtr, ndtri

from piql_profiler.histogram import BINS, LOG_RATIO, Curve, quantile_of_curve

STEPS = 2048
_FACTOR_NODES = 15


@dataclass(frozen=True, slots=True)
class Leaf:
    """One operator, by its place in the list of curves."""

    index: int


@dataclass(frozen=True, slots=True)
class Serial:
    """Parts that run one after the other."""

    parts: tuple[Composition, ...]


@dataclass(frozen=True, slots=True)
class Parallel:
    """Parts that start together; the last one to finish counts."""

    parts: tuple[Composition, ...]


Composition: TypeAlias = Leaf | Serial | Parallel


def leaves_of(composition: Composition) -> tuple[int, ...]:
    """Give the indexes of the operators in a composition, from left to right."""
    if isinstance(composition, Leaf):
        return (composition.index,)
    return tuple(index for part in composition.parts for index in leaves_of(part))


def quantile_us(
    composition: Composition, curves: Sequence[Curve], q: float, *, correlation: float = 0.0, steps: int = STEPS
) -> Curve:
    """Give the `q` quantile in µs of each row; `curves[leaf]` has one row for each case."""
    leaves = leaves_of(composition)
    if len(leaves) == 1:
        return quantile_of_curve(curves[leaves[0]], q)
    share = 1.0 - (1.0 - q) / len(leaves)
    tops = {leaf: quantile_of_curve(curves[leaf], share) for leaf in set(leaves)}
    top = _upper(composition, tops)
    step_bins = np.ceil(np.log(top / (steps - 1)) / LOG_RATIO).astype(np.intp)
    if correlation <= 0.0:
        shares = np.cumsum(_masses(composition, curves, step_bins, steps), axis=-1)
    else:
        shares = np.zeros((len(step_bins), steps))
        nodes, weights = np.polynomial.hermite_e.hermegauss(_FACTOR_NODES)
        for node, weight in zip(nodes, weights / weights.sum(), strict=True):
            given = [_given_factor(curve, float(node), correlation) for curve in curves]
            shares += weight * np.cumsum(_masses(composition, given, step_bins, steps), axis=-1)
    found: Curve = _read(shares, q) * np.exp(step_bins * LOG_RATIO)
    return found


def _upper(composition: Composition, tops: dict[int, Curve]) -> Curve:
    match composition:
        case Leaf(index):
            return tops[index]
        case Serial(parts):
            return np.asarray(np.sum([_upper(part, tops) for part in parts], axis=0))
        case Parallel(parts):
            return np.asarray(np.max([_upper(part, tops) for part in parts], axis=0))


def _masses(composition: Composition, curves: Sequence[Curve], step_bins: np.ndarray, steps: int) -> Curve:
    """Give the probability at each point of the linear grid; point k stands for (k − ½ … k + ½) steps."""
    match composition:
        case Leaf(index):
            return _spread(curves[index], step_bins, steps)
        case Serial(parts):
            size = next_fast_len(len(parts) * steps, real=True)
            spectrum = rfft(_masses(parts[0], curves, step_bins, steps), size, axis=-1)
            for part in parts[1:]:
                spectrum *= rfft(_masses(part, curves, step_bins, steps), size, axis=-1)
            return np.asarray(np.maximum(irfft(spectrum, size, axis=-1)[..., :steps], 0.0))
        case Parallel(parts):
            shares = np.cumsum(_masses(parts[0], curves, step_bins, steps), axis=-1)
            for part in parts[1:]:
                shares *= np.cumsum(_masses(part, curves, step_bins, steps), axis=-1)
            return np.diff(shares, axis=-1, prepend=0.0)


def _spread(curve: Curve, step_bins: np.ndarray, steps: int) -> Curve:
    """Put the shares of log bins onto the linear grid of each row.

    log bins   |  |   |    |     |      |        share below (k + ½)·step, read between two edges
    grid       · · · · · · · · · · · · · ·
    """
    position = np.log(np.arange(steps) + 0.5) / LOG_RATIO
    whole = np.floor(position).astype(np.intp)
    part = position - whole
    at = step_bins[:, None] + whole[None, :]
    below = np.take_along_axis(curve, np.clip(at, 0, BINS), axis=-1)
    above = np.take_along_axis(curve, np.clip(at + 1, 0, BINS), axis=-1)
    return np.diff(below + part * (above - below), axis=-1, prepend=0.0)


def _given_factor(curve: Curve, factor: float, correlation: float) -> Curve:
    """Give the shares once the common factor is known: Φ((Φ⁻¹(F) − √ρ·z) / √(1 − ρ))."""
    scores = ndtri(np.clip(curve, 1e-12, 1.0 - 1e-12))
    given = ndtr((scores - math.sqrt(correlation) * factor) / math.sqrt(1.0 - correlation))
    return np.where(curve <= 0.0, 0.0, np.where(curve >= 1.0, 1.0, given))


def _read(shares: Curve, q: float) -> Curve:
    """Give the quantile of each row in steps, interpolated between the points' upper ends."""
    reached = shares >= q - 1e-12
    at = np.where(reached.any(axis=-1), np.argmax(reached, axis=-1), shares.shape[-1] - 1)
    high = np.take_along_axis(shares, at[:, None], axis=-1)[:, 0]
    low = np.where(at > 0, np.take_along_axis(shares, np.maximum(at - 1, 0)[:, None], axis=-1)[:, 0], 0.0)
    part = np.clip((q - low) / np.maximum(high - low, 1e-15), 0.0, 1.0)
    return np.asarray(np.maximum(at - 0.5 + part, 0.0))
