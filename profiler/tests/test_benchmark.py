import numpy as np
import pytest
from piql_profiler.benchmark import correlation_of


def test_slow_phases_show_as_correlation_and_independent_executions_do_not() -> None:
    random = np.random.default_rng(1)
    noise = random.standard_normal(4_000)
    phases = np.convolve(noise, np.ones(10) / 10, mode="same")
    assert correlation_of(list(np.exp(phases))) == pytest.approx(0.9, abs=0.03)
    assert correlation_of(list(np.exp(noise))) == pytest.approx(0.0, abs=0.05)


def test_too_few_or_equal_latencies_have_no_correlation() -> None:
    assert correlation_of([1.0, 2.0]) == correlation_of([5.0] * 100) == 0.0
