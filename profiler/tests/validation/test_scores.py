"""Scores of predictions: errors, pinball loss, false-safe and false-alarm rates, coverage."""

import math

import numpy as np
import pytest
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.precision import Precision
from piql_profiler.validation.scores import Row, agreement_of, covered, excess_pinball_us, summary_of, verdict

SEEN = Histogram.of(1000 * np.random.default_rng(1).lognormal(0, 0.5, 20_000))
P99 = SEEN.quantile_us(0.99)


def row(predicted: float, operators: int = 1, width: float = 0.02, conservative: float | None = None) -> Row:
    """A query whose p99 is `P99` ± `width`, and a prediction `predicted` times as long."""
    actual = Precision(P99, P99 * (1 - width), P99 * (1 + width))
    careful = None if conservative is None else P99 * conservative
    return Row("q", operators, actual, SEEN, {"model": P99 * predicted}, careful)


def test_errors_are_shares_of_the_actual_p99() -> None:
    summary = summary_of("model", [row(1.3), row(0.9, operators=2), row(1.1, operators=3)])
    assert summary.mean_absolute_error == pytest.approx(0.5 / 3)
    assert summary.mean_absolute_error_composed == pytest.approx(0.1)
    assert (summary.worst_over, summary.worst_under) == (pytest.approx(0.3), pytest.approx(-0.1))
    assert summary.bias == pytest.approx(0.1)


def test_queries_of_one_operator_alone_say_nothing_of_composition() -> None:
    assert summary_of("model", [row(1.3)]).mean_absolute_error_composed is None


def test_an_under_prediction_counts_only_where_the_whole_interval_lies_above() -> None:
    assert summary_of("model", [row(0.95, width=0.02), row(0.95, width=0.10)]).certain_unders == 1


def test_a_prediction_that_is_too_low_is_false_safe_and_one_too_high_a_false_alarm() -> None:
    low, right, high = (summary_of("model", [row(factor)]) for factor in (0.7, 1.0, 1.5))
    assert low.false_safe > 0.2
    assert low.false_alarm == 0
    assert (right.false_safe, right.false_alarm) == (0, 0)
    assert high.false_alarm > 0.2
    assert high.false_safe == 0


def test_the_best_constant_loses_nothing_and_others_the_more_the_farther_they_are() -> None:
    losses = [excess_pinball_us(SEEN, P99 * factor) for factor in (1.0, 1.2, 1.5)]
    assert losses[0] == 0
    assert 0 < losses[1] < losses[2]
    assert excess_pinball_us(SEEN, P99 * 0.7) > 0


def test_a_goal_that_the_interval_does_not_decide_is_undecidable() -> None:
    assert verdict(row(1.05, width=0.02), "model", 0.10) == "met"
    assert verdict(row(1.30, width=0.02), "model", 0.10) == "missed"
    assert verdict(row(1.08, width=0.10), "model", 0.10) == "undecidable"
    unknown = Row("q", 1, Precision(P99, P99 * 0.9, math.inf), SEEN, {"model": P99}, None)
    assert verdict(unknown, "model", 0.10) == "undecidable"


def test_coverage_counts_the_queries_that_have_a_bound() -> None:
    assert covered([row(1.0, conservative=1.1), row(1.0, conservative=0.9), row(1.0)]) == (1, 2)


def test_the_verdict_is_the_test_of_the_dashboard() -> None:
    outcomes = [agreement_of(row(predicted), "model").outcome for predicted in (0.6, 1.0, 1.6)]
    assert outcomes == ["slower", "agrees", "faster"]
    assert agreement_of(row(0.6, conservative=1.3), "model").outcome == "agrees"
    few = Row("q", 1, Precision(P99, P99, P99), Histogram.of([P99] * 100), {"model": P99}, None)
    assert agreement_of(few, "model").outcome == "too few"
