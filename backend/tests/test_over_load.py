"""The p99 of a query over the load: of the sizes that ran most, while it had its plan, beside all executions."""

from __future__ import annotations

import httpx
from piql_backend.database.connection import Database
from piql_backend.latency.loads import loads_of
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.seen import Span

from .conftest import DEVELOPMENT
from .test_latency_table import database

__all__ = ["database"]


def observe_days(database: Database, days: int, slower_under_load: float) -> None:
    """Days whose hours have 200 or 1,000 executions of `q`, some of them larger, and as many of another query."""
    with database.write() as cursor:
        cursor.execute(
            """
            INSERT INTO observations BY NAME
            SELECT query, CASE WHEN hour > $hours - 24 THEN 1 ELSE 2 END AS version,
                   date_trunc('hour', make_timestamp(epoch_us(now()))) - to_hours(hour::INTEGER) + to_seconds(n)
                       AS started_at,
                   (1 + (n % 100) / 10.0) * size * CASE WHEN hour % 2 = 0 THEN $slower ELSE 1 END AS elapsed_ms,
                   size AS operations, 101 AS bound, false AS failed, 10 AS rows_given
            FROM range(1, $hours + 1) AS hours(hour),
                 range(CASE WHEN hour % 2 = 0 THEN 1000 ELSE 200 END) AS executions(n),
                 (VALUES ('q'), ('other')) AS queries(query), (VALUES (1), (30)) AS sizes(size)
            WHERE size = 1 OR n % 10 = 0
            """,
            {"hours": days * 24, "slower": slower_under_load},
        )


def test_the_busiest_hours_are_held_against_the_quietest_for_one_size_and_one_plan(database: Database) -> None:
    observe_days(database, 8, slower_under_load=1.0)
    read = loads_of(ObservationTable(database), "q", Span(2, {"q": 2}), "workbench")
    assert (read.outcome, read.requests, read.days) == ("independent", 1, read.days)
    assert 7 <= read.days <= 8  # the first day ran by another plan
    assert {hour.load for hour in read.hours} == {440, 2200}
    assert read.ratio_of_loads == 5.0


def test_a_p99_that_is_longer_in_busy_hours_grows(database: Database) -> None:
    observe_days(database, 8, slower_under_load=2.0)
    read = loads_of(ObservationTable(database), "q", Span(2, {"q": 1}), "workbench")
    assert read.outcome == "grows"
    assert read.ratio is not None
    assert 1.8 < read.ratio < 2.2


async def test_a_query_that_did_not_run_has_no_hours(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"{DEVELOPMENT}/latency/live/load/findUser")
    assert (answer.status_code, answer.json()["outcome"], answer.json()["hours"]) == (200, "too few", [])
    unknown = await client.get(f"{DEVELOPMENT}/latency/live/load/nobody")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-query")
