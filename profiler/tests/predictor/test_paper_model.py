"""The model of the VLDB 2012 paper: the next larger grid point."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import BINS, Histogram, quantile_of_curve
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.model import Coverage, NotPredictable
from piql_profiler.predictor.paper import PaperModel

Make = Callable[..., Measurements]
Feed = Callable[[int, int], Point]


def p99(model: PaperModel, point: Point) -> float:
    return float(quantile_of_curve(model.curves(point), 0.99).max())


def test_a_point_between_grid_points_takes_the_next_larger_one(measured: Make, feed_point: Feed) -> None:
    model = PaperModel(measured())
    assert p99(model, feed_point(37, 11)) == p99(model, feed_point(50, 50))


def test_a_measured_point_is_told_from_an_interpolated_and_an_extrapolated_one(
    measured: Make, feed_point: Feed
) -> None:
    model = PaperModel(measured())
    coverages = [model.coverage(feed_point(*sizes)) for sizes in ((50, 10), (51, 10), (101, 10))]
    assert coverages == [Coverage.MEASURED, Coverage.INTERPOLATED, Coverage.EXTRAPOLATED]


def test_a_smaller_row_than_measured_still_counts_as_measured(measured: Make) -> None:
    model = PaperModel(measured())
    assert model.coverage(Point(Operator.SORTED_INDEX_JOIN, 50, 10, 180)) is Coverage.MEASURED
    assert model.coverage(Point(Operator.SORTED_INDEX_JOIN, 50, 10, 201)) is Coverage.EXTRAPOLATED


def test_beyond_the_grid_latency_grows_with_the_work(measured: Make, feed_point: Feed) -> None:
    model = PaperModel(measured())
    assert p99(model, feed_point(200, 50)) == pytest.approx(2 * p99(model, feed_point(100, 50)), rel=0.001)
    assert model.excess(feed_point(200, 50)) == 2.0


def test_an_operator_that_was_not_measured_is_named(measured: Make) -> None:
    model = PaperModel(measured(Grid.product("scans", row_bytes=(100,), scan_rows=(1, 10))))
    with pytest.raises(NotPredictable, match="no measurement of IndexFKJoin"):
        model.curves(Point(Operator.INDEX_FK_JOIN, 5, 1, 100))


def test_rows_of_several_columns_are_no_part_of_the_papers_model(measured: Make) -> None:
    columns = Grid.product("joins", row_bytes=(200,), columns=(1, 10), fk_child_rows=(1, 10, 100))
    narrow = Grid.product("joins", row_bytes=(200,), fk_child_rows=(1, 10, 100))

    def slower_by_columns(point: Point, interval: int, random: np.random.Generator) -> np.ndarray:
        return np.full(1_000, 100.0 * point.child_rows * point.columns)

    models = [PaperModel(measured(grid, truth=slower_by_columns)) for grid in (columns, narrow)]
    wide = Point(Operator.INDEX_FK_JOIN, 50, 1, 450, 6)
    assert p99(models[0], wide) == p99(models[1], wide) == p99(models[1], Point(Operator.INDEX_FK_JOIN, 50, 1, 200))


def test_without_smoothing_the_measurements_are_left_as_they_are(measured: Make, feed_point: Feed) -> None:
    measurements = measured()
    model = PaperModel(measurements, is_monotone=False)
    joins = measurements.operators[Operator.SORTED_INDEX_JOIN]
    at = joins.points.index(feed_point(50, 10))
    assert np.allclose(model.curves(feed_point(50, 10))[1], Histogram(joins.counts[at, 1]).cumulative)


GRID = Grid.product("noisy", row_bytes=(40, 200), sorted_child_rows=(1, 10, 50), sorted_rows=(1, 10))
sizes = st.tuples(st.integers(1, 80), st.integers(1, 15), st.integers(1, 300))


@settings(max_examples=60)
@given(st.integers(0, 10_000), sizes, sizes)
def test_a_larger_point_is_never_faster_however_noisy_the_measurements(
    seed: int, one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    random = np.random.default_rng(seed)
    cells = []
    for point in GRID.points:
        counts = np.zeros(BINS, dtype=np.int64)
        np.add.at(counts, random.integers(100, 600, size=30), 1)
        cells.append(Measurement(point, 0, Histogram(counts), 0.0, 1.0))
    model = PaperModel(Measurements.of(cells, 1.0))
    small = Point(Operator.SORTED_INDEX_JOIN, *map(min, zip(one, other, strict=True)))
    large = Point(Operator.SORTED_INDEX_JOIN, *map(max, zip(one, other, strict=True)))
    for q in (0.1, 0.5, 0.9, 0.99):
        slow, fast = (quantile_of_curve(model.curves(point), q)[0] for point in (large, small))
        assert slow >= fast * (1 - 1e-9)
