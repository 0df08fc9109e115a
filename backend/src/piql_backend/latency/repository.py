"""The SQL over observations: one query for each thing that the dashboard shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from piql_backend.database.connection import Database, aware, now
from piql_backend.latency.schemas import HistogramBinRead, LatencyPointRead

BIN_RATIO = 1.25
_MOST_SIZES = 20
_WINDOW = "version <= $version AND started_at >= $since"
_SAME_PLAN = """
    observations
    JOIN (SELECT unnest($queries::VARCHAR[]) AS query, unnest($firsts::INTEGER[]) AS first) AS spans USING (query)
    WHERE version BETWEEN first AND $version AND started_at >= $since
"""


@dataclass(frozen=True, slots=True)
class Span:
    """Up to `version`, the versions in which each query had the plan that it has there: `first` of each query on."""

    version: int
    first: Mapping[str, int]

    def parameters(self, since: datetime) -> dict[str, Any]:
        return {"queries": [*self.first], "firsts": [*self.first.values()], "version": self.version, "since": since}


@dataclass(frozen=True, slots=True)
class SizeTotals:
    """The executions of one query that made as many requests and gave as many rows."""

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
    """Of the executions that a query's regions are for, how many took longer than their lower and upper ends."""

    executions: int
    over_low: int
    over_high: int


@dataclass(frozen=True, slots=True)
class Totals:
    """One query in the window: counts, and quantiles by rank with those that enclose the p99 (95 %)."""

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
        with self._database.write() as cursor:
            cursor.execute("DELETE FROM observations WHERE started_at < ?", [now() - age])

    def began(self, since: datetime) -> datetime | None:
        """When observing began anew in the window, because what was observed before was lost."""
        with self._database.read() as cursor:
            found = cursor.execute("SELECT max(began) FROM beginnings WHERE began >= ?", [since]).fetchone()
        return aware(found[0]) if found is not None and found[0] is not None else None

    def totals(self, span: Span, since: datetime) -> dict[str, Totals]:
        """Count by query while it had its plan.

        The rank of the p99 lies, with 95 %, within ±1.96·√(n·q·(1−q)) of n·q.
        """
        sql = f"""
            WITH seen AS (SELECT * FROM {_SAME_PLAN}),
            counted AS (
                SELECT query, count(*) AS executions, count(*) FILTER (WHERE failed) AS failures,
                       max(operations) AS most_operations, count(*) FILTER (WHERE operations > bound) AS over_bound
                FROM seen GROUP BY query
            ),
            ranked AS (
                SELECT query, elapsed_ms, row_number() OVER (PARTITION BY query ORDER BY elapsed_ms) AS place,
                       count(*) OVER (PARTITION BY query) AS n
                FROM seen WHERE NOT failed
            ),
            quantiles AS (
                SELECT query,
                       min(elapsed_ms) FILTER (WHERE place >= ceil(0.5 * n)) AS p50_ms,
                       min(elapsed_ms) FILTER (WHERE place >= ceil(0.99 * n)) AS p99_ms,
                       min(elapsed_ms) FILTER (WHERE place >= floor(0.99 * n - 1.96 * sqrt(n * 0.0099))) AS low_ms,
                       min(elapsed_ms) FILTER (WHERE place >= ceil(0.99 * n + 1.96 * sqrt(n * 0.0099)) + 1) AS high_ms
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
        """Count by query and size while it had its plan: the sizes that most executions had, those first."""
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
        found = defaultdict(list)
        for query, at, p50, p99, count in rows:
            moment = aware(datetime(1970, 1, 1) + timedelta(seconds=at))
            found[query].append(LatencyPointRead(at=moment, p50_ms=p50, p99_ms=p99, count=count))
        return dict(found)

    def histogram(self, span: Span, since: datetime) -> dict[str, list[HistogramBinRead]]:
        """Count executions by query, while it had its plan, in bins that grow by a quarter; empty bins are left out."""
        sql = f"""
            SELECT query, floor(ln(greatest(elapsed_ms, 0.001)) / ln($ratio)) AS place, count(*)
            FROM {_SAME_PLAN} AND NOT failed GROUP BY ALL ORDER BY query, place
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, span.parameters(since) | {"ratio": BIN_RATIO}).fetchall()
        found = defaultdict(list)
        for query, place, count in rows:
            low, high = BIN_RATIO**place, BIN_RATIO ** (place + 1)
            found[query].append(HistogramBinRead(ms_low=low, ms_high=high, count=count))
        return dict(found)

    def slo_intervals(self, version: int, since: datetime) -> dict[str, list[SloInterval]]:
        """Count by query and interval of its SLO over all versions; a failed execution keeps no threshold."""
        sql = f"""
            SELECT query, count(*), count(*) FILTER (WHERE NOT failed AND elapsed_ms <= threshold_ms)
            FROM observations JOIN slos USING (query) WHERE {_WINDOW}
            GROUP BY query, floor(epoch(started_at) / interval_seconds)
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, {"version": version, "since": since}).fetchall()
        found = defaultdict(list)
        for query, executions, kept in rows:
            found[query].append(SloInterval(executions, kept))
        return dict(found)
