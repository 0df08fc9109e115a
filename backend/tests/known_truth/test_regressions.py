"""A p99 that grows by a fifth is found within the longest burn-rate window; a query that keeps its SLO is let be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from piql_backend.latency.budgets import PAIRS
from piql_backend.predictions.questions import SizeEstimate
from piql_backend.predictions.schemas import EstimateRead

from .laws import LAWS, Law
from .world import World, world

P99_MS, THRESHOLD_MS, GROWN = 10.0, 10.5, 1.2  # a healthy query keeps its SLO, and would not with a p99 of 12 ms
LONGEST_HOURS = max(pair.long_seconds for pair in PAIRS) // 3600
EXECUTIONS_AT_ONCE, TIMES_AN_HOUR = 75, 4


def pass_hours(application: World, law: Law, hours: int, p99_ms: float, random: np.random.Generator) -> None:
    """Let hours pass in which the query is executed."""
    for _ in range(hours * TIMES_AN_HOUR):
        latencies = law.draw(random, EXECUTIONS_AT_ONCE) * p99_ms
        application.run("feed", latencies.tolist(), [1] * EXECUTIONS_AT_ONCE)
        application.wait(3600 / TIMES_AN_HOUR)


def is_burning(application: World) -> bool:
    budget = application.dashboard()["feed"].budget
    assert budget is not None
    return any(burn.is_burning for burn in budget.burns)


def hours_until_found(folder: Path, law: Law, healthy: int, step: int, seed: int) -> int | None:
    """After how many hours of a p99 that is a fifth higher the dashboard says so; None for not in the window.

    The query is healthy before, for so many hours; the dashboard is looked at every `step` hours.
    """
    random = np.random.default_rng(seed)
    with world(folder, ["feed"]) as application:
        estimate = EstimateRead(typical_p99_ms=P99_MS, conservative_p99_ms=None, worst_p99_ms=P99_MS)
        application.stated.estimates["feed", 1] = SizeEstimate(estimate)
        application.promise("feed", 0.99, THRESHOLD_MS)
        for _ in range(0, healthy, step):
            pass_hours(application, law, step, P99_MS, random)
            assert not is_burning(application)
        for hours in range(step, LONGEST_HOURS + 1, step):
            pass_hours(application, law, step, P99_MS * GROWN, random)
            if is_burning(application):
                return hours
    return None


def test_a_p99_that_grows_by_a_fifth_is_found_within_the_window(tmp_path: Path) -> None:
    hours = hours_until_found(tmp_path, LAWS[0], healthy=12, step=4, seed=1)
    assert hours is not None
    assert hours <= 12


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_it_is_found_after_three_healthy_days_under_every_law(tmp_path: Path, law: Law) -> None:
    hours = hours_until_found(tmp_path, law, healthy=LONGEST_HOURS, step=4, seed=2)
    print(f"{law.name}: found after {hours} hours")
    assert hours is not None
