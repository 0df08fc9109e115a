"""Latencies as counts in logarithmic bins: microseconds, ratio 1.02, 1 µs to 60 s.

The bins are the same everywhere, so that histograms of any store, fast or slow, can be merged, compared and combined; a
value is known to 1 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from piql.trees.cached_property import cached_property

RATIO = 1.02  # upper by lower edge of a bin
LOG_RATIO = math.log(RATIO)
HIGHEST_US = 60_000_000.0
BINS = math.ceil(math.log(HIGHEST_US) / LOG_RATIO)
EDGES_US: NDArray[np.float64] = np.exp(np.arange(BINS + 1) * LOG_RATIO)
EDGES_US.setflags(write=False)

Counts = NDArray[np.int64]
Curve = NDArray[
    np.float64
]  # cumulative shares at the bin edges, BINS + 1 along the last axis; or quantiles of such rows


def bins_of(latencies_us: NDArray[np.float64]) -> NDArray[np.intp]:
    """The bin of each latency; what lies outside the range counts in the first or last bin."""
    inside = np.clip(latencies_us, 1.0, HIGHEST_US)
    return np.minimum(np.floor(np.log(inside) / LOG_RATIO + 1e-9).astype(np.intp), BINS - 1)


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each latency occurred: a count for each bin. `quantile_us` interpolates inside a bin."""

    counts: Counts

    def __post_init__(self) -> None:
        if self.counts.shape != (BINS,):
            raise ValueError(f"a histogram has {BINS} bins, not {self.counts.shape}")
        self.counts.setflags(write=False)

    @classmethod
    def empty(cls) -> Histogram:
        return cls(np.zeros(BINS, dtype=np.int64))

    @classmethod
    def of(cls, latencies_us: Iterable[float]) -> Histogram:
        """Count the given latencies."""
        values = np.fromiter(latencies_us, dtype=np.float64)
        return cls(np.bincount(bins_of(values), minlength=BINS).astype(np.int64))

    @classmethod
    def from_sparse(cls, bins: Sequence[int], counts: Sequence[int]) -> Histogram:
        """Build from the bins that are not empty."""
        dense = np.zeros(BINS, dtype=np.int64)
        if min(bins, default=0) < 0 or min(counts, default=0) < 0:
            raise ValueError("a histogram has neither bins nor counts below zero")
        dense[np.asarray(bins, dtype=np.intp)] = counts
        return cls(dense)

    def sparse(self) -> Mapping[int, int]:
        """The bins that are not empty, with their counts."""
        return {int(at): int(self.counts[at]) for at in np.flatnonzero(self.counts)}

    @cached_property
    def total(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def cumulative(self) -> Curve:
        """The share of latencies below each bin edge: BINS + 1 values from 0 to 1."""
        return cumulative_of(self.counts)

    def merge(self, other: Histogram) -> Histogram:
        """Add up the counts of both."""
        return Histogram(self.counts + other.counts)

    def quantile_us(self, q: float) -> float:
        """The latency that a share `q` does not pass."""
        if not self.total:
            raise ValueError("an empty histogram has no quantiles")
        return float(quantile_of_curve(self.cumulative[None, :], q)[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram) and bool(np.array_equal(self.counts, other.counts))

    __hash__ = None  # type: ignore[assignment]


def merge_all(histograms: Iterable[Histogram]) -> Histogram:
    """Add up the counts of many."""
    return Histogram(sum((histogram.counts for histogram in histograms), np.zeros(BINS, dtype=np.int64)))


def cumulative_of(counts: NDArray[np.int64]) -> Curve:
    """The cumulative shares at the bin edges, along the last axis; all zero where nothing was counted."""
    running = np.zeros((*counts.shape[:-1], BINS + 1))
    np.cumsum(counts, axis=-1, out=running[..., 1:])
    return running / np.maximum(running[..., -1:], 1)


def quantile_of_curve(curves: Curve, q: float | Curve) -> Curve:
    """The `q` quantile in µs of each row of cumulative shares at the bin edges; `q` may differ by row."""
    target = np.asarray(q)[..., None] - 1e-12
    above = np.argmax(curves >= target, axis=-1)
    above = np.maximum(np.where(curves[..., -1] >= target[..., 0], above, BINS), 1)
    flat = curves.reshape(-1)  # for few rows, `take_along_axis` would take longer than all the rest
    index = above + np.arange(above.size).reshape(above.shape) * curves.shape[-1]
    low, high = flat[index - 1], flat[index]
    part = np.minimum(np.maximum((q - low) / np.maximum(high - low, 1e-15), 0.0), 1.0)
    return np.asarray(np.exp((above - 1 + part) * LOG_RATIO))
