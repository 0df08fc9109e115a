"""The p99 of a query over the size of what it read: by class, with exact intervals, and nothing of too few."""

from __future__ import annotations

from datetime import timedelta

import httpx
import numpy as np
import pytest
from piql_backend.database.connection import Database, now
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.schemas import OverSizeRead
from piql_backend.latency.seen import Span
from piql_backend.latency.sizes import classes_of, over_size
from piql_backend.latency.sources import Source
from piql_profiler.measure.precision import ranks_around
from scipy.stats import binom

from .conftest import DEVELOPMENT
from .test_latency_table import database, observe

__all__ = ["database"]


def read(database: Database, source: Source = "workbench") -> OverSizeRead:
    span = Span(1, {"q": 1})
    with ObservationTable(database).gathered(span, now() - timedelta(hours=1), source) as seen:
        totals, times = classes_of(seen, "q")
    return over_size("q", totals, times, {})


def test_each_class_of_sizes_has_its_own_p99_with_its_exact_interval(database: Database) -> None:
    small = np.random.default_rng(1).lognormal(0, 0.5, 2000)
    observe(database, [*small[:1000]], operations=2, rows=2)
    observe(database, [*small[1000:]], operations=3, rows=3)
    observe(database, [*(10 * small)], operations=11, rows=10)
    observe(database, [1e6] * 500, operations=11, rows=10, failed=True)
    observe(database, [1e6] * 500, "other", operations=11, rows=10)
    ordered = np.sort(small)
    low = next(k for k in range(2001) if binom.cdf(k, 2000, 0.99) >= 0.025)
    high = next(k for k in range(2001) if binom.cdf(k, 2000, 0.99) >= 0.975) + 1
    first, second = read(database).classes
    assert (first.least_requests, first.requests, first.least_rows, first.rows) == (2, 3, 2, 3)
    assert (second.least_requests, second.requests, second.rows, second.executions) == (11, 11, 10, 2000)
    for seen, times in ((first, 1), (second, 10)):
        assert seen.p99_ms == pytest.approx(times * ordered[1979])
        assert seen.p99_low_ms == pytest.approx(times * ordered[low - 1])
        assert seen.p99_high_ms == pytest.approx(times * ordered[high - 1])


def test_too_few_executions_show_no_p99_and_some_more_no_upper_end(database: Database) -> None:
    observe(database, [1.0] * 99, operations=1)
    observe(database, [1.0] * 100, operations=2)
    observe(database, [1.0] * 400, operations=4)
    found = read(database)
    assert read(database, "both") == found
    assert found.samples_needed == 100
    assert [(seen.executions, seen.p99_ms, seen.p99_low_ms, seen.p99_high_ms) for seen in found.classes] == [
        (99, None, None, None),
        (100, 1.0, 1.0, None),
        (400, 1.0, 1.0, 1.0),
    ]


def test_the_ranks_enclose_the_quantile_as_often_as_they_say() -> None:
    for count in (100, 367, 368, 1_000, 20_000):
        low, high = ranks_around(count, 0.99)
        inside = binom.cdf(high - 1, count, 0.99) - binom.cdf(low - 1, count, 0.99)
        assert inside >= 0.95, count
        assert (high > count) == (0.99**count > 0.025), count


async def test_a_query_that_did_not_run_has_no_classes(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"{DEVELOPMENT}/latency/live/size/findUser")
    assert (answer.status_code, answer.json()["classes"]) == (200, [])
    unknown = await client.get(f"{DEVELOPMENT}/latency/live/size/nobody")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-query")
