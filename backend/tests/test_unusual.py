"""The last hours of a query are held against its own past, by class of sizes, over both sources."""

from __future__ import annotations

import httpx
from piql_backend.database.connection import Database
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.unusual import unusual_of

from .conftest import DEVELOPMENT
from .test_latency_table import database

__all__ = ["database"]


def observe_hours(database: Database, hours: int, an_hour: int, slower_for: int = 0, factor: float = 1.0) -> None:
    """So many whole hours of executions of two sizes, whose times repeat; the last ones of the larger size slower."""
    with database.write() as cursor:
        cursor.execute(
            """
            INSERT INTO observations BY NAME
            SELECT 'q' AS query, 1 AS version,
                   date_trunc('hour', make_timestamp(epoch_us(now()))) - to_hours(hour::INTEGER) + to_seconds(n)
                       AS started_at,
                   exp(((n * 7919 + hour * 104729) % 1000) / 250.0) * size / 11
                       * CASE WHEN hour <= $slower AND size = 101 THEN $factor ELSE 1 END AS elapsed_ms,
                   size AS operations, 101 AS bound, false AS failed, 10 AS rows_given
            FROM range(1, $hours + 1) AS hours(hour), range($an_hour) AS executions(n),
                 (VALUES (11), (101)) AS sizes(size)
            """,
            {"hours": hours, "an_hour": an_hour, "slower": slower_for, "factor": factor},
        )


def test_hours_like_those_before_are_nothing_unusual(database: Database) -> None:
    observe_hours(database, 200, 300)
    unusual = unusual_of(ObservationTable(database), "q", 1, "both")
    assert (unusual.hours_known, unusual.anomalies) == (200, [])


def test_what_became_slower_is_told_of_its_sizes_alone(database: Database) -> None:
    observe_hours(database, 200, 300, slower_for=6, factor=1.5)
    unusual = unusual_of(ObservationTable(database), "q", 1, "both")
    slower = [anomaly for anomaly in unusual.anomalies if anomaly.measure == "p99"]
    assert slower
    assert {anomaly.requests for anomaly in unusual.anomalies} == {101}
    assert all(anomaly.observed > 3 * anomaly.usual for anomaly in slower)
    assert all(anomaly.limit_ms is not None and 400 < anomaly.limit_ms < 520 for anomaly in slower)


def test_too_little_is_known_of_a_new_query(database: Database) -> None:
    observe_hours(database, 30, 300, slower_for=6, factor=3.0)
    unusual = unusual_of(ObservationTable(database), "q", 1, "both")
    assert (unusual.hours_known, unusual.anomalies) == (30, [])
    assert unusual.hours_known < unusual.hours_needed


async def test_a_query_of_a_deployment_has_a_past(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"{DEVELOPMENT}/latency/live/unusual/findUser")
    assert (answer.status_code, answer.json()["anomalies"]) == (200, [])
    unknown = await client.get(f"{DEVELOPMENT}/latency/live/unusual/nobody")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-query")
