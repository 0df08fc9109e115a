"""The share of intervals over an SLO, with its exact confidence interval."""

import pytest
from piql_profiler.predictor.risk import clopper_pearson, risk_of
from scipy.stats import binom


def test_no_violation_in_thirty_five_intervals_still_leaves_a_tenth_possible() -> None:
    low, high = clopper_pearson(0, 35)
    assert low == 0.0
    assert high == pytest.approx(1 - 0.025 ** (1 / 35))


@pytest.mark.parametrize(("violations", "intervals"), [(1, 20), (7, 35), (34, 35), (50, 100)])
def test_the_interval_is_the_exact_one(violations: int, intervals: int) -> None:
    low, high = clopper_pearson(violations, intervals)
    assert binom.sf(violations - 1, intervals, low) == pytest.approx(0.025, rel=1e-6)
    assert binom.cdf(violations, intervals, high) == pytest.approx(0.025, rel=1e-6)


def test_the_share_of_intervals_over_the_threshold_is_counted() -> None:
    risk = risk_of([10.0] * 18 + [60.0] * 2, 50.0, profile_interval_seconds=30, slo_interval_seconds=30)
    assert (risk.violations, risk.intervals, risk.share, risk.is_shown, risk.warnings) == (2, 20, 0.1, True, ())
    assert risk.low < risk.share < risk.high


def test_a_latency_at_the_threshold_keeps_the_slo() -> None:
    assert risk_of([50.0] * 20, 50.0, profile_interval_seconds=30).violations == 0


def test_few_intervals_and_intervals_of_another_length_are_said() -> None:
    risk = risk_of([10.0] * 3, 50.0, profile_interval_seconds=2, slo_interval_seconds=600)
    assert not risk.is_shown
    assert "3 intervals were profiled" in risk.warnings[0]
    assert "the SLO's interval is 600 s, the profile's 2 s" in risk.warnings[1]


def test_a_share_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no share"):
        clopper_pearson(0, 0)
