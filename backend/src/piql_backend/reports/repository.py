"""The SQL over `reported` and `shipments_taken`. A shipment is there whole, and on disk, when `take` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from piql_backend.database.connection import Database, now

_SUMS = ("executions", "operations", "rows_given", "repairs", "statements")
_KEYS = ("query", "version", "outcome", "bound", "requests_class", "rows_class", "bucket")


OVER_BOUND = """
    CASE WHEN least_operations > bound OR outcome = 'BoundExceeded' THEN executions
         WHEN most_operations > bound THEN 1 ELSE 0 END
"""
"""How many executions of a row of `reported` passed their bound; at least one where it holds both kinds, in SQL."""


@dataclass(frozen=True, slots=True)
class ReportedTotals:
    """One query and outcome in a window, over all versions in `versions`.

    `over_bound` is exact, but for cells that hold executions within the bound as well: such a cell counts for one.
    """

    query: str
    outcome: str
    executions: int
    requests: int
    bound: int
    most_requests: int
    over_bound: int
    p50_bucket: int
    p99_bucket: int
    versions: list[int]


@dataclass(frozen=True, slots=True)
class ReportedSize:
    """The executions of one query that gave their rows, in one class of sizes."""

    query: str
    least_requests: int
    most_requests: int
    least_rows: int
    most_rows: int
    executions: int
    p99_bucket: int


class ReportedTable:
    """The tables of reports, in the environment's DuckDB file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, client: str, sequence: int, lost: int, columns: Mapping[str, np.ndarray[Any, Any]]) -> bool:
        """Add the cells of a shipment in one transaction; return False where it had been added before."""
        with self._database.write() as cursor:
            known = "SELECT 1 FROM shipments_taken WHERE client = ? AND sequence = ?"
            if cursor.execute(known, [client, sequence]).fetchone() is not None:
                return False
            cursor.execute("INSERT INTO shipments_taken VALUES (?, ?, ?, ?)", [client, sequence, now(), lost])
            cursor.register("cells", dict(columns))
            cursor.execute("INSERT INTO reported SELECT * FROM cells")
            cursor.unregister("cells")
        return True

    def totals(self, since_minute: int) -> list[ReportedTotals]:
        """Count by query and outcome since a minute."""
        sql = f"""
            WITH seen AS (SELECT * FROM reported WHERE minute >= $since),
            times AS (
                SELECT query, outcome, bucket, sum(sum(executions)) OVER running AS until,
                       sum(sum(executions)) OVER (PARTITION BY query, outcome) AS n
                FROM seen GROUP BY query, outcome, bucket
                WINDOW running AS (PARTITION BY query, outcome ORDER BY bucket)
            ),
            quantiles AS (
                SELECT query, outcome, min(bucket) FILTER (WHERE until >= ceil(0.5 * n)) AS p50,
                       min(bucket) FILTER (WHERE until >= ceil(0.99 * n)) AS p99
                FROM times GROUP BY query, outcome
            ),
            counted AS (
                SELECT query, outcome, sum(executions)::BIGINT AS executions, sum(operations)::BIGINT AS requests,
                       max(bound) AS bound, max(most_operations) AS most_requests,
                       sum({OVER_BOUND})::BIGINT AS over_bound,
                       list(DISTINCT version ORDER BY version) AS versions
                FROM seen GROUP BY query, outcome
            )
            SELECT query, outcome, executions, requests, bound, most_requests, over_bound, p50, p99,
                   versions
            FROM counted JOIN quantiles USING (query, outcome) ORDER BY query, executions DESC, outcome
        """
        with self._database.read() as cursor:
            return [ReportedTotals(*row) for row in cursor.execute(sql, {"since": since_minute}).fetchall()]

    def sizes(self, since_minute: int, outcome: str) -> list[ReportedSize]:
        """Count the executions with an outcome by query and classes of size, since a minute."""
        sql = """
            WITH times AS (
                SELECT query, requests_class, rows_class, bucket, sum(executions) AS executions,
                       min(least_operations) AS least_operations, max(most_operations) AS most_operations,
                       min(least_rows) AS least_rows, max(most_rows) AS most_rows
                FROM reported WHERE minute >= $since AND outcome = $outcome
                GROUP BY query, requests_class, rows_class, bucket
            ),
            ranked AS (
                SELECT *, sum(executions) OVER (size ORDER BY bucket) AS until, sum(executions) OVER size AS n
                FROM times WINDOW size AS (PARTITION BY query, requests_class, rows_class)
            )
            SELECT query, min(least_operations), max(most_operations), min(least_rows), max(most_rows),
                   sum(executions)::BIGINT, min(bucket) FILTER (WHERE until >= ceil(0.99 * n))
            FROM ranked GROUP BY query, requests_class, rows_class ORDER BY query, requests_class, rows_class
        """
        with self._database.read() as cursor:
            parameters = {"since": since_minute, "outcome": outcome}
            return [ReportedSize(*row) for row in cursor.execute(sql, parameters).fetchall()]

    def taken_since(self, since: datetime) -> tuple[int, int]:
        """How many clients sent shipments since then, and how many executions they had no room to count."""
        sql = "SELECT count(DISTINCT client), coalesce(sum(lost), 0)::BIGINT FROM shipments_taken WHERE taken_at >= ?"
        with self._database.read() as cursor:
            row = cursor.execute(sql, [since]).fetchone()
        assert row is not None
        return row[0], row[1]

    def make_coarser(self, before_minute: int, step: int) -> None:
        """Put the counts of `step` minutes together, of those before a minute, in one transaction."""
        keys, sums = ", ".join(_KEYS), ", ".join(f"sum({name})::BIGINT" for name in _SUMS)
        with self._database.write() as cursor:
            cursor.execute(
                f"""
                CREATE OR REPLACE TEMP TABLE coarse AS
                SELECT minute // $step * $step AS hour, {keys}, {sums}, min(least_operations), max(most_operations),
                       min(least_rows), max(most_rows)
                FROM reported WHERE minute < $before GROUP BY hour, {keys}
                """,
                {"step": step, "before": before_minute},
            )
            cursor.execute("DELETE FROM reported WHERE minute < ?", [before_minute])
            cursor.execute("INSERT INTO reported SELECT * FROM coarse")
            cursor.execute("DROP TABLE coarse")

    def delete_before(self, minute: int, taken_at: datetime) -> None:
        """Delete counts of minutes before one, and forget the shipments that were taken before a time."""
        with self._database.write() as cursor:
            cursor.execute("DELETE FROM reported WHERE minute < ?", [minute])
            cursor.execute("DELETE FROM shipments_taken WHERE taken_at < ?", [taken_at])
