"""What ran in a window, gathered once and then counted in several ways, all by SQL.

    ran     a temporary table of all that ran in the window, in the columns that `sources.py` explains
    seen    of each query, the rows of `ran` that ran with the plan it has now: the versions of a `Span`

The cells of reports are first summed over the whole window, so that few rows are left however long it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from piql_profiler.validation.compliance import Kept

from piql_backend.database.connection import Cursor, Database
from piql_backend.latency.sources import Source, classed, executed
from piql_backend.reports.widths import first_minute, kept, summed

_MOST_SIZES = 20  # of one query
_MOST_CLASSES = 40  # of one query, in its details
_RAN = """
    CREATE TEMP TABLE ran AS
    SELECT executed.*, version >= first AND version NOT IN (
               SELECT version FROM canary_events WHERE act = 'withdrawn'
           ) AS is_same_plan
    FROM {executed} AS executed
    JOIN (SELECT unnest($queries::VARCHAR[]) AS query, unnest($firsts::INTEGER[]) AS first) AS spans USING (query)
    WHERE version <= $version AND started_at >= $since
"""
# Single executions are ranked by DuckDB itself: of 500,000, in a sixth of the time that sums of counts take, or less.
_SIZES_OF_SINGLES = """
    SELECT query, requests_key, rows_key, requests_key, requests_key, rows_key, rows_key, count(*) AS count,
           quantile_disc(elapsed_ms, 0.99)
    FROM seen WHERE NOT failed AND least_rows IS NOT NULL GROUP BY query, requests_key, rows_key
    QUALIFY row_number() OVER (PARTITION BY query ORDER BY count DESC, requests_key, rows_key) <= $most
    ORDER BY query, count DESC, requests_key, rows_key
