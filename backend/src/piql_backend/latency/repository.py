"""The SQL over what ran: one query for each thing that the dashboard shows, from the source that is chosen.

Times `since` are UTC without a zone, as DuckDB stores them. What depends on the plan of a query is counted over a
`Span`, the versions in which the plan is the same; what does not, over all versions up to one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from piql_backend.database.connection import Database, aware, now
from piql_backend.latency.schemas import HistogramBinRead, LatencyPointRead
from piql_backend.latency.sources import Source, executed

BIN_RATIO = 1.25  # upper by lower edge of a bin of the histogram
_MOST_SIZES = 20  # of one query
_WINDOW = "version <= $version AND started_at >= $since"
_SAME_PLAN = """
    {executed} AS executed
    JOIN (SELECT unnest($queries::VARCHAR[]) AS query, unnest($firsts::INTEGER[]) AS first) AS spans USING (query)
    WHERE version BETWEEN first AND $version AND started_at >= $since
"""
# Single executions are ranked by DuckDB itself: of 500,000, in a sixth of the time that sums of counts take, or less.
_SIZES_OF_SINGLES = """
    SELECT query, requests_key, rows_key, requests_key, requests_key, rows_key, rows_key, count(*) AS count,
           quantile_disc(elapsed_ms, 0.99)
    FROM {ran} AND NOT failed AND least_rows IS NOT NULL GROUP BY query, requests_key, rows_key
    QUALIFY row_number() OVER (PARTITION BY query ORDER BY count DESC, requests_key, rows_key) <= $most
    ORDER BY query, count DESC, requests_key, rows_key
"""
_SIZES_OF_CLASSES = """
    WITH times AS (
        SELECT query, requests_key, rows_key, elapsed_ms, sum(executions) AS executions,
               min(least_requests) AS least_requests, max(most_requests) AS most_requests,
               min(least_rows) AS least_rows, max(most_rows) AS most_rows
        FROM {ran} AND NOT failed AND least_rows IS NOT NULL
        GROUP BY query, requests_key, rows_key, elapsed_ms
    ),
    ranked AS (
        SELECT *, sum(executions) OVER (size ORDER BY elapsed_ms) AS rank, sum(executions) OVER size AS n
        FROM times WINDOW size AS (PARTITION BY query, requests_key, rows_key)
    )
    SELECT query, requests_key, rows_key, min(least_requests), max(most_requests), min(least_rows),
           max(most_rows), sum(executions)::BIGINT AS count,
           min(elapsed_ms) FILTER (WHERE rank >= ceil(0.99 * n))
    FROM ranked GROUP BY query, requests_key, rows_key
    QUALIFY row_number() OVER (PARTITION BY query ORDER BY count DESC, requests_key, rows_key) <= $most
    ORDER BY query, count DESC, requests_key, rows_key
"""
_SERIES_OF_SINGLES = """
    SELECT query, floor(epoch(started_at) / $step) * $step AS step_start, quantile_disc(elapsed_ms, 0.5),
           quantile_disc(elapsed_ms, 0.99), quantile_disc(elapsed_ms, 0.999), count(*)
    FROM {ran} WHERE version <= $version AND started_at >= $since AND NOT failed GROUP BY query, step_start
    ORDER BY query, step_start
"""
_SERIES_OF_CLASSES = """
    WITH times AS (
        SELECT query, floor(epoch(started_at) / $step) * $step AS step_start, elapsed_ms,
               sum(executions) AS executions
        FROM {ran} WHERE version <= $version AND started_at >= $since AND NOT failed GROUP BY ALL
    ),
    ranked AS (
        SELECT *, sum(executions) OVER (step ORDER BY elapsed_ms) AS rank, sum(executions) OVER step AS n
        FROM times WINDOW step AS (PARTITION BY query, step_start)
    )
    SELECT query, step_start, min(elapsed_ms) FILTER (WHERE rank >= ceil(0.5 * n)),
           min(elapsed_ms) FILTER (WHERE rank >= ceil(0.99 * n)),
           min(elapsed_ms) FILTER (WHERE rank >= ceil(0.999 * n)), sum(executions)::BIGINT
    FROM ranked GROUP BY query, step_start ORDER BY query, step_start
