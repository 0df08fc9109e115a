"""Combines operators' latencies into a plan's: sums of what runs in sequence, the maximum of what runs in parallel.

What enters: for each operator a row of cumulative shares at the histogram's bin edges (see `histogram.EDGES_US`),
many rows at once. What leaves: for each row one quantile, or the shares within some latencies. Latencies are taken as
independent, or, with a correlation ρ > 0, as dependent through one common Gaussian factor: given the factor they are
independent, and the results are averaged over its values.

    log bins  ──_spread──▶  linear grid  ──FFT for sums, products for maxima──▶  linear grid  ──▶  quantile, or shares

Sums are taken on a linear grid of `STEPS` points. Its top is Σ qᵢ(1 − (1 − q)/K), where qᵢ(p) is the p-quantile of
operator i: the quantile of the sum cannot pass it, whatever the dependence of the K operators. So what lies beyond the
top is left out. The step is a power of the bins' ratio, so that `_spread` only shifts a fixed table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, TypeVar, assert_never

import numpy as np
import scipy
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from piql_profiler.measure.histogram import BINS, LOG_RATIO, Curve, quantile_of_curve

STEPS = 1024
_Number = TypeVar("_Number", np.float32, np.complex64)
Shares = NDArray[np.float32]  # cumulative shares on the linear grid, one row for each case; single precision is enough
_TABLE_STEPS = 32_768  # of the shares for which the tables of the common factor have a value
_FEW_ROWS = 8  # up to here all values of the factor are computed at once, which is faster
_WEAK = 0.6  # a correlation up to here takes few nodes
_FEW_NODES, _MANY_NODES = 9, 15  # of the quadrature: exact to 0.1 % up to 0.6, to 1 % up to a correlation of 0.8


@dataclass(frozen=True, slots=True)
class Leaf:
    """One operator, by its index in the list of curves."""

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


def behind(composition: Composition, operators: int) -> Composition:
    """The composition, where so many operators stand before its own in the list of curves."""
    match composition:
        case Leaf(index):
            return Leaf(index + operators)
        case Serial(parts):
            return Serial(tuple(behind(part, operators) for part in parts))
        case Parallel(parts):
            return Parallel(tuple(behind(part, operators) for part in parts))
        case _:
            assert_never(composition)


def leaves_of(composition: Composition) -> tuple[int, ...]:
    """The indexes of the operators in a composition, from left to right."""
    if isinstance(composition, Leaf):
        return (composition.index,)
    return tuple(index for part in composition.parts for index in leaves_of(part))


def in_sequence(composition: Composition) -> Composition:
    """The same operators one after the other: what becomes of parallel parts on a store that answers in turn."""
    leaves = leaves_of(composition)
    return composition if len(leaves) == 1 else Serial(tuple(map(Leaf, leaves)))


def quantile_us(
    composition: Composition, curves: Sequence[Curve], q: float, *, correlation: float = 0.0, steps: int = STEPS
) -> Curve:
    """The `q` quantile in µs of each row; `curves[leaf]` has one row for each case."""
    leaves = leaves_of(composition)
    if len(leaves) == 1:
        return quantile_of_curve(curves[leaves[0]], q)
    share = 1.0 - (1.0 - q) / len(leaves)
    tops = {leaf: quantile_of_curve(curves[leaf], share) for leaf in set(leaves)}
    top = _upper(composition, tops)
    step_bins = _step_bins(top, steps)
    shares = _on_grid(composition, curves, step_bins, correlation, steps)
    quantiles: Curve = _read(shares, q) * np.exp(step_bins * LOG_RATIO)
    return quantiles


def shares_within(
    composition: Composition, curves: Sequence[Curve], latencies_us: Sequence[float], *, correlation: float = 0.0
) -> Curve:
    """The share of each row that takes at most each latency, along the last axis; the inverse of `quantile_us`.

    The grid's top is the longest of the latencies: what takes longer is left out, as it adds to no share. A latency
    many times shorter than the longest is read less exactly: to a STEPS-th of the longest.
    """
    wanted = np.asarray(latencies_us, dtype=np.float64)
    leaves = leaves_of(composition)
    if len(leaves) == 1:
        rows: Curve | Shares = curves[leaves[0]]
        places = np.log(wanted) / LOG_RATIO
    else:
        step_bins = _step_bins(np.full(len(curves[leaves[0]]), wanted.max()), STEPS)
        rows = _on_grid(composition, curves, step_bins, correlation, STEPS)
        # A point of the grid has the share below its upper end.
        places = wanted / np.exp(step_bins[0] * LOG_RATIO) - 0.5
    ends = np.arange(rows.shape[-1])
    within = [np.interp(places, ends, row, left=0.0) for row in rows]
    return np.asarray(np.clip(np.asarray(within), 0.0, 1.0))


def _step_bins(top: Curve, steps: int) -> NDArray[np.intp]:
    """The step of each row's grid that reaches its top, as a power of the bins' ratio."""
    return np.asarray(np.ceil(np.log(top / (steps - 1)) / LOG_RATIO).astype(np.intp))


def _on_grid(
    composition: Composition, curves: Sequence[Curve], step_bins: NDArray[np.intp], correlation: float, steps: int
) -> Shares:
    """The cumulative shares of the whole on the linear grid of each row."""
    spread = {leaf: _spread(curves[leaf], step_bins, steps) for leaf in set(leaves_of(composition))}
    if correlation <= 0.0:
        return _together(composition, spread)
    tables, weights = _factor(round(correlation, 3))
    indexes = {leaf: np.rint(shares * _TABLE_STEPS).astype(np.int32) for leaf, shares in spread.items()}
    spreads_by_factor = ({leaf: table[index] for leaf, index in indexes.items()} for table in tables)
    if len(step_bins) <= _FEW_ROWS:
        return _all_factors_at_once(composition, indexes, tables, weights)
    if isinstance(composition, Serial):  # averaged as spectra, so that only one is transformed back
        spectra = (_spectrum(composition, spread) for spread in spreads_by_factor)
        return _from_spectrum(_average(spectra, weights), steps)
    return _average((_together(composition, spread) for spread in spreads_by_factor), weights)


def _all_factors_at_once(
    composition: Composition, indexes: Mapping[int, NDArray[np.int32]], tables: Shares, weights: Shares
) -> Shares:
    """Compose all values of the factor together, instead of one by one: faster where there are few rows.

    `einsum` adds up without BLAS, whose threads take longer to start than they save here.
    """
    spread = {leaf: tables[:, index].reshape(-1, index.shape[-1]) for leaf, index in indexes.items()}
    count = len(weights)
    if isinstance(composition, Serial):
        spectra = _spectrum(composition, spread)
        spectrum = np.einsum("n,nrf->rf", weights, spectra.reshape(count, -1, spectra.shape[-1]))
        return _from_spectrum(spectrum, next(iter(spread.values())).shape[-1])
    shares = _together(composition, spread)
    return np.asarray(np.einsum("n,nrs->rs", weights, shares.reshape(count, -1, shares.shape[-1])))


def _upper(composition: Composition, tops: dict[int, Curve]) -> Curve:
    """The top of the linear grid of a composition, from those of its leaves."""
    match composition:
        case Leaf(index):
            return tops[index]
        case Serial(parts):
            return np.asarray(np.sum([_upper(part, tops) for part in parts], axis=0))
        case Parallel(parts):
            return np.asarray(np.max([_upper(part, tops) for part in parts], axis=0))


def _together(composition: Composition, spread: Mapping[int, Shares]) -> Shares:
    """The cumulative shares of the whole from those of its leaves, all on the linear grid."""
    match composition:
        case Leaf(index):
            return spread[index]
        case Serial():
            return _from_spectrum(_spectrum(composition, spread), spread[leaves_of(composition)[0]].shape[-1])
        case Parallel(parts):
            shares = _together(parts[0], spread).copy()
            for part in parts[1:]:
                shares *= _together(part, spread)
            return shares


def _spectrum(composition: Serial, spread: Mapping[int, Shares]) -> NDArray[np.complex64]:
    """The transform of a sum: the product of its parts', long enough that no sum wraps around."""
    first, *others = (_together(part, spread) for part in composition.parts)
    half = -(-len(composition.parts) * first.shape[-1] // 2)
    size = 2 * scipy.fft.next_fast_len(half, real=True)  # even, as irfft assumes
    spectrum = scipy.fft.rfft(_masses(first), size, axis=-1)
    for shares in others:
        spectrum *= scipy.fft.rfft(_masses(shares), size, axis=-1)
    return np.asarray(spectrum)


def _from_spectrum(spectrum: NDArray[np.complex64], steps: int) -> Shares:
    masses = scipy.fft.irfft(spectrum, axis=-1)[..., :steps]
    return np.asarray(np.cumsum(masses, axis=-1))


def _average(parts: Iterable[NDArray[_Number]], weights: Shares) -> NDArray[_Number]:
    """Add up weighted arrays one by one, so that only two are in memory."""
    total: NDArray[_Number] | None = None
    for part, weight in zip(parts, weights, strict=True):
        part *= weight
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None
    return total


def _masses(shares: Shares) -> Shares:
    """The share at each point of the grid, from the cumulative ones."""
    masses = shares.copy()
    masses[..., 1:] -= shares[..., :-1]
    return masses


def _spread(curve: Curve, step_bins: NDArray[np.intp], steps: int) -> Shares:
    """Read the shares of log bins on the linear grid of each row: at point k, those below (k + ½)·step.

    log bins   |  |   |    |     |      |
    grid       · · · · · · · · · · · · · ·        between two edges, in proportion
    """
    whole_bins, part = _bins_of_points(steps)
    at = np.clip(step_bins[:, None] + whole_bins[None, :], -1, BINS)
    narrow = np.empty((len(curve), BINS + 3), dtype=np.float32)  # zero before the first edge, the last edge repeated
    narrow[:, 0] = 0.0
    narrow[:, 1:-1] = curve
    narrow[:, -1] = curve[:, -1]
    flat, at = narrow.ravel(), at + (1 + np.arange(len(curve)) * (BINS + 3))[:, None]
    below = flat[at]
    return np.asarray(below + part * (flat[at + 1] - below))


@lru_cache
def _bins_of_points(steps: int) -> tuple[NDArray[np.intp], Shares]:
    """The bin edge before each point of the linear grid when the step is 1 µs, and how far behind it the point is."""
    position = np.log(np.arange(steps) + 0.5) / LOG_RATIO
    whole_bins = np.floor(position).astype(np.intp)
    return whole_bins, (position - whole_bins).astype(np.float32)


@lru_cache
def _factor(correlation: float) -> tuple[Shares, Shares]:
    """Tables of the common factor, by Gauss-Hermite quadrature: a row for each value z, and the weights of the values.

    A row has the share below a latency given z, Φ((Φ⁻¹(F) − √ρ·z) / √(1 − ρ)), for each share F without knowing z.
    """
    nodes, weights = hermegauss(_FEW_NODES if correlation <= _WEAK else _MANY_NODES)
    scores = scipy.special.ndtri(np.arange(_TABLE_STEPS + 1) / _TABLE_STEPS)
    given_z = scipy.special.ndtr(
        (scores[None, :] - math.sqrt(correlation) * nodes[:, None]) / math.sqrt(1.0 - correlation)
    )
    return given_z.astype(np.float32), (weights / weights.sum()).astype(np.float32)


def _read(shares: Shares, q: float) -> Curve:
    """The quantile of each row in steps, interpolated between the points' upper ends."""
    reached = shares >= q - 1e-6
    at = np.where(reached.any(axis=-1), np.argmax(reached, axis=-1), shares.shape[-1] - 1)
    rows = np.arange(len(shares))
    high = shares[rows, at]
    low = np.where(at > 0, shares[rows, np.maximum(at - 1, 0)], 0.0)
    part = np.minimum(np.maximum((q - low) / np.maximum(high - low, 1e-15), 0.0), 1.0)
    return np.asarray(np.maximum(at - 0.5 + part, 0.0))
