"""A query's p99 by the hour over the load of its store: is it independent of how many users there are?

hours of 4 weeks, of the sizes that ran most  ──▶  piql_profiler.validation.over_load  ──▶  OverLoadRead
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from piql_profiler.validation.over_load import FEWEST_DAYS, LoadedHour, over_load

from piql_backend.database.connection import now
from piql_backend.latency.repository import HourRow, ObservationTable, edge_ms
from piql_backend.latency.schemas import LoadedHourRead, OverLoadRead
from piql_backend.latency.seen import Span
from piql_backend.latency.sources import Source
from piql_backend.latency.unusual import last_whole_hour

WEEKS = 4
_FEWEST = 100  # executions of an hour that show a p99


def loads_of(table: ObservationTable, query: str, span: Span, source: Source) -> OverLoadRead:
    """The hours of a query while it had its plan, the last one that is over among them."""
    until = last_whole_hour(now())
    since = datetime.fromtimestamp(until * 3600, UTC).replace(tzinfo=None) - timedelta(weeks=WEEKS)
    rows = _of_most_frequent_size(
        [row for row in table.hours(query, span.version, since, source, span.first[query]) if row.hour < until]
    )
    loads = table.loads(since, source)
    hours = [
        LoadedHour(hour, loads[hour], p99_ms)
        for hour, of_hour in sorted(_by_hour(rows).items())
        if hour in loads and (p99_ms := _p99(of_hour)) is not None
    ]
    judged = over_load(hours)
    return OverLoadRead(
        outcome=judged.outcome,
        days=judged.days,
        days_needed=FEWEST_DAYS,
        ratio=judged.ratio,
        ratio_low=judged.ratio_low,
        ratio_high=judged.ratio_high,
        ratio_of_loads=judged.ratio_of_loads,
        requests=max((row.most_requests for row in rows), default=0),
        rows=max((row.most_rows for row in rows), default=0),
        hours=[
            LoadedHourRead(at=datetime.fromtimestamp(hour.hour * 3600, UTC), load=hour.load, p99_ms=hour.p99_ms)
            for hour in hours
        ],
    )


def _of_most_frequent_size(rows: Sequence[HourRow]) -> list[HourRow]:
    """Those of the class of sizes that ran most: larger executions in busy hours are no slowness."""
    executions: dict[tuple[int, int], int] = defaultdict(int)
    for row in rows:
        if not row.failed:
            executions[row.requests_key, row.rows_key] += row.executions
    if not executions:
        return []
    most = max(executions, key=lambda size: executions[size])
    return [row for row in rows if not row.failed and (row.requests_key, row.rows_key) == most]


def _by_hour(rows: Sequence[HourRow]) -> Mapping[int, list[HourRow]]:
    hours: dict[int, list[HourRow]] = defaultdict(list)
    for row in rows:
        hours[row.hour].append(row)
    return hours


def _p99(rows: Sequence[HourRow]) -> float | None:
    """The p99 of an hour, the upper edge of its bucket; None for too few executions."""
    total = sum(row.executions for row in rows)
    if total < _FEWEST:
        return None
    beyond = 0
    for row in sorted(rows, key=lambda row: -row.bucket):
        beyond += row.executions
        if beyond > 0.01 * total:
            return edge_ms(row.bucket)
    return None
