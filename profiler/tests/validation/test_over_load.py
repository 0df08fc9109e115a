"""A p99 that does not depend on the load is called independent, one that grows is not; too little says nothing."""

from __future__ import annotations

import math
from random import Random

import pytest
from piql_profiler.validation.over_load import LoadedHour, over_load


def hours(days: int, growth: float = 0.0, noise: float = 0.1, swing: float = 3.0, seed: int = 1) -> list[LoadedHour]:
    """Days whose load swings from 1,000 to `swing`² times that, and a p99 that is `growth` steep in it; days differ."""
    random = Random(seed)
    seen = []
    for day in range(days):
        of_day = random.gauss(0.0, noise)
        for hour in range(24):
            load = 1_000 * swing ** (1 - math.cos(2 * math.pi * hour / 24))
            p99_ms = 20 * (load / 1_000) ** growth * math.exp(of_day + random.gauss(0.0, noise))
            seen.append(LoadedHour(20_000 * 24 + day * 24 + hour, round(load), p99_ms))
    return seen


def test_a_p99_that_stays_is_independent_of_the_load() -> None:
    judged = over_load(hours(14))
    assert judged.outcome == "independent"
    assert judged.ratio == pytest.approx(1.0, abs=0.1)
    assert judged.ratio_of_loads is not None
    assert judged.ratio_of_loads > 4


@pytest.mark.parametrize(("growth", "outcome"), [(0.5, "grows"), (-0.5, "falls")])
def test_a_p99_that_follows_the_load_is_told_with_its_interval(growth: float, outcome: str) -> None:
    judged = over_load(hours(14, growth))
    assert judged.outcome == outcome
    assert judged.ratio is not None
    assert judged.ratio_low is not None
    assert judged.ratio_high is not None
    assert judged.ratio_low <= judged.ratio <= judged.ratio_high


def test_hours_that_differ_much_by_themselves_do_not_decide() -> None:
    assert over_load(hours(6, growth=0.1, noise=0.6)).outcome == "undecided"


def test_few_days_and_a_load_that_never_changes_show_nothing() -> None:
    assert (over_load(hours(4)).outcome, over_load([]).outcome) == ("too few", "too few")
    assert over_load(hours(14, swing=1.1)).outcome == "even load"


def test_an_independent_p99_is_called_dependent_in_at_most_5_of_100_cases() -> None:
    outcomes = [over_load(hours(10, noise=0.3, seed=seed)).outcome for seed in range(40)]
    assert sum(outcome in ("grows", "falls") for outcome in outcomes) <= 2
