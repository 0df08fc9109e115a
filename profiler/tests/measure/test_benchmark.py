"""Measuring points: correlation between executions, and points that are measured again."""

from collections.abc import Mapping

import numpy as np
import pytest
from piql_profiler.measure import benchmark
from piql_profiler.measure.benchmark import correlation_of
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.open_loop import Block


def test_slow_phases_show_as_correlation_and_independent_executions_do_not() -> None:
    random = np.random.default_rng(1)
    noise = random.standard_normal(4_000)
    phases = np.convolve(noise, np.ones(10) / 10, mode="same")
    assert correlation_of(list(np.exp(phases))) == pytest.approx(0.9, abs=0.03)
    assert correlation_of(list(np.exp(noise))) == pytest.approx(0.0, abs=0.05)


def test_too_few_or_equal_latencies_have_no_correlation() -> None:
    assert correlation_of([1.0, 2.0]) == correlation_of([5.0] * 100) == 0.0


def test_a_point_that_was_void_has_taken_the_time_of_both_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    point = Point(Operator.INDEX_SCAN, 1, 1, 40)
    asked: list[float] = []

    class LateAtFirst:
        def measure_mixed(self, shares: Mapping[Point, float], **_: object) -> tuple[list[Measurement], list[Block]]:
            asked.append(shares[point])
            lag = 0.5 if len(asked) == 1 else 0.0
            return [Measurement(point, 0, Histogram.of([100.0]), 0.0, shares[point], lag=lag)], []

    monkeypatch.setattr(benchmark, "_session", lambda *_: LateAtFirst())
    (measurement,) = benchmark.measure({point: 8.0}, "embedded:", grid=Grid.of("one", [point]))
    assert (asked, measurement.seconds, measurement.is_void) == ([8.0, 4.0], 12.0, False)