"""


@dataclass(frozen=True, slots=True)
class Span:
    """Of each query, the versions with one plan: from `first[query]` to `version`."""

    version: int
    first: Mapping[str, int]

    def parameters(self, since: datetime) -> dict[str, Any]:
        """The parameters of `_SAME_PLAN`."""
        return {"queries": [*self.first], "firsts": [*self.first.values()], "version": self.version, "since": since}


@dataclass(frozen=True, slots=True)
class SizeTotals:
    """The executions of one query whose sizes count as one (`sources.py`): those from the least to the most."""

    requests_key: int
    rows_key: int
    least_requests: int
    requests: int
    least_rows: int
    rows: int
    executions: int
    p99_ms: float


@dataclass(frozen=True, slots=True)
class SizeRegion:
    """The latencies within which executions of one size are as predicted, in ms."""

    query: str
    requests_key: int
    rows_key: int
    low_ms: float
    high_ms: float


@dataclass(frozen=True, slots=True)
class Exceeding:
    """Of the executions that a query has regions for, how many took longer than the lower and the upper end."""

    executions: int
    over_low: int
    over_high: int


@dataclass(frozen=True, slots=True)
class Totals:
    """One query in the window: counts, and quantiles by rank, with the 95 % confidence interval of the p99.

    `most_operations` are the most requests of one execution; `over_bound` counts those that made more than the bound.
    The interval is None where there are too few executions for its upper end.
    """

    executions: int
    failures: int
    most_operations: int
    over_bound: int
    p50_ms: float | None
    p99_ms: float | None
    p999_ms: float | None
    p99_low_ms: float | None
    p99_high_ms: float | None


@dataclass(frozen=True, slots=True)
class SloInterval:
    """A stretch of time of a query with an SLO: how many executions it had, and how many kept the threshold."""

    executions: int
    kept: int


class ObservationTable:
    """What ran, read for a window that ends now, and for what ran up to one version."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
            sql = "SELECT 1 FROM reported WHERE minute >= epoch(?::TIMESTAMP) / 60 LIMIT 1"
            return cursor.execute(sql, [since]).fetchone() is not None

    def totals(self, span: Span, since: datetime, source: Source = "workbench") -> dict[str, Totals]:
        """Count by query while it had its plan.

        Of n executions, the one whose time is the true q-quantile has, with 95 %, a rank within ±1.96·√(n·q·(1−q)) of
        n·q: a binomial count, approximated by the normal distribution. Here q is 0.99, and q·(1−q) 0.0099.
        """
        times = "SELECT query, elapsed_ms, sum(executions) AS executions FROM seen WHERE NOT failed GROUP BY ALL"
        if source == "workbench":
            times = "SELECT query, elapsed_ms, executions FROM seen WHERE NOT failed"
        sql = f"""
            WITH seen AS (SELECT * FROM {_same_plan(source)}),
            counted AS (
                SELECT query, sum(executions)::BIGINT AS executions,
                       coalesce(sum(executions) FILTER (WHERE failed), 0)::BIGINT AS failures,
                       max(most_requests) AS most_requests,
                       sum(over_bound)::BIGINT AS over_bound
                FROM seen GROUP BY query
            ),
            times AS (
                {times}
            ),
            ranked AS (
                SELECT query, elapsed_ms, sum(executions) OVER (PARTITION BY query ORDER BY elapsed_ms) AS rank,
                       sum(executions) OVER (PARTITION BY query) AS n
                FROM times
            ),
            quantiles AS (
                SELECT query,
                       min(elapsed_ms) FILTER (WHERE rank >= ceil(0.5 * n)) AS p50_ms,
                       min(elapsed_ms) FILTER (WHERE rank >= ceil(0.99 * n)) AS p99_ms,
                       min(elapsed_ms) FILTER (WHERE rank >= ceil(0.999 * n)) AS p999_ms,
                       min(elapsed_ms) FILTER (WHERE rank >= floor(0.99 * n - 1.96 * sqrt(n * 0.0099))) AS low_ms,
                       min(elapsed_ms) FILTER (WHERE rank >= ceil(0.99 * n + 1.96 * sqrt(n * 0.0099)) + 1) AS high_ms
                FROM ranked GROUP BY query
            )
            SELECT query, executions, failures, most_requests, over_bound, p50_ms, p99_ms, p999_ms,
                   CASE WHEN high_ms IS NULL THEN NULL ELSE low_ms END, high_ms
            FROM counted LEFT JOIN quantiles USING (query)
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, span.parameters(since)).fetchall()
        return {query: Totals(*rest) for query, *rest in rows}

    def sizes(self, span: Span, since: datetime, source: Source = "workbench") -> dict[str, list[SizeTotals]]:
        """Count by query and size while it had its plan: the _MOST_SIZES commonest sizes, the commonest first."""
        sql = _SIZES_OF_SINGLES if source == "workbench" else _SIZES_OF_CLASSES
        sql = sql.format(ran=_same_plan(source))
        with self._database.read() as cursor:
            rows = cursor.execute(sql, span.parameters(since) | {"most": _MOST_SIZES}).fetchall()
        sizes = defaultdict(list)
        for query, *rest in rows:
            sizes[query].append(SizeTotals(*rest))
        return dict(sizes)

    def exceeding(
        self, span: Span, since: datetime, regions: Sequence[SizeRegion], source: Source = "workbench"
    ) -> dict[str, Exceeding]:
        """Count by query the executions of the regions' sizes, and those that took longer than the regions' ends.

        A bucket of reported times that holds an end widens the region by itself: it is over the lower end, and not
        over the upper one.
        """
        sql = f"""
            WITH regions AS (
                SELECT unnest($region_queries::VARCHAR[]) AS query, unnest($requests::INTEGER[]) AS requests_key,
                       unnest($rows::INTEGER[]) AS rows_key,
                       unnest($lows::DOUBLE[]) AS low_ms, unnest($highs::DOUBLE[]) AS high_ms
            ),
            seen AS (SELECT * FROM {_same_plan(source)} AND NOT failed)
            SELECT query, sum(executions)::BIGINT,
                   coalesce(sum(executions) FILTER (WHERE elapsed_ms > low_ms), 0)::BIGINT,
                   coalesce(sum(executions) FILTER (WHERE at_least_ms > high_ms), 0)::BIGINT
            FROM seen JOIN regions USING (query, requests_key, rows_key) GROUP BY query
        """
        parameters = span.parameters(since) | {
            "region_queries": [region.query for region in regions],
            "requests": [region.requests_key for region in regions],
            "rows": [region.rows_key for region in regions],
            "lows": [region.low_ms for region in regions],
            "highs": [region.high_ms for region in regions],
        }
        with self._database.read() as cursor:
            rows = cursor.execute(sql, parameters).fetchall()
        return {query: Exceeding(*rest) for query, *rest in rows}

    def series(
        self, version: int, since: datetime, step_seconds: float, source: Source = "workbench"
    ) -> dict[str, list[LatencyPointRead]]:
        """Quantiles by query and step over all versions, oldest first; steps without executions are left out."""
        sql = _SERIES_OF_SINGLES if source == "workbench" else _SERIES_OF_CLASSES
        sql = sql.format(ran=executed(source))
        parameters = {"version": version, "since": since, "step": step_seconds}
        with self._database.read() as cursor:
            rows = cursor.execute(sql, parameters).fetchall()
        points = defaultdict(list)
        for query, step_start, p50, p99, p999, count in rows:
            at = aware(datetime(1970, 1, 1) + timedelta(seconds=step_start))
            points[query].append(LatencyPointRead(at=at, p50_ms=p50, p99_ms=p99, p999_ms=p999, count=count))
        return dict(points)

    def histogram(self, span: Span, since: datetime, source: Source = "workbench") -> dict[str, list[HistogramBinRead]]:
        """Count executions by query, while it had its plan, in bins that grow by a quarter; empty bins are left out."""
        sql = f"""
            SELECT query, floor(ln(greatest(at_least_ms, 0.001)) / ln($ratio)) AS bin, sum(executions)::BIGINT
            FROM {_same_plan(source)} AND NOT failed GROUP BY ALL ORDER BY query, bin
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, span.parameters(since) | {"ratio": BIN_RATIO}).fetchall()
        bins = defaultdict(list)
        for query, number, count in rows:
            low, high = BIN_RATIO**number, BIN_RATIO ** (number + 1)
            bins[query].append(HistogramBinRead(ms_low=low, ms_high=high, count=count))
        return dict(bins)

    def slo_intervals(
        self, version: int, since: datetime, source: Source = "workbench"
    ) -> dict[str, list[SloInterval]]:
        """Count by query and interval of its SLO over all versions; a failed execution keeps no threshold.

        Executions whose reported bucket holds the threshold do not keep it. What was reported is counted where its
        minute begins, or its hour where only hours are kept.
        """
        sql = f"""
            SELECT query, sum(executions)::BIGINT,
                   coalesce(sum(executions) FILTER (WHERE NOT failed AND elapsed_ms <= threshold_ms), 0)::BIGINT
            FROM {executed(source)} JOIN slos USING (query) WHERE {_WINDOW}
            GROUP BY query, floor(epoch(started_at) / interval_seconds)
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, {"version": version, "since": since}).fetchall()
        intervals = defaultdict(list)
        for query, executions, kept in rows:
            intervals[query].append(SloInterval(executions, kept))
        return dict(intervals)

    def slo_windows(
        self, version: int, windows: Sequence[int], source: Source = "workbench"
    ) -> dict[str, dict[int, SloInterval]]:
        """Count by query with an SLO over all versions, for each window: so many seconds that end now."""
        sql = f"""
            SELECT query, seconds, sum(executions)::BIGINT,
                   coalesce(sum(executions) FILTER (WHERE NOT failed AND elapsed_ms <= threshold_ms), 0)::BIGINT
            FROM {executed(source)} JOIN slos USING (query)
            JOIN (SELECT unnest($windows::INTEGER[]) AS seconds) ON started_at >= $now::TIMESTAMP - to_seconds(seconds)
            WHERE version <= $version AND started_at >= $since GROUP BY query, seconds
        """
        until = now()
        since = until - timedelta(seconds=max(windows))
        parameters = {"version": version, "windows": [*windows], "now": until, "since": since}
        with self._database.read() as cursor:
            rows = cursor.execute(sql, parameters).fetchall()
        counted: dict[str, dict[int, SloInterval]] = defaultdict(dict)
        for query, seconds, executions, kept in rows:
            counted[query][seconds] = SloInterval(executions, kept)
        return dict(counted)


def _same_plan(source: Source) -> str:
    """What ran of each query while it had its plan, to stand after FROM and before further conditions."""
    return _SAME_PLAN.format(executed=executed(source))
