"""The model of VLDB 2012 (M. Armbrust et al., PIQL: Success-Tolerant Query Processing in the Cloud), the baseline.

The next larger grid point stands for an operator, and operators are independent. Beyond the grid, latencies grow in
proportion to the work.

The paper knows only rows of one column, whose bytes are all read. So the model is fitted to points of one column, and
rows with more bytes than were measured are taken to have the most that were.

One addition keeps heatmaps free of holes: noise between grid points is evened out, so that a point that is larger in
every dimension is never faster (`is_monotone=False` leaves the measurements as they are).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from math import prod

import numpy as np
from piql.trees.cached_property import cached_property

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import BINS, LOG_RATIO, Curve, cumulative_of
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.levels import BYTES, as_measured, require
from piql_profiler.predictor.measured_model import MeasuredModel


class PaperModel(MeasuredModel):
    """A `Model` that looks up the next larger grid point; beyond the grid, it scales the largest one."""

    name = "paper"
    correlation = write_correlation = 0.0

    def __init__(self, measurements: Measurements, *, is_monotone: bool = True) -> None:
        super().__init__(measurements.only(lambda point: point.columns == 1))
        self._is_monotone = is_monotone

    def key(self, point: Point) -> Hashable:
        point = self._without_width(point)
        levels = require(self._levels, point)
        return (point.operator, levels.rounded_up(point), prod(levels.excess(point)))

    def curves(self, point: Point) -> Curve:
        key = self.key(point)
        if key not in self._cache:
            point = self._without_width(point)
            levels = require(self._levels, point)
            measured_curves = self._at(point.operator, levels.rounded_up(point))
            self._cache[key] = scaled(measured_curves, prod(levels.excess(point)))
        return self._cache[key]

    def _without_width(self, point: Point) -> Point:
        """A point that is measured, with no more bytes than were measured."""
        point = as_measured(self._levels, point)
        widest = require(self._levels, point).dimensions[BYTES][-1]
        return replace(point, row_bytes=min(point.row_bytes, widest))

    def _at(self, operator: Operator, rounded: tuple[int, ...]) -> Curve:
        """The fastest of the points that are as large in every dimension: the next larger one on a full grid."""
        measured = self._measurements.operators[operator]
        curves: Curve = self._curves[operator]
        is_larger = np.asarray((measured.coordinates >= np.array(rounded)).all(axis=1))
        sizes = measured.coordinates.prod(axis=1)
        if not is_larger.any():  # happens only in a grid with gaps
            return np.asarray(curves[int(np.argmax(sizes))])
        if not self._is_monotone:
            return np.asarray(curves[int(np.argmin(np.where(is_larger, sizes, np.inf)))])
        return np.asarray(curves[is_larger].max(axis=0))

    @cached_property
    def _curves(self) -> dict[Operator, Curve]:
        curves_by_operator = {}
        for operator, measured in self._measurements.operators.items():
            curves = cumulative_of(measured.counts)
            curves_by_operator[operator] = monotone(curves, measured.coordinates) if self._is_monotone else curves
        return curves_by_operator


def monotone(curves: Curve, coordinates: np.ndarray) -> Curve:
    """Even out the noise between points, so that a larger point is slower at every quantile.

    Half way between the slowest of all smaller points and the fastest of all larger ones: both grow with the point,
    and both are the point itself where the measurements are in order already.
    """
    is_smaller = np.asarray((coordinates[None, :, :] <= coordinates[:, None, :]).all(axis=2))
    slowest_smaller = np.stack([curves[row].min(axis=0) for row in is_smaller])
    fastest_larger = np.stack([curves[row].max(axis=0) for row in is_smaller.T])
    return np.asarray((slowest_smaller + fastest_larger) / 2)


def scaled(curves: Curve, factor: float) -> Curve:
    """The curves of latencies `factor` times as long."""
    if factor == 1.0:
        return curves
    edges = np.arange(BINS + 1) - np.log(factor) / LOG_RATIO
    return np.stack([np.interp(edges, np.arange(BINS + 1), row, left=0.0) for row in curves])