"""
_SIZES_OF_CLASSES = """
    WITH times AS (
        SELECT query, requests_key, rows_key, elapsed_ms, sum(executions) AS executions,
               min(least_requests) AS least_requests, max(most_requests) AS most_requests,
               min(least_rows) AS least_rows, max(most_rows) AS most_rows
        FROM seen WHERE NOT failed AND least_rows IS NOT NULL
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
_TOTALS = """
    WITH counted AS (
        SELECT query, sum(executions)::BIGINT AS executions,
               coalesce(sum(executions) FILTER (WHERE failed), 0)::BIGINT AS failures,
               max(most_requests) AS most_requests,
               sum(over_bound)::BIGINT AS over_bound,
               sum(least_requests * executions) / sum(executions) AS least_mean,
               sum(most_requests * executions) / sum(executions) AS most_mean
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
           CASE WHEN high_ms IS NULL THEN NULL ELSE low_ms END, high_ms, least_mean, most_mean
    FROM counted LEFT JOIN quantiles USING (query)
"""
_CLASSES = """
    SELECT {requests} AS requests_class, {rows} AS rows_class, min(least_requests), max(most_requests),
           min(least_rows), max(most_rows), sum(executions)::BIGINT
    FROM seen WHERE query = $query AND NOT failed AND least_rows IS NOT NULL GROUP BY requests_class, rows_class
    ORDER BY sum(executions) DESC, requests_class, rows_class LIMIT $most
"""
_P99_OF_CLASSES = """
    WITH ranks AS (
        SELECT unnest($requests::INTEGER[]) AS requests_class, unnest($rows::INTEGER[]) AS rows_class,
               unnest($lows::BIGINT[]) AS low, unnest($highs::BIGINT[]) AS high
    ),
    times AS (
        SELECT {requests} AS requests_class, {rows} AS rows_class, elapsed_ms, min(at_least_ms) AS at_least_ms,
               sum(executions) AS executions
        FROM seen WHERE query = $query AND NOT failed AND least_rows IS NOT NULL
        GROUP BY requests_class, rows_class, elapsed_ms
    ),
    ranked AS (
        SELECT *, sum(executions) OVER (size ORDER BY elapsed_ms) AS rank, sum(executions) OVER size AS n
        FROM times WINDOW size AS (PARTITION BY requests_class, rows_class)
    )
    SELECT requests_class, rows_class, min(elapsed_ms) FILTER (WHERE rank >= ceil(0.99 * n)),
           min(at_least_ms) FILTER (WHERE rank >= low AND low > 0), min(elapsed_ms) FILTER (WHERE rank >= high)
    FROM ranked JOIN ranks USING (requests_class, rows_class) GROUP BY requests_class, rows_class
"""
_EXCEEDING = """
    WITH regions AS (
        SELECT unnest($region_queries::VARCHAR[]) AS query, unnest($requests::INTEGER[]) AS requests_key,
               unnest($rows::INTEGER[]) AS rows_key,
               unnest($lows::DOUBLE[]) AS low_ms, unnest($highs::DOUBLE[]) AS high_ms,
               unnest($common_lows::DOUBLE[]) AS common_low_ms, unnest($common_highs::DOUBLE[]) AS common_high_ms
    )
    SELECT query, sum(executions)::BIGINT,
           coalesce(sum(executions) FILTER (WHERE elapsed_ms > low_ms), 0)::BIGINT,
           coalesce(sum(executions) FILTER (WHERE at_least_ms > high_ms), 0)::BIGINT,
           coalesce(sum(executions) FILTER (WHERE at_least_ms > common_low_ms), 0)::BIGINT,
           coalesce(sum(executions) FILTER (WHERE elapsed_ms > common_high_ms), 0)::BIGINT
    FROM seen JOIN regions USING (query, requests_key, rows_key) WHERE NOT failed GROUP BY query
"""
_WITHIN = """
    WITH promises AS (
        SELECT unnest($promise_queries::VARCHAR[]) AS query, unnest($requests::INTEGER[]) AS requests_key,
               unnest($rows::INTEGER[]) AS rows_key, unnest($thresholds::DOUBLE[]) AS threshold_ms
    )
    SELECT query, sum(executions)::BIGINT,
           coalesce(sum(executions) FILTER (WHERE elapsed_ms <= threshold_ms), 0)::BIGINT,
           coalesce(sum(executions) FILTER (WHERE at_least_ms <= threshold_ms AND elapsed_ms > threshold_ms), 0)::BIGINT
    FROM seen JOIN promises USING (query, requests_key, rows_key) WHERE NOT failed GROUP BY query
"""


@dataclass(frozen=True, slots=True)
class Span:
    """The versions in which each query has the plan of `version`: from `first[query]` to `version`."""

    version: int
    first: Mapping[str, int]

    def parameters(self, since: datetime) -> dict[str, Any]:
        """The parameters of _RAN."""
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
class ClassTotals:
    """The executions of one query in one class of sizes: those from the least to the most."""

    requests_class: int
    rows_class: int
    least_requests: int
    requests: int
    least_rows: int
    rows: int
    executions: int


@dataclass(frozen=True, slots=True)
class P99Ranks:
    """The ranks that enclose the p99 of a class of sizes; a low one of 0, a high one beyond all: no such end."""

    requests_class: int
    rows_class: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class P99Times:
    """The p99 of a class of sizes, and the ends of its interval; None for one that there is not."""

    p99_ms: float
    low_ms: float | None
    high_ms: float | None


@dataclass(frozen=True, slots=True)
class SizeRegion:
    """The latencies that agree with the prediction, in ms, for executions of one size or of one class of sizes.

    The sizes of a class differ in their predictions. A latency between `low_ms` and `high_ms` agrees with that of at
    least one size of the class. One between the common ends agrees with those of all of them.
    """

    query: str
    requests_key: int
    rows_key: int
    low_ms: float
    high_ms: float
    common_low_ms: float
    common_high_ms: float


@dataclass(frozen=True, slots=True)
class SizePromise:
    """The threshold of an SLO, for the executions of one size, or of one class of sizes."""

    query: str
    requests_key: int
    rows_key: int
    threshold_ms: float


@dataclass(frozen=True, slots=True)
class Exceeding:
    """Of the executions that a query has regions for, how many took longer than each end."""

    executions: int
    over_low: int
    over_high: int
    over_common_low: int
    over_common_high: int


@dataclass(frozen=True, slots=True)
class Totals:
    """One query in the window: counts, and quantiles by rank, with the 95 % confidence interval of the p99.

    `most_operations` are the most requests of one execution; `over_bound` counts those that made more than the bound.
    The interval is None where there are too few executions for its upper end. The mean of the requests lies between
    `least_mean` and `most_mean`; both are equal where each execution was counted by itself.
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
    least_mean: float
    most_mean: float


class Seen:
    """What was gathered of one window, until the end of the `with` that gathered it."""

    def __init__(self, cursor: Cursor, source: Source) -> None:
        self._cursor = cursor
        self._source = source

    def queries(self) -> frozenset[str]:
        """The queries that were executed, also by another plan than they have now."""
        return frozenset(query for (query,) in self._cursor.execute("SELECT DISTINCT query FROM ran").fetchall())

    def totals(self) -> dict[str, Totals]:
        """Count by query while it had its plan.

        Of n executions, the one whose time is the true q-quantile has, with 95 %, a rank within ±1.96·√(n·q·(1−q)) of
        n·q: a binomial count, approximated by the normal distribution. Here q is 0.99, and q·(1−q) 0.0099.
        """
        times = "SELECT query, elapsed_ms, sum(executions) AS executions FROM seen WHERE NOT failed GROUP BY ALL"
        if self._source == "workbench":
            times = "SELECT query, elapsed_ms, executions FROM seen WHERE NOT failed"
        rows = self._cursor.execute(_TOTALS.format(times=times)).fetchall()
        return {query: Totals(*rest) for query, *rest in rows}

    def sizes(self) -> dict[str, list[SizeTotals]]:
        """Count by query and size while it had its plan: the _MOST_SIZES commonest sizes, the commonest first."""
        sql = _SIZES_OF_SINGLES if self._source == "workbench" else _SIZES_OF_CLASSES
        sizes = defaultdict(list)
        for query, *rest in self._cursor.execute(sql, {"most": _MOST_SIZES}).fetchall():
            sizes[query].append(SizeTotals(*rest))
        return dict(sizes)

    def classes(self, query: str) -> list[ClassTotals]:
        """Count the executions of a query by class of sizes while it had its plan: the _MOST_CLASSES commonest."""
        rows = self._cursor.execute(
            _CLASSES.format(**self._class_keys()), {"query": query, "most": _MOST_CLASSES}
        ).fetchall()
        return [ClassTotals(*row) for row in rows]

    def p99_of(self, query: str, ranks: Sequence[P99Ranks]) -> dict[tuple[int, int], P99Times]:
        """The p99 of some classes of sizes of a query, by class, with the times at these ranks as its ends."""
        if not ranks:
            return {}
        parameters = {
            "query": query,
            "requests": [rank.requests_class for rank in ranks],
            "rows": [rank.rows_class for rank in ranks],
            "lows": [rank.low for rank in ranks],
            "highs": [rank.high for rank in ranks],
        }
        rows = self._cursor.execute(_P99_OF_CLASSES.format(**self._class_keys()), parameters).fetchall()
        return {(requests, of_rows): P99Times(*times) for requests, of_rows, *times in rows}

    def _class_keys(self) -> dict[str, str]:
        """The classes of sizes in SQL: where only the workbench's executions are read, the keys are the sizes."""
        keys = {"requests": "requests_key", "rows": "rows_key"}
        return {name: classed(key) for name, key in keys.items()} if self._source == "workbench" else keys

    def exceeding(self, regions: Sequence[SizeRegion]) -> dict[str, Exceeding]:
        """Count by query the executions of the regions' sizes, and those that took longer than the regions' ends.

        A bucket of reported times that holds an end of the region counts as inside the region. One that holds a common
        end counts as outside the common part.
        """
        parameters = {
            "region_queries": [region.query for region in regions],
            "requests": [region.requests_key for region in regions],
            "rows": [region.rows_key for region in regions],
            "lows": [region.low_ms for region in regions],
            "highs": [region.high_ms for region in regions],
            "common_lows": [region.common_low_ms for region in regions],
            "common_highs": [region.common_high_ms for region in regions],
        }
        rows = self._cursor.execute(_EXCEEDING, parameters).fetchall()
        return {query: Exceeding(*rest) for query, *rest in rows}

    def within(self, promises: Sequence[SizePromise]) -> dict[str, Kept]:
        """Count by query the executions of the promises' sizes, and those that took at most the threshold.

        Executions whose reported bucket holds the threshold are unsure.
        """
        if not promises:
            return {}
        parameters = {
            "promise_queries": [promise.query for promise in promises],
            "requests": [promise.requests_key for promise in promises],
            "rows": [promise.rows_key for promise in promises],
            "thresholds": [promise.threshold_ms for promise in promises],
        }
        return {query: Kept(*rest) for query, *rest in self._cursor.execute(_WITHIN, parameters).fetchall()}


@contextmanager
def gathered(database: Database, span: Span, since: datetime, source: Source, width: int) -> Iterator[Seen]:
    """Gather what ran of the span's queries since a time, which is the begin of `width` minutes."""
    with database.read() as cursor:
        cursor.begin()
        cells = summed(width, first_minute(since), kept(cursor).until)
        cursor.execute(_RAN.format(executed=executed(source, cells)), span.parameters(since))
        cursor.execute("CREATE TEMP VIEW seen AS SELECT * FROM ran WHERE is_same_plan")
        cursor.commit()
        yield Seen(cursor, source)
