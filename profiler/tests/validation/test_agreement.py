"""Verdicts on predictions err as rarely as they say, on latencies of known laws."""

from functools import cache

import numpy as np
import pytest
from piql_profiler.validation.agreement import ERROR, NEEDED, TOLERANCE, Region, judge, region_of, share_interval

LOOKS = 1_000
Z99 = 2.3263478740408408


def test_verdicts_wait_for_the_executions_that_a_p99_takes() -> None:
    assert NEEDED == 368
    few = judge(367, 0, 0)
    assert (few.outcome, few.executions, few.needed) == ("too few", 367, 368)
    assert judge(1, 0, 0).outcome == "too few"  # one fast execution says nothing of the hundredth
    assert judge(1, 1, 1).outcome == "too few"
    assert judge(368, 0, 0).outcome == "faster"


def test_the_region_reaches_from_a_fifth_below_to_the_careful_number() -> None:
    assert region_of(100.0, None) == Region(80.0, 125.0)
    assert region_of(100.0, 160.0) == Region(80.0, 160.0)
    assert region_of(100.0, 101.0) == Region(80.0, 125.0)


@pytest.mark.parametrize(
    ("executions", "over_low", "over_high", "outcome"),
    [
        (500, 30, 20, "slower"),
        (500, 0, 0, "faster"),
        (2_000, 40, 8, "agrees"),
        (500, 8, 4, "undecided"),
        (500, 12, 3, "undecided"),
    ],
)
def test_counts_decide(executions: int, over_low: int, over_high: int, outcome: str) -> None:
    assert judge(executions, over_low, over_high).outcome == outcome


def test_the_exact_ends_of_the_binomial_law_decide() -> None:
    """Of 1,000 executions 10 are expected: 18 or more come up in less than 1 of 40 cases, and so do 3 or fewer."""
    assert judge(1_000, 50, 18).outcome == "slower"
    assert judge(1_000, 50, 17).outcome == "undecided"
    assert judge(1_000, 3, 3).outcome == "faster"
    assert judge(1_000, 18, 3).outcome == "agrees"
    assert judge(1_000, 17, 3).outcome == "undecided"


def test_what_is_undecided_says_about_how_many_would_decide() -> None:
    needed = judge(500, 8, 2).needed
    assert needed is not None
    assert 500 < needed < 3_000
    assert judge(needed, 8 * needed // 500, 2 * needed // 500).outcome == "agrees"


def test_counts_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="no counts"):
        judge(10, 3, 4)


@cache
def _outcome(executions: int, over_low: int, over_high: int) -> str:
    return judge(executions, over_low, over_high).outcome


def _latencies(law: str, random: np.random.Generator, count: int) -> tuple[np.ndarray, float]:
    """Draw latencies, and give the true p99 of their law."""
    if law == "lognormal":
        return random.lognormal(0.0, 0.5, count), float(np.exp(0.5 * Z99))
    if law == "exponential":
        return random.exponential(1.0, count), float(-np.log(0.01))
    return random.pareto(2.0, count) + 1.0, 10.0


def _share(law: str, factor: float, count: int, outcomes: set[str], seed: int) -> float:
    """How often executions of a law get one of the outcomes when `factor` times their p99 is predicted."""
    random = np.random.default_rng(seed)
    hits = 0
    for _ in range(LOOKS):
        latencies, p99 = _latencies(law, random, count)
        region = region_of(factor * p99, None)
        low, high = (int((latencies > end).sum()) for end in (region.low, region.high))
        hits += _outcome(count, low, high) in outcomes
    return hits / LOOKS


@pytest.mark.parametrize(("law", "count"), [("lognormal", 400), ("exponential", 700), ("pareto", 400)])
def test_a_verdict_is_wrong_no_more_often_than_stated(law: str, count: int) -> None:
    """At the ends of the region errors are most frequent; just outside of it `agrees` is wrong, inside the others."""
    seldom = ERROR / 2 + 0.01  # of 1,000 looks
    assert _share(law, 1.0 / TOLERANCE, count, {"slower"}, 1) <= seldom
    assert _share(law, TOLERANCE, count, {"faster"}, 2) <= seldom
    assert _share(law, 0.999 / TOLERANCE, count, {"agrees"}, 3) <= seldom
    assert _share(law, 1.001 * TOLERANCE, count, {"agrees"}, 4) <= seldom
    assert _share(law, 1.0, count, {"slower", "faster"}, 5) <= seldom


@pytest.mark.parametrize(
    ("law", "factor", "outcome"),
    [("lognormal", 0.4, "slower"), ("lognormal", 2.5, "faster"), ("exponential", 0.4, "slower")],
)
def test_what_is_far_off_is_found(law: str, factor: float, outcome: str) -> None:
    assert _share(law, factor, 500, {outcome}, 6) > 0.9


def test_what_is_right_is_confirmed_with_executions_enough() -> None:
    assert _share("lognormal", 1.0, 5_000, {"agrees"}, 7) > 0.9


def test_the_interval_of_a_share_misses_it_as_rarely_as_it_says() -> None:
    assert share_interval(0, 10) == (0.0, pytest.approx(0.3085, abs=1e-4))  # the published table for n = 10
    assert share_interval(10, 10) == (pytest.approx(0.6915, abs=1e-4), 1.0)
    kept = np.random.default_rng(5).binomial(2_000, 0.995, LOOKS)
    missed = sum(not low <= 0.995 <= high for low, high in (share_interval(int(count), 2_000) for count in kept))
    assert missed <= ERROR * LOOKS
    with pytest.raises(ValueError, match="no count of a part"):
        share_interval(2, 1)
