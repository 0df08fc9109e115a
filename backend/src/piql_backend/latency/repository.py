"""The SQL over what ran, beside that of `seen.py`: charts of one query, and what kept the SLOs.

Times `since` are UTC without a zone, as DuckDB stores them. All versions up to one are counted, but for the histogram.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from piql_profiler.validation.agreement import ERROR, share_interval

from piql_backend.database.connection import Database, aware, now
from piql_backend.latency.incidents import incidents_of
from piql_backend.latency.schemas import HistogramBinRead, IncidentRead, LatencyPointRead
from piql_backend.latency.seen import Seen, Span, gathered
from piql_backend.latency.sources import UNTIL_NOW, Source, executed
from piql_backend.reports.in_sql import IS_EXECUTION, KEPT, OVER_BOUND, UNSURE
from piql_backend.reports.slo_days import IS_JUDGED, IS_KEPT, first_day_by_hours, read_by_hours
from piql_backend.reports.widths import HOUR, MINUTE, Kept, begin_of, cells, first_minute, kept

_SHORTEST_MS, _HOUR_RATIO = 1e-3, 1.025  # of the buckets in which the past of a query is read
BIN_RATIO = 1.25  # upper by lower edge of a bin of the histogram
_LONGEST_BY_MINUTE = 2 * 86_400  # seconds of a series
_LONGEST_BURN_BY_MINUTE = 6 * 3_600
_SERIES_OF_SINGLES = """
    SELECT floor(epoch(started_at) / $step) * $step AS step_start, quantile_disc(elapsed_ms, 0.5),
           quantile_disc(elapsed_ms, 0.99), quantile_disc(elapsed_ms, 0.999), count(*)
    FROM {ran} WHERE query = $query AND version <= $version AND started_at >= $since AND NOT failed GROUP BY step_start
    ORDER BY step_start
"""
_SERIES_OF_CLASSES = """
    WITH times AS (
        SELECT floor(epoch(started_at) / $step) * $step AS step_start, elapsed_ms, sum(executions) AS executions
        FROM {ran} WHERE query = $query AND version <= $version AND started_at >= $since AND NOT failed GROUP BY ALL
    ),
    ranked AS (
        SELECT *, sum(executions) OVER (step ORDER BY elapsed_ms) AS rank, sum(executions) OVER step AS n
        FROM times WINDOW step AS (PARTITION BY step_start)
    )
    SELECT step_start, min(elapsed_ms) FILTER (WHERE rank >= ceil(0.5 * n)),
           min(elapsed_ms) FILTER (WHERE rank >= ceil(0.99 * n)),
           min(elapsed_ms) FILTER (WHERE rank >= ceil(0.999 * n)), sum(executions)::BIGINT
    FROM ranked GROUP BY step_start ORDER BY step_start
"""
_KEPT_HERE = f"""
    SELECT query, started_at, version, 1::BIGINT AS executions,
           (NOT failed AND elapsed_ms <= threshold_ms)::BIGINT AS kept, 0::BIGINT AS unsure
    FROM observations JOIN slos USING (query) WHERE {UNTIL_NOW}
