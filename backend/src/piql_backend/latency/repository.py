"""The SQL over observations: one query for each thing that the dashboard shows.

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

BIN_RATIO = 1.25  # upper by lower edge of a bin of the histogram
_MOST_SIZES = 20  # of one query
_WINDOW = "version <= $version AND started_at >= $since"
_SAME_PLAN = """
    observations
    JOIN (SELECT unnest($queries::VARCHAR[]) AS query, unnest($firsts::INTEGER[]) AS first) AS spans USING (query)
    WHERE version BETWEEN first AND $version AND started_at >= $since
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
    """The executions of one query that made `requests` requests and returned `rows` rows."""

    requests: int
    rows: int
    executions: int
    p99_ms: float


@dataclass(frozen=True, slots=True)
class SizeRegion:
    """The latencies within which executions of one size are as predicted, in ms."""

    query: str
    requests: int
    rows: int
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
    p99_low_ms: float | None
    p99_high_ms: float | None


@dataclass(frozen=True, slots=True)
class SloInterval:
    """One interval of a query's SLO: how many executions it had, and how many kept the threshold."""

    executions: int
    kept: int


class ObservationTable:
    """The table `observations`, read for a window that ends now, and for what ran up to one version."""

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

    def totals(self, span: Span, since: datetime) -> dict[str, Totals]:
        """Count by query while it had its plan.

        Of n executions, the one whose time is the true q-quantile has, with 95 %, a rank within ±1.96·√(n·q·(1−q)) of
        n·q: a binomial count, approximated by the normal distribution. Here q is 0.99, and q·(1−q) 0.0099.
        """
        sql = f"""
            WITH seen AS (SELECT * FROM {_SAME_PLAN}),
            counted AS (
                SELECT query, count(*) AS executions, count(*) FILTER (WHERE failed) AS failures,
                       max(operations) AS most_operations, count(*) FILTER (WHERE operations > bound) AS over_bound
                FROM seen GROUP BY query
            ),
            ranked AS (
                SELECT query, elapsed_ms, row_number() OVER (PARTITION BY query ORDER BY elapsed_ms) AS rank,
                       count(*) OVER (PARTITION BY query) AS n
                FROM seen WHERE NOT failed
            ),
            quantiles AS (
                SELECT query,
                       min(elapsed_ms) FILTER (WHERE rank >= ceil(0.5 * n)) AS p50_ms,
                       min(elapsed_ms) FILTER (WHERE rank >= ceil(0.99 * n)) AS p99_ms,
                       min(elapsed_ms) FILTER (WHERE rank >= floor(0.99 * n - 1.96 * sqrt(n * 0.0099))) AS low_ms,
                       min(elapsed_ms) FILTER (WHERE rank >= ceil(0.99 * n + 1.96 * sqrt(n * 0.0099)) + 1) AS high_ms
                FROM ranked GROUP BY query
            )
            SELECT query, executions, failures, most_operations, over_bound, p50_ms, p99_ms,
                   CASE WHEN high_ms IS NULL THEN NULL ELSE low_ms END, high_ms
            FROM counted LEFT JOIN quantiles USING (query)
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, span.parameters(since)).fetchall()
        return {query: Totals(*rest) for query, *rest in rows}

    def sizes(self, span: Span, since: datetime) -> dict[str, list[SizeTotals]]:
        """Count by query and size while it had its plan: the _MOST_SIZES commonest sizes, the commonest first."""
        sql = f"""
            SELECT query, operations, rows_given, count(*) AS executions, quantile_disc(elapsed_ms, 0.99)
            FROM {_SAME_PLAN} AND NOT failed AND rows_given IS NOT NULL GROUP BY query, operations, rows_given
            QUALIFY row_number() OVER (PARTITION BY query ORDER BY executions DESC, operations, rows_given) <= $most
            ORDER BY query, executions DESC, operations, rows_given
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, span.parameters(since) | {"most": _MOST_SIZES}).fetchall()
        sizes = defaultdict(list)
        for query, *rest in rows:
            sizes[query].append(SizeTotals(*rest))
        return dict(sizes)

    def exceeding(self, span: Span, since: datetime, regions: Sequence[SizeRegion]) -> dict[str, Exceeding]:
        """Count by query the executions of the regions' sizes, and those that took longer than the regions' ends."""
        sql = f"""
            WITH regions AS (
                SELECT unnest($region_queries::VARCHAR[]) AS query, unnest($requests::INTEGER[]) AS operations,
                       unnest($rows::INTEGER[]) AS rows_given,
                       unnest($lows::DOUBLE[]) AS low_ms, unnest($highs::DOUBLE[]) AS high_ms
            ),
            seen AS (SELECT * FROM {_SAME_PLAN} AND NOT failed)
            SELECT query, count(*), count(*) FILTER (WHERE elapsed_ms > low_ms),
                   count(*) FILTER (WHERE elapsed_ms > high_ms)
            FROM seen JOIN regions USING (query, operations, rows_given) GROUP BY query
        """
        parameters = span.parameters(since) | {
            "region_queries": [region.query for region in regions],
            "requests": [region.requests for region in regions],
            "rows": [region.rows for region in regions],
            "lows": [region.low_ms for region in regions],
            "highs": [region.high_ms for region in regions],
        }
        with self._database.read() as cursor:
            rows = cursor.execute(sql, parameters).fetchall()
        return {query: Exceeding(*rest) for query, *rest in rows}

    def series(self, version: int, since: datetime, step_seconds: float) -> dict[str, list[LatencyPointRead]]:
        """Quantiles by query and step over all versions, oldest first; steps without executions are left out."""
        sql = f"""
            SELECT query, floor(epoch(started_at) / $step) * $step AS step_start,
                   quantile_disc(elapsed_ms, 0.5), quantile_disc(elapsed_ms, 0.99), count(*)
            FROM observations WHERE {_WINDOW} AND NOT failed GROUP BY ALL ORDER BY query, step_start
        """
        parameters = {"version": version, "since": since, "step": step_seconds}
        with self._database.read() as cursor:
            rows = cursor.execute(sql, parameters).fetchall()
        points = defaultdict(list)
        for query, step_start, p50, p99, count in rows:
            at = aware(datetime(1970, 1, 1) + timedelta(seconds=step_start))
            points[query].append(LatencyPointRead(at=at, p50_ms=p50, p99_ms=p99, count=count))
        return dict(points)

    def histogram(self, span: Span, since: datetime) -> dict[str, list[HistogramBinRead]]:
        """Count executions by query, while it had its plan, in bins that grow by a quarter; empty bins are left out."""
        sql = f"""
            SELECT query, floor(ln(greatest(elapsed_ms, 0.001)) / ln($ratio)) AS bin, count(*)
            FROM {_SAME_PLAN} AND NOT failed GROUP BY ALL ORDER BY query, bin
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, span.parameters(since) | {"ratio": BIN_RATIO}).fetchall()
        bins = defaultdict(list)
        for query, number, count in rows:
            low, high = BIN_RATIO**number, BIN_RATIO ** (number + 1)
            bins[query].append(HistogramBinRead(ms_low=low, ms_high=high, count=count))
        return dict(bins)

    def slo_intervals(self, version: int, since: datetime) -> dict[str, list[SloInterval]]:
        """Count by query and interval of its SLO over all versions; a failed execution keeps no threshold."""
        sql = f"""
            SELECT query, count(*), count(*) FILTER (WHERE NOT failed AND elapsed_ms <= threshold_ms)
            FROM observations JOIN slos USING (query) WHERE {_WINDOW}
            GROUP BY query, floor(epoch(started_at) / interval_seconds)
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, {"version": version, "since": since}).fetchall()
        intervals = defaultdict(list)
        for query, executions, kept in rows:
            intervals[query].append(SloInterval(executions, kept))
        return dict(intervals)
