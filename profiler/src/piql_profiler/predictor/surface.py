"""Quantile surfaces: each quantile of an operator as a function of its cardinalities, fitted to all its points.

    requests, rows, bytes      q(x) = θ₀ + θ₁·child + θ₂·child·rows + θ₃·child·rows·bytes,  θ ≥ 0 by relative error
    local residual             × exp of the points' log errors, the nearer the heavier
    between points             interpolated in each dimension, which repeats a surface of this form exactly
    beyond them                plus what the surface grows by

θ ≥ 0, evening out noise between grid points and multilinear interpolation keep every quantile monotone in every
cardinality. Operators of one execution share a common cause as far as consecutive executions did in the profile.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from piql_profiler.grid import Operator, Point
from piql_profiler.histogram import EDGES_US, Curve, cumulative_of, quantile_of_curve
from piql_profiler.measurements import Measurements, OperatorCounts
from piql_profiler.predictor.conformal import calibrate
from piql_profiler.predictor.levels import Levels, levels_of, require
from piql_profiler.predictor.model import Coverage

SHARES = np.concatenate(
    ([0.0, 0.005, 0.01, 0.02, 0.03], np.arange(0.05, 0.951, 0.05), [0.96, 0.97, 0.98, 0.985, 0.99, 0.995, 0.998, 1.0])
)
_NEARNESS = 0.05
_STRONGEST = 0.8  # beyond, the composition's quadrature is no longer exact to 1 %
_Values = NDArray[np.float64]


class SurfaceModel:
    """Interpolates between measured points instead of taking the next larger one."""

    name = "surface"

    def __init__(self, measurements: Measurements) -> None:
        self.intervals = measurements.intervals
        self.is_answered_in_turn = measurements.is_answered_in_turn
        self.correlation = min(max(measurements.correlation, 0.0), _STRONGEST)
        self._measurements = measurements
        self._levels = levels_of(measurements)
        self._cache: dict[Hashable, Curve] = {}

    @cached_property
    def upper_factor(self) -> float | None:
        return calibrate(self._measurements, SurfaceModel).factor()

    def coverage(self, point: Point) -> Coverage:
        return require(self._levels, point.operator).coverage(point)

    def excess(self, point: Point) -> float:
        return max(require(self._levels, point.operator).excess(point))

    def key(self, point: Point) -> Hashable:
        return point

    def curves(self, point: Point) -> Curve:
        if point not in self._cache:
            require(self._levels, point.operator)
            quantiles = np.log(self._surfaces[point.operator].quantiles(point))
            self._cache[point] = np.stack([np.interp(np.log(EDGES_US), each, SHARES, left=0.0) for each in quantiles])
        return self._cache[point]

    @cached_property
    def _surfaces(self) -> dict[Operator, _Surface]:
        return {
            operator: _Surface.fit(measured, self._levels[operator])
            for operator, measured in self._measurements.operators.items()
        }


@dataclass(frozen=True)
class _Surface:
    """One operator: `coefficients[interval, share, feature]`, `nodes[child, rows, bytes, interval, share]` in µs."""

    levels: Levels
    coefficients: _Values
    nodes: _Values

    @classmethod
    def fit(cls, measured: OperatorCounts, levels: Levels) -> _Surface:
        curves = cumulative_of(measured.counts)
        seen = np.stack([quantile_of_curve(curves, share) for share in SHARES], axis=-1)  # point, interval, share
        features = _features(measured.coordinates, levels)
        coefficients = np.zeros((seen.shape[1], len(SHARES), features.shape[1]))
        for interval, share in product(range(seen.shape[1]), range(len(SHARES))):
            weight = 1.0 / seen[:, interval, share]
            coefficients[interval, share], _ = nnls(features * weight[:, None], np.ones(len(weight)))

        corners = np.array(list(product(*levels.dimensions)), dtype=np.float64)
        fitted = np.einsum("isf,pf->pis", coefficients, features)
        errors = np.log(seen) - np.log(np.maximum(fitted, 1.0))
        distance = np.log(corners)[:, None, :] - np.log(measured.coordinates)[None, :, :]
        weights = 1.0 / ((distance**2).sum(axis=-1) + _NEARNESS)
        weights /= weights.sum(axis=1, keepdims=True)
        surface = np.maximum(np.einsum("isf,pf->pis", coefficients, _features(corners, levels)), 1.0)
        values = np.sort(surface * np.exp(np.einsum("cp,pis->cis", weights, errors)), axis=-1)
        is_smaller = np.asarray((corners[None, :, :] <= corners[:, None, :]).all(axis=2))
        slowest_smaller = np.stack([values[row].max(axis=0) for row in is_smaller])
        fastest_larger = np.stack([values[row].min(axis=0) for row in is_smaller.T])
        shape = tuple(len(each) for each in levels.dimensions)
        return cls(levels, coefficients, ((slowest_smaller + fastest_larger) / 2).reshape(*shape, *values.shape[1:]))

    def quantiles(self, point: Point) -> _Values:
        """Give the quantiles in µs of each interval, at `SHARES`."""
        coordinates = np.array(point.coordinates, dtype=np.float64)
        inside = np.array([min(at, each[-1]) for at, each in zip(coordinates, self.levels.dimensions, strict=True)])
        found = self.nodes
        for at, dimension in zip(inside, self.levels.dimensions, strict=True):
            place = float(np.interp(at, dimension, np.arange(len(dimension))))
            low = min(int(place), max(len(dimension) - 2, 0))
            part = place - low
            found = found[low] if part == 0.0 else (1 - part) * found[low] + part * found[low + 1]
        both = _features(np.stack([coordinates, inside]), self.levels)
        found = found + np.einsum("isf,f->is", self.coefficients, both[0] - both[1])
        return np.asarray(np.maximum.accumulate(found * self._unseen_growth(point), axis=-1))

    def _unseen_growth(self, point: Point) -> float:
        """A dimension measured at one size teaches nothing of its growth: beyond it, take the work as proportional."""
        excess = self.levels.excess(point)
        return float(
            np.prod([each for each, level in zip(excess, self.levels.dimensions, strict=True) if len(level) == 1])
        )


def _features(coordinates: _Values, levels: Levels) -> _Values:
    """Give 1, requests, rows and bytes of each point; what a dimension of one size cannot tell apart is left out."""
    child, rows, size = coordinates.T
    varied = [len(each) > 1 for each in levels.dimensions]
    columns = [np.ones(len(coordinates))]
    if varied[0]:
        columns.append(child)
    if varied[1]:
        columns.append(child * rows)
    if varied[2]:
        columns.append(child * rows * size)
    return np.stack(columns, axis=1)