"""


class HourRow(NamedTuple):
    """Executions of one hour since 1970 that are alike, by a bucket of their times as `edge_ms` has its upper edge."""

    hour: int
    requests_key: int
    rows_key: int
    bucket: int
    failed: bool
    executions: int
    least_requests: int
    most_requests: int
    least_rows: int
    most_rows: int


@dataclass(frozen=True, slots=True)
class SloInterval:
    """A stretch of time of a query with an SLO: how many executions it had, and how many kept the threshold.

    `unsure` are how many more may have kept it: the buckets of their reported times hold it.
    """

    executions: int
    kept: int
    unsure: int = 0

    def share_interval(self, error: float = ERROR) -> tuple[float, float]:
        """The share that kept the threshold: the exact interval, from none that are unsure up to all of them."""
        low, _ = share_interval(self.kept, self.executions, error)
        _, high = share_interval(self.kept + self.unsure, self.executions, error)
        return low, high


@dataclass(frozen=True, slots=True)
class SloCounts:
    """The intervals of a query's SLO: of all executions how many kept the threshold, and of the intervals how many.

    An interval is `judged` where it has executions enough to show the SLO's quantile, and counts as `too_few` else.
    """

    whole: SloInterval
    judged: int
    kept: int
    too_few: int


NO_COUNTS = SloCounts(SloInterval(0, 0), 0, 0, 0)


class ObservationTable:
    """What ran, read for a window that ends now, and for what ran up to one version."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def version(self) -> str:
        """The version of all that was written to the database, as pages are told it."""
        return self._database.version()

    def delete_older_than(self, age: timedelta) -> None:
        """Delete observations of executions that started longer ago than that."""
        with self._database.write() as cursor:
            cursor.execute("DELETE FROM observations WHERE started_at < ?", [now() - age])

    def began(self, since: datetime) -> datetime | None:
        """When observing began anew in the window, because earlier observations were lost; None where it did not."""
        with self._database.read() as cursor:
            row = cursor.execute("SELECT max(began) FROM beginnings WHERE began >= ?", [since]).fetchone()
        return aware(row[0]) if row is not None and row[0] is not None else None

    def has_reports(self, since: datetime) -> bool:
        """Whether applications reported anything of the window."""
        with self._database.read() as cursor:
            cursor.begin()
            seen = cells(HOUR, first_minute(since) // HOUR * HOUR, kept(cursor).until)
            return cursor.execute(f"SELECT 1 FROM {seen} LIMIT 1").fetchone() is not None

    def gathered(
        self, span: Span, since: datetime, source: Source = "workbench", width: int = MINUTE
    ) -> AbstractContextManager[Seen]:
        """Gather what ran since a time, which is the begin of `width` minutes, of each query while it had its plan."""
        return gathered(self._database, span, since, source, width)

    def series(
        self, query: str, version: int, since: datetime, step_seconds: float, source: Source = "workbench"
    ) -> list[LatencyPointRead]:
        """Quantiles of a query by step over all versions, oldest first; steps without executions are left out."""
        sql = _SERIES_OF_SINGLES if source == "workbench" else _SERIES_OF_CLASSES
        parameters = {"query": query, "version": version, "since": since, "step": step_seconds}
        with self._database.read() as cursor:
            cursor.begin()
            relation = executed(source, _reported(_width(since), since, kept(cursor)))
            rows = cursor.execute(sql.format(ran=relation), parameters).fetchall()
        return [
            LatencyPointRead(at=_time(step_start), p50_ms=p50, p99_ms=p99, p999_ms=p999, count=count)
            for step_start, p50, p99, p999, count in rows
        ]

    def ran_since(self, version: int, since: datetime, source: Source = "both") -> frozenset[str]:
        """The queries of which anything ran since a time, over all versions up to one."""
        with self._database.read() as cursor:
            cursor.begin()
            relation = executed(source, _reported(HOUR, since, kept(cursor)))
            sql = f"SELECT DISTINCT query FROM {relation} WHERE version <= $version AND started_at >= $since"
            return frozenset(name for (name,) in cursor.execute(sql, {"version": version, "since": since}).fetchall())

    def loads(self, since: datetime, source: Source = "both") -> dict[int, int]:
        """How many executions of all queries there were in each hour, by the hour since 1970."""
        with self._database.read() as cursor:
            cursor.begin()
            relation = executed(source, _reported(HOUR, since, kept(cursor)))
            sql = f"""
                SELECT floor(epoch(started_at) / 3600)::BIGINT AS hour, sum(executions)::BIGINT
                FROM {relation} WHERE started_at >= $since GROUP BY hour
            """
            return dict(cursor.execute(sql, {"since": since}).fetchall())

    def hours(
        self, query: str, version: int, since: datetime, source: Source = "both", first: int = 0
    ) -> list[HourRow]:
        """What ran of a query in versions from a first to another, by hour, class of sizes and bucket of time."""
        sql = f"""
            SELECT floor(epoch(started_at) / 3600)::BIGINT AS hour, requests_key, rows_key,
                   floor(ln(greatest(elapsed_ms / {_SHORTEST_MS}, 1)) / ln({_HOUR_RATIO}))::BIGINT AS bucket, failed,
                   sum(executions)::BIGINT, min(least_requests), max(most_requests), min(least_rows), max(most_rows)
            FROM {{ran}} WHERE query = $query AND version BETWEEN $first AND $version AND started_at >= $since
            GROUP BY hour, requests_key, rows_key, bucket, failed
        """
        parameters = {"query": query, "first": first, "version": version, "since": since}
        with self._database.read() as cursor:
            cursor.begin()
            relation = executed(source, _reported(HOUR, since, kept(cursor)))
            rows = cursor.execute(sql.format(ran=relation), parameters).fetchall()
        return [HourRow(*row) for row in rows]

    def histogram(
        self, query: str, span: Span, since: datetime, source: Source = "workbench"
    ) -> list[HistogramBinRead]:
        """Count executions of a query, while it had its plan, in bins that grow by a quarter, without empty ones."""
        sql = """
            SELECT floor(ln(greatest(at_least_ms, 0.001)) / ln($ratio)) AS bin, sum(executions)::BIGINT
            FROM {ran} WHERE query = $query AND version BETWEEN $first AND $version AND started_at >= $since
            AND NOT failed GROUP BY bin ORDER BY bin
        """
        parameters = {"query": query, "first": span.first[query], "version": span.version, "since": since}
        with self._database.read() as cursor:
            cursor.begin()
            relation = executed(source, _reported(_width(since), since, kept(cursor)))
            rows = cursor.execute(sql.format(ran=relation), parameters | {"ratio": BIN_RATIO}).fetchall()
        return [
            HistogramBinRead(ms_low=BIN_RATIO**number, ms_high=BIN_RATIO ** (number + 1), count=count)
            for number, count in rows
        ]

    def incidents(
        self, version: int, since: datetime, source: Source = "workbench", width: int = MINUTE
    ) -> Mapping[str, list[IncidentRead]]:
        """What executions of each query found that must not be, over all versions, by kind and whose they were."""
        return incidents_of(self._database, version, since, source, width)

    def slo_counts(
        self, version: int, since: datetime, source: Source = "workbench", width: int = MINUTE
    ) -> dict[str, SloCounts]:
        """Count by query and interval of its SLO over all versions; a failed execution keeps no threshold.

        The window begins at the begin of `width` minutes. Executions whose reported bucket holds the threshold do not
        keep it. What was reported is counted where its minute begins, or its hour: where only hours are kept, and where
        the interval is of whole hours.
        """
        parameters: dict[str, object] = {"version": version, "since": since}
        with self._database.read() as cursor:
            cursor.begin()
            counts = kept(cursor)
            by_interval = _width_by_interval(width, counts)
            first, by_hours_from = first_minute(since), first_day_by_hours(counts)
            judged_days = ""
            if source != "workbench" and first < by_hours_from:
                whole = read_by_hours(cursor, version, first, by_hours_from, source == "both")
                by_interval += f" AND (minute >= {by_hours_from} OR query IN (SELECT unnest($whole::VARCHAR[])))"
                judged_days = f"UNION ALL {_judged_days(first, by_hours_from)}"
                parameters["whole"] = whole
            sql = f"""
                WITH intervals AS (
                    SELECT query, any_value(quantile) AS quantile, sum(executions)::BIGINT AS executions,
                           sum(kept)::BIGINT AS kept, sum(unsure)::BIGINT AS unsure
                    FROM ({_kept(source, since, counts, by_interval)}) JOIN slos USING (query)
                    GROUP BY query, floor(epoch(started_at) / interval_seconds)
                ),
                judged AS (
                    SELECT query, executions, kept, unsure, ({IS_JUDGED})::BIGINT AS judged,
                           ({IS_JUDGED} AND {IS_KEPT})::BIGINT AS judged_kept, (NOT {IS_JUDGED})::BIGINT AS too_few
                    FROM intervals {judged_days}
                )
                SELECT query, sum(executions)::BIGINT, sum(kept)::BIGINT, sum(unsure)::BIGINT,
                       sum(judged)::BIGINT, sum(judged_kept)::BIGINT, sum(too_few)::BIGINT
                FROM judged GROUP BY query
            """
            rows = cursor.execute(sql, parameters).fetchall()
        return {query: SloCounts(SloInterval(*rest[:3]), *rest[3:]) for query, *rest in rows}

    def slo_windows(
        self, version: int, windows: Sequence[int], source: Source = "workbench"
    ) -> dict[str, dict[int, SloInterval]]:
        """Count by query with an SLO over all versions, for each window: so many seconds that end now.

        Windows of over _LONGEST_BURN_BY_MINUTE are read by the hour, and begin with one.
        """
        until = now()
        counted: dict[str, dict[int, SloInterval]] = defaultdict(dict)
        with self._database.read() as cursor:
            cursor.begin()
            for width in (MINUTE, HOUR):
                begins = {
                    seconds: begin_of(until - timedelta(seconds=seconds), width)
                    for seconds in windows
                    if (seconds > _LONGEST_BURN_BY_MINUTE) == (width == HOUR)
                }
                if not begins:
                    continue
                since = min(begins.values())
                sql = f"""
                    SELECT query, seconds, sum(executions)::BIGINT, sum(kept)::BIGINT, sum(unsure)::BIGINT
                    FROM ({_kept(source, since, kept(cursor), f"width = {width}")})
                    JOIN (SELECT unnest($windows::INTEGER[]) AS seconds, unnest($begins::TIMESTAMP[]) AS begins)
                         ON started_at >= begins
                    GROUP BY query, seconds
                """
                parameters = {
                    "version": version,
                    "windows": [*begins],
                    "begins": [*begins.values()],
                    "since": since,
                }
                for query, seconds, *counts in cursor.execute(sql, parameters).fetchall():
                    counted[query][seconds] = SloInterval(*counts)
        return dict(counted)


def edge_ms(bucket: int) -> float:
    """The upper edge of a bucket of `ObservationTable.hours`."""
    return float(_SHORTEST_MS * _HOUR_RATIO ** (bucket + 1))


def _width(since: datetime) -> int:
    """The width by which the charts of one query are read."""
    return MINUTE if now() - since <= timedelta(seconds=_LONGEST_BY_MINUTE) else HOUR


def _reported(width: int, since: datetime, kept: Kept) -> str:
    """The cells of reports since a time."""
    return f"(SELECT *, {OVER_BOUND} AS over_bound FROM {cells(width, first_minute(since), kept.until)})"


def _width_by_interval(width: int, kept: Kept) -> str:
    """Which rows of `reported_slos` are read: hours for intervals of whole hours, and where only hours are kept."""
    if width == MINUTE:
        return f"width = {MINUTE}"
    return f"(width = {HOUR}) = (interval_seconds % {60 * HOUR} = 0 OR minute < {kept.minutes_from})"


def _judged_days(since: int, until: int) -> str:
    """The days that are judged already, from one minute up to another, but for those of the queries in `$whole`."""
    return f"""
        SELECT query, executions, kept, unsure, judged, judged_kept, too_few FROM reported_slo_days
        WHERE minute >= {since} AND minute < {until} AND query NOT IN (SELECT unnest($whole::VARCHAR[]))
    """


def _kept(source: Source, since: datetime, kept: Kept, is_read: str) -> str:
    """The executions of queries with an SLO since a time, and how many kept it, as a SELECT.

    `is_read` says which rows of `reported_slos` are read.
    """
    minute = first_minute(since)
    stamped = "query, make_timestamp(minute::BIGINT * 60000000) AS started_at, version, executions"
    reported = f"""
        SELECT {stamped}, kept, unsure FROM reported_slos JOIN slos USING (query)
        WHERE {is_read} AND minute >= {minute} AND minute < {kept.until}
        UNION ALL
        SELECT {stamped}, {KEPT}, {UNSURE} FROM {cells(MINUTE, max(minute, kept.until))} JOIN slos USING (query)
        WHERE {IS_EXECUTION}
    """
    ran = {"workbench": _KEPT_HERE, "applications": reported, "both": f"{_KEPT_HERE} UNION ALL {reported}"}[source]
    columns = "query, started_at, executions, kept, unsure"
    return f"SELECT {columns} FROM ({ran}) WHERE version <= $version AND started_at >= $since"


def _time(seconds: float) -> datetime:
    return aware(datetime(1970, 1, 1) + timedelta(seconds=seconds))
