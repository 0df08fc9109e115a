"""Two runs differ only where chance does not explain it, and errors of the verdicts are as stated."""

from dataclasses import replace

import numpy as np
import pytest
from piql_profiler.load_runs.arrivals import Step
from piql_profiler.load_runs.comparison import compare
from piql_profiler.load_runs.result import Line, LoadRun
from piql_profiler.measure.histogram import Histogram

from .laws import setting_of


def run_of_latencies(*latencies_us: np.ndarray, rate: float = 100.0) -> LoadRun:
    """A run with a query for each array of latencies, which are independent."""
    names = [f"q{number}" for number in range(len(latencies_us))]
    lines = [_line(name, values) for name, values in zip(names, latencies_us, strict=True)]
    return LoadRun(setting_of([Step(rate, 60.0)], names), 0.0, "done", "", 60.0, tuple(lines), ())


def _line(query: str, values: np.ndarray) -> Line:
    histogram = Histogram.of(values)
    worth = dict.fromkeys((0.5, 0.95, 0.99), float(len(values)))
    return Line(0, query, len(values), len(values), histogram, histogram, Histogram.empty(), worth)


def exponential(seed: int, calls: int = 3_000, mean_us: float = 10_000.0) -> np.ndarray:
    return np.random.default_rng(seed).exponential(mean_us, calls)


def test_runs_of_the_same_store_are_called_different_as_seldom_as_is_stated() -> None:
    """Each comparison has three queries, and may be wrong in any of them in 5 of 100 cases: in 15 of 300."""
    wrong = 0
    for seed in range(300):
        first, second = (
            run_of_latencies(*(exponential(6 * seed + number) for number in numbers))
            for numbers in ((0, 1, 2), (3, 4, 5))
        )
        wrong += any(pair.outcome != "no difference shown" for pair in compare(first, second).pairs)
    assert wrong <= 26  # more come up in 3 of 1,000 if exactly 5 of 100 are wrong


@pytest.mark.parametrize(("factor", "outcome"), [(1.5, "slower"), (1 / 1.5, "faster")])
def test_a_store_that_is_half_as_slow_again_is_nearly_always_seen(factor: float, outcome: str) -> None:
    seen = sum(
        compare(
            run_of_latencies(exponential(seed)), run_of_latencies(exponential(1_000 + seed, mean_us=10_000 * factor))
        )
        .pairs[0]
        .outcome
        == outcome
        for seed in range(40)
    )
    assert seen >= 36


def test_with_fewer_calls_than_a_p99_needs_there_is_no_verdict() -> None:
    (pair,) = compare(run_of_latencies(exponential(1)), run_of_latencies(exponential(2, calls=299))).pairs
    assert pair.outcome == "too few"


def test_calls_that_are_slow_together_are_worth_fewer() -> None:
    first = run_of_latencies(exponential(1))
    (line,) = first.lines
    dependent = replace(first, lines=(replace(line, worth={**line.worth, 0.99: 200.0}),))
    (pair,) = compare(first, dependent).pairs
    assert pair.outcome == "too few"


def test_nothing_is_said_of_a_run_whose_client_was_the_limit() -> None:
    first = run_of_latencies(exponential(1))
    (line,) = first.lines
    late = replace(first, lines=(replace(line, lag=line.latency),))
    (pair,) = compare(first, late).pairs
    assert pair.outcome == "client"


def test_steps_of_other_rates_are_not_compared_and_it_is_said() -> None:
    comparison = compare(run_of_latencies(exponential(1)), run_of_latencies(exponential(2), rate=200.0))
    assert comparison.pairs == ()
    assert comparison.differences == ("the steps are 100 and 200 calls a second: only equal ones are compared",)


def test_what_was_not_the_same_is_said() -> None:
    first = run_of_latencies(exponential(1))
    elsewhere = replace(
        first, setting=replace(first.setting, target="cql://a/b", connections=8), ended="interrupted", message="by hand"
    )
    assert compare(first, elsewhere).differences == (
        "the first called embedded:a.db, the second cql://a/b",
        "the first had 1 clients with 1 connections, the second 1 with 8",
        "the second run is partial: by hand",
    )
