"""An upper bound of a predicted p99 with a stated coverage, from how wrong the model is on data it was not fitted to.

    cases                      the grid's checks, which no model is fitted to; where there are too few, each measured
                               point that others enclose, predicted by the model fitted to the others
    score                      log (p99 of the point's query / predicted p99)
    bound at coverage 1 − α    predicted × exp of the ⌈(n + 1)(1 − α)⌉-th smallest score

A grid has no checks of writes. Their cases are the points of LimitCheck and ReferenceCheck: the whole write that each
is part of, with a record and entries of which no point was measured.

The query of a join's point has two operators, so the scores contain errors of interpolation, of composition and of
measuring. This is split conformal prediction (V. Vovk et al., Algorithmic Learning in a Random World): the coverage
holds for the observed p99 of a query that might as well have been among the cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import cumulative_of, quantile_of_curve
from piql_profiler.measure.measurements import Measurements, OperatorCounts
from piql_profiler.measure.precision import FEWEST_FOR_P99
from piql_profiler.measure.workload import LINK_BYTES
from piql_profiler.measure.write_workload import record_below
from piql_profiler.predictor.composition import Leaf, Serial, quantile_us
from piql_profiler.predictor.levels import levels_of
from piql_profiler.predictor.model import Coverage, Model, NotPredictable

COVERAGE = 0.9  # of the bound: "9 of 10"
_QUANTILE = 0.99


@dataclass(frozen=True, slots=True)
class Calibration:
    """The scores of the cases, ascending."""

    scores: tuple[float, ...]

    @classmethod
    def of(cls, scores: Sequence[float]) -> Calibration:
        return cls(tuple(sorted(scores)))

    def factor(self, coverage: float = COVERAGE) -> float | None:
        """What a prediction is multiplied by; None when there are too few cases for the coverage."""
        rank = math.ceil((len(self.scores) + 1) * coverage)
        return math.exp(self.scores[rank - 1]) if rank <= len(self.scores) else None


def calibrate(measurements: Measurements, build: Callable[[Measurements], Model]) -> Calibration:
    """Score the predictions of queries that a model, as `build` makes it of measurements, was not fitted to."""
    pooled = measurements.pooled()
    model = build(pooled)
    checked = [
        score(check.quantile_us(_QUANTILE), point, model)
        for point, check in pooled.checks.items()
        if check.total >= FEWEST_FOR_P99
    ]
    calibration = Calibration.of([error for error in checked if error is not None])
    return _left_out(pooled, build) if calibration.factor() is None else calibration


def calibrate_writes(measurements: Measurements, build: Callable[[Measurements], Model]) -> Calibration:
    """Score the predictions of the writes that a profile's points are parts of."""
    pooled = measurements.pooled()
    model = build(pooled)
    scores = []
    for measured in (counts for operator, counts in pooled.operators.items() if operator.is_of_writes):
        for row, point in enumerate(measured.points):
            actual_us = None if point.is_query else _actual_us(measured, row)
            point_score = None if actual_us is None else score(actual_us, point, model)
            if point_score is not None:
                scores.append(point_score)
    return Calibration.of(scores)


def _left_out(pooled: Measurements, build: Callable[[Measurements], Model]) -> Calibration:
    """Score each measured point by the model of the others, where those enclose it."""
    scores = []
    for measured in (counts for operator, counts in pooled.operators.items() if not operator.is_of_writes):
        for row, point in enumerate(measured.points):
            actual_us = _actual_us(measured, row)
            other_points = pooled.without(point)
            if actual_us is None or not _is_enclosed(point, other_points):
                continue
            point_score = score(actual_us, point, build(other_points))
            if point_score is not None:
                scores.append(point_score)
    return Calibration.of(scores)


def score(actual_us: float, point: Point, model: Model) -> float | None:
    """log(actual / predicted) of a point's query; None where the model cannot predict it."""
    try:
        return math.log(actual_us / _predicted_us(point, model))
    except NotPredictable:
        return None


def _actual_us(measured: OperatorCounts, row: int) -> float | None:
    """The p99 of the whole query of a point, which has that row in the arrays; None for too few executions."""
    counts = measured.counts[row, 0]
    if not measured.points[row].is_query:
        if measured.whole is None:
            return None
        counts = measured.whole[row]
    if counts.sum() < FEWEST_FOR_P99:
        return None
    return float(quantile_of_curve(cumulative_of(counts)[None, :], _QUANTILE)[0])


def _is_enclosed(point: Point, others: Measurements) -> bool:
    """Whether there are smaller and larger points among others, so that nothing is extrapolated."""
    levels = levels_of(others).get(point.operator)
    if levels is None or levels.coverage(point) is Coverage.EXTRAPOLATED:
        return False
    coordinates, of_point = others.operators[point.operator].coordinates, np.array(point.coordinates)
    return bool((coordinates <= of_point).all(axis=1).any() and (coordinates >= of_point).all(axis=1).any())


def _predicted_us(point: Point, model: Model) -> float:
    """The predicted p99 of a point's query: with the scan before a join, or the write that a check is part of."""
    curves = [model.curves(point)]
    is_of_writes = point.operator.is_of_writes
    if not point.is_query:
        scan = Point(Operator.INDEX_SCAN, 1, point.child_rows, LINK_BYTES)
        curves.insert(0, model.curves(record_below(point) if is_of_writes else scan))
    composition = Serial(tuple(map(Leaf, range(len(curves))))) if len(curves) > 1 else Leaf(0)
    correlation = model.write_correlation if is_of_writes else model.correlation
    return float(quantile_us(composition, curves, _QUANTILE, correlation=correlation)[0])
