import numpy as np
import pytest
from piql_profiler.benchmark import WARM_UP, correlation_of, sample


def test_the_first_executions_warm_up_and_are_not_counted() -> None:
    latencies = iter([9_000.0] * WARM_UP + [100.0] * 5)
    assert list(sample(lambda: next(latencies), 0.0, at_least=5).latencies_us) == [100.0] * 5


def test_a_slow_point_is_measured_often_enough_although_its_time_is_over() -> None:
    assert len(sample(lambda: 1.0, 0.0, at_least=7)) == 7


def test_a_fast_point_is_measured_until_its_time_is_over() -> None:
    assert len(sample(lambda: 1.0, 0.02, at_least=1)) > 50


def test_slow_phases_show_as_correlation_and_independent_executions_do_not() -> None:
    random = np.random.default_rng(1)
    noise = random.standard_normal(4_000)
    phases = np.convolve(noise, np.ones(10) / 10, mode="same")
    assert correlation_of(list(np.exp(phases))) == pytest.approx(0.9, abs=0.03)
    assert correlation_of(list(np.exp(noise))) == pytest.approx(0.0, abs=0.05)


def test_too_few_or_equal_latencies_have_no_correlation() -> None:
    assert correlation_of([1.0, 2.0]) == correlation_of([5.0] * 100) == 0.0
