"""Holds the last hours of a query against its own past: reads its hours, and says what is unusual of which sizes.

hours of 8 weeks, by class of sizes  ──▶  piql_profiler.validation.baseline  ──▶  UnusualRead
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from piql_profiler.validation.baseline import (
    FEWEST_HOURS,
    HOURS_OF_WEEK,
    WEEKS,
    WINDOWS,
    Anomaly,
    Hours,
    anomalies_of,
    hours_of,
)

from piql_backend.database.connection import aware, now
from piql_backend.latency.repository import HourRow, ObservationTable, edge_ms
from piql_backend.latency.schemas import AnomalyRead, UnusualRead
from piql_backend.latency.sources import Source

_MOST_CLASSES = 6  # of sizes, those with the most executions in the last day: each test more makes all of them weaker


class SizeClass(NamedTuple):
    """The sizes that count as one, from the least to the most that were seen in the last day."""

    least_requests: int
    requests: int
    least_rows: int
    rows: int


def last_whole_hour(at: datetime) -> int:
    """The end of the last hour that was over at a time, in hours since 1970."""
    return int(aware(at).timestamp() // 3600)


def unusual_of(
    table: ObservationTable, query: str, version: int, source: Source, queries: int = 1, until: int | None = None
) -> UnusualRead:
    """What is unusual of a query over the last whole hours, over all versions up to one.

    It is one of so many `queries` that are looked at together. `until` is the end of the last hour, the last that is
    over if none is given.
    """
    until = last_whole_hour(now()) if until is None else until
    since = datetime.fromtimestamp((until - WEEKS * HOURS_OF_WEEK) * 3600, UTC).replace(tzinfo=None)
    rows = [row for row in table.hours(query, version, since, source) if row.hour < until]
    hours = {row.hour for row in rows}
    read = UnusualRead(
        until=datetime.fromtimestamp(until * 3600, UTC),
        hours_known=len(hours),
        hours_needed=FEWEST_HOURS,
        weeks=WEEKS,
        anomalies=[],
    )
    if not rows:
        return read
    first = min(hours)
    classes = _classes(rows, until)
    by_class = {name: _hours(first, until, members) for name, members in classes.items()}
    unusual = anomalies_of(_hours(first, until, rows), by_class, queries)
    anomalies = [
        _read(anomaly, None if name is None else _sizes(classes[name], until))
        for name, members in unusual.items()
        for anomaly in members
    ]
    return read.model_copy(update={"anomalies": anomalies})


def _classes(rows: Sequence[HourRow], until: int) -> Mapping[str, Sequence[HourRow]]:
    """The rows by class of sizes, of the classes that ran most in the last day."""
    by_class: dict[str, list[HourRow]] = defaultdict(list)
    recent: dict[str, int] = defaultdict(int)
    for row in rows:
        name = f"{row.requests_key} {row.rows_key}"
        by_class[name].append(row)
        recent[name] += row.executions if row.hour >= until - WINDOWS[-1] and not row.failed else 0
    most = sorted((name for name in by_class if recent[name]), key=lambda name: -recent[name])[:_MOST_CLASSES]
    return {name: by_class[name] for name in most}


def _hours(first: int, until: int, rows: Sequence[HourRow]) -> Hours:
    return hours_of(first, until, [(row.hour, row.bucket, row.failed, row.executions) for row in rows])


def _sizes(rows: Sequence[HourRow], until: int) -> SizeClass:
    recent = [row for row in rows if row.hour >= until - WINDOWS[-1]]
    return SizeClass(
        min(row.least_requests for row in recent),
        max(row.most_requests for row in recent),
        min(row.least_rows for row in recent),
        max(row.most_rows for row in recent),
    )


def _read(anomaly: Anomaly, sizes: SizeClass | None) -> AnomalyRead:
    return AnomalyRead(
        measure=anomaly.measure,
        hours=anomaly.hours,
        observed=anomaly.observed,
        usual=anomaly.usual,
        executions=anomaly.executions,
        limit_ms=None if anomaly.bucket is None else edge_ms(anomaly.bucket),
        least_requests=None if sizes is None else sizes.least_requests,
        requests=None if sizes is None else sizes.requests,
        least_rows=None if sizes is None else sizes.least_rows,
        rows=None if sizes is None else sizes.rows,
    )
