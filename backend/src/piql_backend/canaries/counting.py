"""The executions of two versions side by side, counted by SQL from what the workbench and applications executed.

Reported executions count from the first whole minute on, those of the workbench from the time itself. Of a share that
is older than two days, the last two days count: minutes are kept so long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from piql_profiler.validation.two_versions import Ran

from piql_backend.database.connection import Database, now
from piql_backend.latency.sources import executed
from piql_backend.reports.widths import MINUTE, first_minute, kept, summed

_LONGEST = timedelta(hours=47)
_SIDES = """
    WITH both_versions AS (
        SELECT query, version = $tried AS is_tried, elapsed_ms, at_least_ms, failed, requests_key, most_requests,
               executions, threshold_ms
        FROM {executed} AS executed LEFT JOIN slos USING (query)
        WHERE version IN ($live, $tried) AND started_at >= $since
    ),
    times AS (
        SELECT query, elapsed_ms, sum(sum(executions)) OVER (PARTITION BY query ORDER BY elapsed_ms) AS rank,
               sum(sum(executions)) OVER (PARTITION BY query) AS n
        FROM both_versions WHERE NOT failed GROUP BY query, elapsed_ms
    ),
    sizes AS (
        SELECT query, requests_key, sum(sum(executions)) OVER (PARTITION BY query ORDER BY requests_key) AS rank,
               sum(sum(executions)) OVER (PARTITION BY query) AS n
        FROM both_versions WHERE NOT failed GROUP BY query, requests_key
    ),
    p99s AS (SELECT query, min(elapsed_ms) AS p99_ms FROM times WHERE rank >= ceil(0.99 * n) GROUP BY query),
    middles AS (SELECT query, min(requests_key) AS middle FROM sizes WHERE rank >= ceil(0.5 * n) GROUP BY query),
    own_times AS (
        SELECT query, is_tried, elapsed_ms,
               sum(sum(executions)) OVER (PARTITION BY query, is_tried ORDER BY elapsed_ms) AS rank,
               sum(sum(executions)) OVER (PARTITION BY query, is_tried) AS n
        FROM both_versions WHERE NOT failed GROUP BY query, is_tried, elapsed_ms
    ),
    own_p99s AS (
        SELECT query, is_tried, min(elapsed_ms) AS own_p99_ms FROM own_times
        WHERE rank >= ceil(0.99 * n) GROUP BY query, is_tried
    )
    SELECT query, is_tried, sum(executions)::BIGINT, coalesce(sum(executions) FILTER (WHERE failed), 0)::BIGINT,
           coalesce(sum(executions) FILTER (WHERE NOT failed AND elapsed_ms > p99_ms), 0)::BIGINT,
           coalesce(sum(executions) FILTER (WHERE NOT failed AND requests_key > middle), 0)::BIGINT,
           coalesce(sum(executions) FILTER (WHERE NOT failed AND requests_key < middle), 0)::BIGINT,
           any_value(own_p99_ms), max(most_requests),
           coalesce(sum(executions) FILTER (WHERE failed OR at_least_ms > threshold_ms), 0)::BIGINT
    FROM both_versions LEFT JOIN p99s USING (query) LEFT JOIN middles USING (query)
    LEFT JOIN own_p99s USING (query, is_tried)
    GROUP BY query, is_tried
"""


NOT_RUN = Ran()


@dataclass(frozen=True, slots=True)
class Side:
    """One query in one version. `broke` are executions that broke the query's SLO for sure; 0 without one."""

    ran: Ran = NOT_RUN
    p99_ms: float | None = None
    most_requests: int | None = None
    broke: int = 0


@dataclass(frozen=True, slots=True)
class Sides:
    """One query in both versions; None where a version was not executed."""

    live: Side | None = None
    tried: Side | None = None


def count_sides(database: Database, live: int, tried: int, since: datetime) -> Mapping[str, Sides]:
    """Count the executions of two versions since a time, UTC without a zone, by query."""
    since = max(since, now() - _LONGEST)
    sides: dict[str, dict[bool, Side]] = {}
    with database.read() as cursor:
        cursor.begin()
        cells = summed(MINUTE, first_minute(since), kept(cursor).until)
        parameters = {"live": live, "tried": tried, "since": since}
        rows = cursor.execute(_SIDES.format(executed=executed("both", cells)), parameters).fetchall()
        cursor.commit()
    for query, is_tried, executions, failures, slow, larger, smaller, p99_ms, most_requests, broke in rows:
        ran = Ran(executions, failures, slow, larger, smaller)
        sides.setdefault(query, {})[is_tried] = Side(ran, p99_ms, most_requests, broke)
    return {query: Sides(side.get(False), side.get(True)) for query, side in sides.items()}
