"""The past of a query, of which everything is known: what is said of its last hours, and how often wrongly."""

from __future__ import annotations

import numpy as np
import pytest
from piql_profiler.validation.baseline import HOURS_OF_WEEK, WEEKS, Anomaly, Hours, anomalies_of

PAST = WEEKS * HOURS_OF_WEEK
_BUCKETS = 200
_EDGES = 0.1 * 1.04 ** np.arange(_BUCKETS)


def history(
    seed: int,
    hours: int,
    rate: float = 1_000.0,
    drift: float = 0.0,
    slower_from: int | None = None,
    factor: float = 1.2,
) -> Hours:
    """Lognormal times with a course of the day; from hour to hour they drift, and more or fewer executions come."""
    random = np.random.default_rng(seed)
    hour = np.arange(hours)
    course = 1 + 0.6 * np.sin(2 * np.pi * hour / 24) + 0.3 * (hour // 24 % 7 < 5)
    executions = random.poisson(rate * course * np.exp(random.normal(0, 0.1, hours)))
    off = np.zeros(hours)
    for at in range(1, hours):
        off[at] = 0.7 * off[at - 1] + random.normal(0, drift * np.sqrt(0.51))
    times = np.zeros((hours, _BUCKETS))
    for at, count in enumerate(executions):
        ms = np.exp(random.normal(0.7 + 0.15 * np.sin(2 * np.pi * at / 24) + off[at], 0.5, count))
        ms *= factor if slower_from is not None and at >= slower_from else 1.0
        times[at] = np.bincount(np.searchsorted(_EDGES, ms).clip(0, _BUCKETS - 1), minlength=_BUCKETS)
    failed = random.binomial(executions, 0.001).astype(np.float64)
    return Hours(0, times.sum(axis=1) + failed, failed, times)


def until(hours: Hours, end: int) -> list[Anomaly]:
    """What is said at the end of an hour, with the weeks before it."""
    begin = max(0, end - PAST)
    cut = Hours(begin, hours.executions[begin:end], hours.failed[begin:end], hours.times[begin:end])
    return [anomaly for anomalies in anomalies_of(cut, {"all": cut}).values() for anomaly in anomalies]


def first_told(hours: Hours, measure: str) -> int:
    """After how many hours a change at the end of the past is told."""
    for after in range(1, 73):
        if any(anomaly.measure == measure for anomaly in until(hours, PAST + after)):
            return after
    return 73


@pytest.mark.parametrize("drift", [0.0, 0.03])
def test_ten_days_in_which_nothing_changes_have_no_false_alarm(drift: float) -> None:
    hours = history(1, PAST + 240, drift=drift)
    assert [until(hours, PAST + after) for after in range(1, 241, 4)] == [[]] * 60


@pytest.mark.parametrize("drift", [0.0, 0.03])
def test_a_fifth_slower_is_told_within_the_longest_window_of_a_burn_rate(drift: float) -> None:
    assert first_told(history(2, PAST + 73, drift=drift, slower_from=PAST), "p99") <= 12


def test_a_query_that_is_asked_no_more_and_one_that_fails_more_are_told() -> None:
    hours = history(3, PAST + 6)
    stopped = Hours(0, hours.executions.copy(), hours.failed, hours.times)
    stopped.executions[-6:] = 0
    assert {anomaly.measure for anomaly in until(stopped, PAST + 6)} == {"executions"}
    failing = Hours(0, hours.executions, hours.failed.copy(), hours.times)
    failing.failed[-1] = hours.executions[-1] * 0.02
    assert {anomaly.measure for anomaly in until(failing, PAST + 6)} == {"errors"}


def test_nothing_is_said_of_few_hours_or_few_executions() -> None:
    hours = history(4, 60, slower_from=50, factor=5.0)
    assert until(hours, 60) == []
    rare = history(5, PAST + 1, rate=3.0, slower_from=PAST, factor=1.2)
    assert until(rare, PAST + 1) == []
