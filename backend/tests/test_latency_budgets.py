"""Error budgets: what is left, how fast it is used, and when that is said."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from piql_backend.database.connection import Database, now
from piql_backend.latency.budgets import WINDOWS, budget_of
from piql_backend.latency.repository import ObservationTable, SloInterval
from piql_backend.slos.repository import SloTable
from piql_backend.web.schemas import SloWrite

from .test_latency_sources import ran, report
from .test_latency_table import database, observe

__all__ = ["database"]


def in_all_windows(executions: int, kept: int) -> dict[int, SloInterval]:
    return dict.fromkeys(WINDOWS, SloInterval(executions, kept))


@pytest.mark.parametrize(
    ("executions", "kept", "left", "rate"), [(1_000, 995, 0.5, 0.5), (1_000, 970, -2.0, 3.0), (0, 0, None, None)]
)
def test_the_budget_is_what_the_slo_allows(executions: int, kept: int, left: float | None, rate: float | None) -> None:
    budget = budget_of(0.99, SloInterval(executions, kept), in_all_windows(executions, kept))
    assert budget.left == (None if left is None else pytest.approx(left))
    for seen in (budget.burns[0].long_rate, budget.burns[1].short_rate):
        assert seen == (None if rate is None else pytest.approx(rate))
    assert [burn.is_burning for burn in budget.burns] == [False, False, kept == 970, kept == 970]


def test_a_query_burns_while_both_windows_say_so_and_enough_was_executed() -> None:
    bad, good = SloInterval(1_000, 800), SloInterval(1_000, 1_000)
    burning = budget_of(0.99, bad, in_all_windows(1_000, 800))
    assert [burn.is_burning for burn in burning.burns] == [True] * 4
    over = budget_of(0.99, bad, in_all_windows(1_000, 800) | {300: good})
    assert [burn.is_burning for burn in over.burns] == [False, True, True, True]  # the last five minutes were good
    few = budget_of(0.99, SloInterval(99, 0), in_all_windows(99, 0))
    assert [burn.is_burning for burn in few.burns] == [False] * 4  # it takes 100 to show a p99


def test_a_query_that_keeps_its_slo_is_seldom_said_to_burn_however_few_its_executions() -> None:
    chance = np.random.default_rng(7)
    none = SloInterval(0, 0)
    for executions in (100, 300, 1_000, 100_000):
        kept = chance.binomial(executions, 0.99, 400)
        said = sum(
            any(burn.is_burning for burn in budget_of(0.99, none, in_all_windows(executions, int(count))).burns)
            for count in kept
        )
        assert said <= 0.05 * 400


def test_windows_count_what_ran_here_and_what_was_reported(database: Database) -> None:
    SloTable(database).save({"q": SloWrite(quantile=0.99, threshold_ms=10.0, interval_seconds=600)})
    observe(database, [5.0, 20.0], at=now() - timedelta(hours=2))
    observe(database, [5.0])
    observe(database, [5.0], failed=True)
    report(database, [ran(5.0), ran(20.0), ran(20.0)])
    counted = ObservationTable(database).slo_windows(1, WINDOWS, "both")["q"]
    assert counted == {
        300: SloInterval(5, 2),
        1_800: SloInterval(5, 2),
        7_200: SloInterval(5, 2),
        3_600: SloInterval(5, 2),
        21_600: SloInterval(7, 3),
        86_400: SloInterval(7, 3),
        259_200: SloInterval(7, 3),
    }


def test_what_may_have_kept_the_threshold_widens_the_interval_and_burns_nothing() -> None:
    unsure = SloInterval(100_000, 98_800, unsure=200)
    low, high = unsure.share_interval()
    assert low < 0.988 < 0.99 < high
    assert not any(burn.is_burning for burn in budget_of(0.99, unsure, dict.fromkeys(WINDOWS, unsure)).burns)
    sure = SloInterval(100_000, 98_800)
    assert budget_of(0.99, sure, dict.fromkeys(WINDOWS, sure)).burns[3].is_burning
