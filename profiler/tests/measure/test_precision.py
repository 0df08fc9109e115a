"""How well a p99 is known: intervals hold as often as they say, and dependent executions count for less."""

import math

import numpy as np
import pytest
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.precision import effective_number, effective_number_of_blocks, is_precise, precision_of

TRUE_P99 = math.exp(0.5 * 2.3263478740408408) * 1000


def lognormal(random: np.random.Generator, count: int) -> np.ndarray:
    return 1000 * random.lognormal(0.0, 0.5, size=count)


def test_the_interval_holds_the_true_p99_in_19_of_20_cases() -> None:
    random = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        precision = precision_of(Histogram.of(lognormal(random, 2_000)), 2_000)
        held += precision.low_us <= TRUE_P99 <= precision.high_us
    assert 0.92 <= held / 400 <= 1.0


def test_few_executions_have_no_upper_bound() -> None:
    precision = precision_of(Histogram.of(lognormal(np.random.default_rng(1), 200)), 200)
    assert precision.high_us == math.inf
    assert not is_precise([100.0] * 200, 0.1)


def test_as_many_executions_as_the_formula_asks_for_are_precise() -> None:
    random = np.random.default_rng(2)  # ±10 % of a log-normal p99 (σ 0.5) takes about 1,340 independent executions
    assert not is_precise(list(lognormal(random, 500)), 0.1)
    assert is_precise(list(lognormal(random, 4_000)), 0.1)


def test_independent_executions_are_worth_their_number_and_slow_phases_far_fewer() -> None:
    random = np.random.default_rng(3)
    independent = lognormal(random, 5_000)
    phases = np.repeat(lognormal(random, 500), 10)
    assert effective_number(list(independent)) == pytest.approx(5_000, rel=0.3)
    assert effective_number(list(phases)) < 1_000
    assert effective_number([7.0] * 30) == 30
    assert effective_number([]) == 0


def remembering(random: np.random.Generator, count: int, shared: float, lag: float) -> np.ndarray:
    """Latencies that share a cause, of which after `lag` executions a share 1/e is left."""
    cause = np.empty(count)
    cause[0] = random.standard_normal()
    memory = math.exp(-1 / lag)
    for at, fresh in enumerate(random.standard_normal(count - 1), 1):
        cause[at] = memory * cause[at - 1] + math.sqrt(1 - memory**2) * fresh
    noise = random.standard_normal(count)
    return 1000 * np.exp(0.5 * (math.sqrt(shared) * cause + math.sqrt(1 - shared) * noise))


def test_the_interval_holds_where_a_cause_lasts_though_single_slow_executions_hardly_follow_each_other() -> None:
    random = np.random.default_rng(4)
    held = 0
    for _ in range(100):
        latencies = remembering(random, 2_000, shared=0.4, lag=30)
        precision = precision_of(Histogram.of(latencies), effective_number(list(latencies)))
        held += precision.low_us <= TRUE_P99 <= precision.high_us
    assert held >= 90


def test_blocks_alike_are_worth_their_sum_and_blocks_that_differ_much_less() -> None:
    random = np.random.default_rng(5)
    alike = [list(lognormal(random, 500)) for _ in range(8)]
    one_is_slow = [*alike[1:], [3 * point for point in alike[0]]]
    assert effective_number_of_blocks(alike) == pytest.approx(4_000, rel=0.45)
    assert effective_number_of_blocks(one_is_slow) < 1_000
    assert effective_number_of_blocks(alike[:1]) == effective_number(alike[0])
    assert effective_number_of_blocks([[], []]) == 0
