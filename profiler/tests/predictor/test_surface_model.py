"""The surface model near a stated truth: on the grid, between its points, and beyond it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import BINS, Histogram, quantile_of_curve
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.surface import SurfaceModel

Make = Callable[..., Measurements]
Feed = Callable[[int, int], Point]


def quantile(model: SurfaceModel, point: Point, q: float, interval: int = 0) -> float:
    return float(quantile_of_curve(model.curves(point), q)[interval])


def true_quantile(point: Point, z: float) -> float:
    rows = point.child_rows * point.rows
    return (100 + 50 * point.child_rows + 5 * rows + 0.002 * rows * point.row_bytes) * float(np.exp(0.3 * z))


@pytest.mark.parametrize(("child_rows", "rows"), [(10, 10), (100, 50), (37, 10), (20, 33), (75, 45)])
def test_points_on_and_off_the_grid_are_near_the_stated_truth(
    measured: Make, feed_point: Feed, child_rows: int, rows: int
) -> None:
    model = SurfaceModel(measured(intervals=1))
    point = feed_point(child_rows, rows)
    assert quantile(model, point, 0.5) == pytest.approx(true_quantile(point, 0.0), rel=0.03)
    assert quantile(model, point, 0.99) == pytest.approx(true_quantile(point, 2.326), rel=0.06)


def test_beyond_the_grid_the_surface_goes_on_growing(measured: Make, feed_point: Feed) -> None:
    model = SurfaceModel(measured(intervals=1))
    point = feed_point(150, 75)
    assert quantile(model, point, 0.5) == pytest.approx(true_quantile(point, 0.0), rel=0.08)


def test_a_size_of_rows_measured_at_one_level_only_grows_in_proportion_beyond_it(measured: Make) -> None:
    grid = Grid.product("scans", row_bytes=(200,), scan_rows=(1, 10, 50, 100))
    model = SurfaceModel(measured(grid, intervals=1))
    plain, doubled = (Point(Operator.INDEX_SCAN, 1, 50, size) for size in (200, 400))
    assert quantile(model, doubled, 0.9) == pytest.approx(2 * quantile(model, plain, 0.9), rel=0.03)


def by_columns(point: Point, interval: int, random: np.random.Generator) -> np.ndarray:
    """A row takes as much longer as it has columns."""
    return np.asarray((200 + 10 * point.child_rows * (1 + point.columns)) * random.lognormal(0.0, 0.1, size=4_000))


def test_a_row_of_more_columns_takes_longer_between_and_beyond_those_measured(measured: Make) -> None:
    grid = Grid.product("joins", row_bytes=(200,), columns=(1, 10), fk_child_rows=(1, 10, 100))
    model = SurfaceModel(measured(grid, intervals=1, truth=by_columns))
    for columns in (1, 4, 10, 15):
        point = Point(Operator.INDEX_FK_JOIN, 50, 1, 200, columns)
        assert quantile(model, point, 0.5) == pytest.approx(200 + 500 * (1 + columns), rel=0.03)


def test_a_profile_of_rows_of_one_column_says_nothing_of_others(measured: Make, feed_point: Feed) -> None:
    grid = Grid.product("joins", row_bytes=(200,), sorted_child_rows=(10, 50, 100), sorted_rows=(10, 50))
    model = SurfaceModel(measured(grid, intervals=1))
    wide = replace(feed_point(50, 10), columns=20)
    assert model.coverage(wide) is model.coverage(feed_point(50, 10))
    assert quantile(model, wide, 0.9) == quantile(model, feed_point(50, 10), 0.9)


def side_by_side(point: Point, interval: int, random: np.random.Generator) -> np.ndarray:
    """The slowest of requests that are made at the same time."""
    answers = 400 * random.lognormal(0.0, 0.4, size=(4_000, point.child_rows)).max(axis=1)
    return np.asarray(answers + 4 * point.child_rows)


def test_the_slowest_of_a_few_requests_is_not_predicted_too_fast_between_points(measured: Make) -> None:
    grid = Grid.product("joins", row_bytes=(200,), fk_child_rows=(1, 10, 25, 50, 100))
    model = SurfaceModel(measured(grid, intervals=1, truth=side_by_side))
    for child_rows in (3, 6):
        point = Point(Operator.INDEX_FK_JOIN, child_rows, 1, 200)
        truth = np.quantile(
            np.concatenate([side_by_side(point, 0, np.random.default_rng(at)) for at in range(10)]), 0.9
        )
        assert quantile(model, point, 0.9) == pytest.approx(float(truth), rel=0.02)


def test_errors_of_points_that_are_noise_are_evened_out(measured: Make) -> None:
    """All points together know more of a truth of the surface's form than each of them by itself."""
    grid = Grid.product("scans", row_bytes=(40, 200), scan_rows=(1, 10, 25, 50, 100))
    points = [Point(Operator.INDEX_SCAN, 1, rows, size) for rows in (1, 10, 25, 50, 100) for size in (40, 200)]
    errors: dict[str, list[float]] = {"surface": [], "single": []}
    for seed in range(6):
        measurements = measured(grid, intervals=1, seed=seed)
        model = SurfaceModel(measurements)
        counts = measurements.operators[Operator.INDEX_SCAN]
        for point in points:
            seen = Histogram(counts.counts[counts.points.index(point), 0]).quantile_us(0.99)
            truth = true_quantile(point, 2.326)
            errors["single"].append(abs(seen / truth - 1))
            errors["surface"].append(abs(quantile(model, point, 0.99) / truth - 1))
    assert np.mean(errors["surface"]) < 0.7 * np.mean(errors["single"])


def test_intervals_are_kept_apart(measured: Make, feed_point: Feed) -> None:
    model = SurfaceModel(measured(intervals=3))
    medians = [quantile(model, feed_point(50, 10), 0.5, interval) for interval in range(3)]
    assert medians == sorted(medians)
    assert medians[2] > 1.1 * medians[0]


def test_the_common_cause_is_taken_from_the_measurements(measured: Make) -> None:
    measurements = measured()
    assert SurfaceModel(measurements).correlation == 0.0
    for seen, used in ((0.4, 0.4), (-0.2, 0.0), (0.99, 0.8)):
        changed = Measurements(measurements.intervals, 2.0, measurements.operators, seen)
        assert SurfaceModel(changed).correlation == used


GRID = Grid.product("noisy", row_bytes=(40, 200), sorted_child_rows=(1, 10, 50), sorted_rows=(1, 10))
sizes = st.tuples(st.integers(1, 120), st.integers(1, 25), st.integers(1, 400))


@settings(max_examples=60, deadline=None)
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
    model = SurfaceModel(Measurements.of(cells, 1.0))
    small = Point(Operator.SORTED_INDEX_JOIN, *map(min, zip(one, other, strict=True)))
    large = Point(Operator.SORTED_INDEX_JOIN, *map(max, zip(one, other, strict=True)))
    for q in (0.1, 0.5, 0.9, 0.99):
        slow, fast = (quantile_of_curve(model.curves(point), q)[0] for point in (large, small))
        assert slow >= fast * (1 - 1e-9)
