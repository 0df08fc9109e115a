"""Quantile surfaces: each quantile of an operator as a function of its cardinalities, fitted to all its points.

    1  surface           q(x) = θ₀ + θ₁·log child + θ₂·child + child·rows·(θ₃ + θ₄·bytes + θ₅·columns), with θ ≥ 0
                         fitted by relative error. The logarithm is how the slowest of many requests grows. A write
                         with index entries has a term more: it writes an intent first
    2  residuals         the surface × exp of the points' log errors, nearer points weighing more, without their noise
    3  between points    interpolated linearly in each dimension, which reproduces a surface of this form exactly
    4  beyond them       the nearest value inside, plus what the surface grows by from there

Part of a point's error is noise of measuring. The mean square of all points' errors exceeds their own variances σ² by
τ² (at least 0); a point keeps τ² / (τ² + σ²) of its error.

Every quantile grows with every cardinality, because θ ≥ 0, noise between grid points is evened out, and interpolation
is linear. How much operators of one execution are slow together comes from the joins of the profile (`dependence`).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy
from numpy.typing import NDArray
from piql.trees.cached_property import cached_property

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import EDGES_US, Curve, cumulative_of, quantile_of_curve
from piql_profiler.measure.measurements import Measurements, OperatorCounts
from piql_profiler.predictor.dependence import STRONGEST, correlation_of_slowest
from piql_profiler.predictor.levels import Levels, as_measured, require
from piql_profiler.predictor.measured_model import MeasuredModel

SHARES = np.concatenate(
    ([0.0, 0.005, 0.01, 0.02, 0.03], np.arange(0.05, 0.951, 0.05), [0.96, 0.97, 0.98, 0.985, 0.99, 0.995, 0.998, 1.0])
)
_NEARNESS = 0.05  # added to squared log distances, so that a point at no distance does not weigh infinitely
_LOGARITHM = 1  # index of log child among the features
_Values = NDArray[np.float64]


class SurfaceModel(MeasuredModel):
    """A `Model` that interpolates between measured points; surfaces and curves are computed when first needed."""

    name = "surface"

    def __init__(self, measurements: Measurements) -> None:
        super().__init__(measurements)
        self.write_correlation = min(max(measurements.write_correlation, 0.0), STRONGEST)
        self._surfaces: dict[Operator, _Surface] = {}

    @cached_property
    def correlation(self) -> float:
        """That of the slowest executions, or of all where these are too few to tell."""
        if self._measurements.intervals > 1:
            return SurfaceModel(self._measurements.pooled()).correlation
        fitted = correlation_of_slowest(self._measurements, self.curves) if self._has_scans else None
        return min(max(self._measurements.correlation, 0.0), STRONGEST) if fitted is None else fitted

    @property
    def _has_scans(self) -> bool:
        return Operator.INDEX_SCAN in self._levels

    def key(self, point: Point) -> Hashable:
        return as_measured(self._levels, point)

    def curves(self, point: Point) -> Curve:
        point = as_measured(self._levels, point)
        if point not in self._cache:
            require(self._levels, point)
            quantiles = np.log(self._surface_of(point.operator).quantiles(point))
            self._cache[point] = np.stack(
                [np.interp(np.log(EDGES_US), quantile, SHARES, left=0.0) for quantile in quantiles]
            )
        return self._cache[point]

    def _surface_of(self, operator: Operator) -> _Surface:
        if operator not in self._surfaces:
            self._surfaces[operator] = _Surface.fit(self._measurements.operators[operator], self._levels[operator])
        return self._surfaces[operator]


@dataclass(frozen=True)
class _Surface:
    """One operator, in µs: `coefficients[interval, share, feature]`, `nodes[*dimensions, interval, share]`.

    The dimensions are child rows, rows, bytes and columns; a node is a combination of their levels. The part that grows
    with the logarithm of the child rows, `bend[interval, share]`, is taken out of the nodes: it is not linear.
    """

    levels: Levels
    coefficients: _Values
    nodes: _Values
    bend: _Values

    @classmethod
    def fit(cls, measured: OperatorCounts, levels: Levels) -> _Surface:
        """Fit the surface, and compute the nodes (steps 1 and 2 of the head).

        Axes in `einsum`: p points, c corners of the grid, i intervals, s shares, f features.
        """
        curves = cumulative_of(measured.counts)
        quantiles = np.stack([quantile_of_curve(curves, share) for share in SHARES], axis=-1)  # point, interval, share
        features = _features(measured.coordinates, levels)
        coefficients = _fitted(features, quantiles)

        corners = np.array(list(product(*levels.dimensions)), dtype=np.float64)
        fitted = np.einsum("isf,pf->pis", coefficients, features)
        errors = np.log(quantiles) - np.log(np.maximum(fitted, 1.0))
        errors *= _kept(errors, _noise(curves, measured.worth()))
        distance = np.log(corners)[:, None, :] - np.log(measured.coordinates)[None, :, :]
        weights = 1.0 / ((distance**2).sum(axis=-1) + _NEARNESS)
        weights /= weights.sum(axis=1, keepdims=True)
        surface = np.maximum(np.einsum("isf,pf->pis", coefficients, _features(corners, levels)), 1.0)
        values = np.sort(surface * np.exp(np.einsum("cp,pis->cis", weights, errors)), axis=-1)
        is_smaller = np.asarray((corners[None, :, :] <= corners[:, None, :]).all(axis=2))
        slowest_smaller = np.stack([values[row].max(axis=0) for row in is_smaller])
        fastest_larger = np.stack([values[row].min(axis=0) for row in is_smaller.T])
        shape = tuple(len(dimension) for dimension in levels.dimensions)
        nodes = ((slowest_smaller + fastest_larger) / 2).reshape(*shape, *values.shape[1:])
        bend = _bend(levels, coefficients, nodes)
        logarithms = np.log(np.array(levels.dimensions[0], dtype=np.float64))
        return cls(levels, coefficients, nodes - logarithms[:, None, None, None, None, None] * bend, bend)

    def quantiles(self, point: Point) -> _Values:
        """The quantiles in µs of each interval, at `SHARES` (steps 3 and 4 of the head)."""
        coordinates = np.array(point.coordinates, dtype=np.float64)
        inside = np.array(
            [min(at, dimension[-1]) for at, dimension in zip(coordinates, self.levels.dimensions, strict=True)]
        )
        latencies_us = self.nodes
        for at, dimension in zip(inside, self.levels.dimensions, strict=True):
            position = float(np.interp(at, dimension, np.arange(len(dimension))))
            low = min(int(position), max(len(dimension) - 2, 0))
            part = position - low
            latencies_us = (
                latencies_us[low] if part == 0.0 else (1 - part) * latencies_us[low] + part * latencies_us[low + 1]
            )
        latencies_us = latencies_us + self.bend * np.log(inside[0])
        features, features_inside = _features(np.stack([coordinates, inside]), self.levels)
        latencies_us = latencies_us + np.einsum("isf,f->is", self.coefficients, features - features_inside)
        return np.asarray(np.maximum.accumulate(latencies_us * self._unseen_growth(point), axis=-1))

    def _unseen_growth(self, point: Point) -> float:
        """Growth in dimensions of a single level, of which the surface knows nothing: in proportion to the size."""
        excess = self.levels.excess(point)
        return float(
            np.prod([factor for factor, level in zip(excess, self.levels.dimensions, strict=True) if len(level) == 1])
        )


def _fitted(features: _Values, quantiles: _Values) -> _Values:
    """The coefficients θ ≥ 0 of each interval and share: least squares of the relative errors."""
    coefficients = np.zeros((quantiles.shape[1], quantiles.shape[2], features.shape[1]))
    for interval, share in product(range(quantiles.shape[1]), range(quantiles.shape[2])):
        weight = 1.0 / quantiles[:, interval, share]
        coefficients[interval, share], _ = scipy.optimize.nnls(features * weight[:, None], np.ones(len(weight)))
    return coefficients


def _bend(levels: Levels, coefficients: _Values, nodes: _Values) -> _Values:
    """How much all nodes grow with the logarithm of the child rows: at most as much as the one that grows least."""
    if len(levels.dimensions[0]) == 1:
        return np.zeros(coefficients.shape[:2])
    steps = np.diff(np.log(np.array(levels.dimensions[0], dtype=np.float64)))
    slopes = np.diff(nodes, axis=0) / steps[:, None, None, None, None, None]
    return np.asarray(np.minimum(coefficients[..., _LOGARITHM], slopes.min(axis=(0, 1, 2, 3))))


def _noise(curves: Curve, worth: _Values) -> _Values:
    """The standard deviation of each quantile's log: half the distance of the ranks one deviation on either side."""
    errors = []
    for share in SHARES:
        away = np.sqrt(share * (1 - share) / np.maximum(worth, 1.0))
        ends = [quantile_of_curve(curves, np.clip(end, 0.0, 1.0)) for end in (share - away, share + away)]
        errors.append((np.log(ends[1]) - np.log(ends[0])) / 2)
    return np.stack(errors, axis=-1)


def _kept(errors: _Values, noise: _Values) -> _Values:
    """The part of each error[point, interval, share] that is not noise."""
    variance = noise**2
    excess = np.maximum((errors**2 - variance).mean(axis=(0, 1)), 0.0)
    return np.asarray(excess / np.maximum(excess + variance, 1e-12))


def _features(coordinates: _Values, levels: Levels) -> _Values:
    """The regression matrix: 1 and the work of each point in the dimensions of more than one size."""
    child, rows, size, columns = coordinates.T
    varied = [len(dimension) > 1 for dimension in levels.dimensions]
    features = [np.ones(len(coordinates))]
    if varied[0]:
        features += [np.log(child), child]
    if varied[1]:
        features.append(child * rows)
    if varied[2]:
        features.append(child * rows * size)
    if varied[3]:
        features.append(child * rows * columns)
    if varied[0] and levels.operator is Operator.WRITE:
        features.append(child > 1)
    return np.stack(features, axis=1)
