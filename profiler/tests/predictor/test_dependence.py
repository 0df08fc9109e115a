"""Joins and the scans below them, slow together as stated: in all of their executions, or but for the slowest."""

import numpy as np
import pytest
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.surface import SurfaceModel

EXECUTIONS = 20_000
GRID = Grid.product(
    "joins",
    row_bytes=(40,),
    scan_rows=(5, 10, 20, 30, 40, 50),
    fk_child_rows=(5, 10, 20, 30, 40, 50),
)


def measured(correlation: float, random: np.random.Generator, *, is_slow_apart: bool = False) -> Measurements:
    cells = []
    for point in GRID.points:
        median = 300.0 + 20 * (point.rows if point.operator is Operator.INDEX_SCAN else point.child_rows)
        scans, joins = random.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], EXECUTIONS).T
        if is_slow_apart:
            slow = random.random(EXECUTIONS) < 0.02
            joins, scans = np.where(slow, 5.0, np.minimum(joins, 1.5)), np.where(np.roll(slow, 7), 5.0, scans)
        on_top = median * np.exp(0.4 * joins)
        if point.operator is Operator.INDEX_SCAN:
            cells.append(Measurement(point, 0, Histogram.of(median * np.exp(0.4 * scans)), 0.0, 1.0, correlation))
        else:
            below = median * np.exp(0.4 * scans)
            cells.append(
                Measurement(point, 0, Histogram.of(on_top), 0.0, 1.0, correlation, whole=Histogram.of(on_top + below))
            )
    return Measurements.of(cells, 1.0)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6])
def test_what_all_executions_share_the_slowest_share_too(correlation: float) -> None:
    model = SurfaceModel(measured(correlation, np.random.default_rng(3)))
    assert model.correlation == pytest.approx(correlation, abs=0.12)


def test_slow_executions_that_come_apart_are_not_taken_for_a_common_cause() -> None:
    model = SurfaceModel(measured(0.6, np.random.default_rng(4), is_slow_apart=True))
    assert model.correlation < 0.3


def test_too_few_joins_leave_it_to_the_correlation_of_all_executions() -> None:
    whole = measured(0.3, np.random.default_rng(5))
    few = whole.only(lambda point: point.operator is Operator.INDEX_SCAN or point.child_rows < 20)
    assert SurfaceModel(few).correlation == few.correlation
    assert Point(Operator.INDEX_FK_JOIN, 5, 1, 40) in few.operators[Operator.INDEX_FK_JOIN].points
