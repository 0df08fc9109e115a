"""Verdicts: an interval decides only as a whole, and intervals hold the ratio that samples were drawn with."""

from __future__ import annotations

import numpy as np
import pytest
from piql_profiler.experiments.verdicts import (
    Interval,
    Verdict,
    all_of,
    at_least,
    at_most,
    median,
    ratio_of,
    ratio_of_runs,
)


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        (Interval(1.0, 0.9, 1.1), "agrees"),
        (Interval(1.0, 0.9, 1.2), "undecidable"),
        (Interval(1.3, 1.2, 1.4), "disagrees"),
    ],
)
def test_a_claim_of_at_most_is_decided_by_the_whole_interval(interval: Interval, verdict: Verdict) -> None:
    assert at_most(interval, 1.1) == verdict


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        (Interval(2.0, 1.7, 2.2), "agrees"),
        (Interval(1.8, 1.6, 2.0), "undecidable"),
        (Interval(1.5, 1.4, 1.6), "disagrees"),
    ],
)
def test_a_claim_of_at_least_is_decided_by_the_whole_interval(interval: Interval, verdict: Verdict) -> None:
    assert at_least(interval, 1.7) == verdict


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["agrees", "agrees"], "agrees"),
        (["agrees", "undecidable"], "undecidable"),
        (["undecidable", "disagrees", "agrees"], "disagrees"),
    ],
)
def test_what_disagrees_decides_for_all(verdicts: list[Verdict], verdict: Verdict) -> None:
    assert all_of(verdicts) == verdict


def test_a_ratio_lies_in_its_interval_about_as_often_as_stated() -> None:
    random = np.random.default_rng(1)
    held = 0
    for seed in range(60):
        above, below = random.lognormal(np.log(3), 0.5, 300), random.lognormal(np.log(2), 0.5, 300)
        interval = ratio_of(median, above, below, seed)
        held += interval.low <= 1.5 <= interval.high
    assert 52 <= held <= 60  # of 60 at 95 %: below 52 in one of 300


def test_few_runs_give_a_wider_interval_than_many() -> None:
    random = np.random.default_rng(2)
    runs = [random.lognormal(0, 0.1, 40).tolist() for _ in range(2)]
    few = ratio_of_runs(runs[0][:3], runs[1][:3])
    many = ratio_of_runs(*runs)
    assert few.low < many.low < 1.1
    assert 0.9 < many.high < few.high
