"""Predictions of cardinalities that were never measured, against the exact p99 of a stated truth."""

from functools import partial

import numpy as np
import pytest
from piql.compiler.result import CompiledQuery
from piql_profiler.measure.benchmark import correlation_of
from piql_profiler.measure.grid import GRIDS, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.predict import predict

SPREAD, CORRELATION, SAMPLES, DRAWS = 0.5, 0.4, 1_000, 400_000
UNSEEN = [(limit, count) for limit in (7, 18, 37, 60, 80) for count in (5, 12, 20, 33, 45)]


def median_us(child_rows: int, rows: int, row_bytes: int, columns: int) -> float:
    return 100 + 50 * child_rows + 5 * child_rows * rows + 0.002 * child_rows * rows * row_bytes


def stream(random: np.random.Generator) -> np.ndarray:
    """Normal scores of consecutive executions, each correlated with the one before."""
    noise = random.standard_normal(SAMPLES)
    scores = noise.copy()
    for at in range(1, SAMPLES):
        scores[at] = CORRELATION * scores[at - 1] + np.sqrt(1 - CORRELATION**2) * noise[at]
    return scores


def measure(point: Point, random: np.random.Generator) -> Measurement:
    latencies = median_us(*point.coordinates) * np.exp(SPREAD * stream(random))
    return Measurement(point, 0, Histogram.of(latencies), 0.0, 1.0, correlation_of(list(latencies)))


@pytest.fixture(scope="module")
def measurements() -> Measurements:
    random = np.random.default_rng(3)
    return Measurements.of([measure(point, random) for point in GRIDS["default"].points], 30.0)


def errors(model: str, measurements: Measurements, query: CompiledQuery) -> list[float]:
    """Predicted / exact p99 − 1 of each unseen setting."""
    assert query.plan is not None
    random = np.random.default_rng(5)
    factor, noise = random.standard_normal(DRAWS), random.standard_normal((2, DRAWS))
    scan, join = np.exp(SPREAD * (np.sqrt(CORRELATION) * factor + np.sqrt(1 - CORRELATION) * noise))
    predicted = partial(predict, query.plan, build_model(measurements, model))
    shares = []
    for limit, count in UNSEEN:
        exact_ms = (
            float(np.quantile(median_us(1, limit, 64, 1) * scan + median_us(limit, count, 180, 1) * join, 0.99)) / 1000
        )
        shares.append(predicted({"subscriptions.owner": limit, "count": count}).p99_ms / exact_ms - 1)
    return shares


def test_surfaces_are_right_about_unseen_cardinalities(
    measurements: Measurements, thoughtstream: CompiledQuery
) -> None:
    errors_of_surface = np.array(errors("surface", measurements, thoughtstream))
    assert np.abs(errors_of_surface).mean() < 0.05
    assert errors_of_surface.min() > -0.1
    assert errors_of_surface.max() < 0.15


def test_the_papers_model_never_promises_too_much_but_is_far_above(
    measurements: Measurements, thoughtstream: CompiledQuery
) -> None:
    errors_of_paper = np.array(errors("paper", measurements, thoughtstream))
    assert errors_of_paper.min() > 0.0
    assert errors_of_paper.mean() > 0.5
