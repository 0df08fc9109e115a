"""The SQL over the counts that were reported, and over `shipments_taken`.

A shipment is there whole, and on disk, when `take` returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb
import numpy as np

from piql_backend.database.connection import Cursor, Database, now
from piql_backend.reports import operator_samples, widths
from piql_backend.reports.in_sql import OVER_BOUND
from piql_backend.reports.slo_counts import add_counts
from piql_backend.reports.slo_days import judge_again, judge_days
from piql_backend.reports.widths import DAY, HOUR, MINUTE, cells

_TABLES = (*widths.TABLES.values(), "reported_slos", "reported_slo_days", operator_samples.TABLE)


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

    def take(
        self,
        client: str,
        sequence: int,
        lost: int,
        columns: Mapping[str, np.ndarray[Any, Any]],
        samples: Mapping[str, Iterable[object]] | None = None,
    ) -> bool:
        """Add the cells of a shipment, and its samples, in one transaction; False where it had been added before."""
        with self._database.write() as cursor:
            known = "SELECT 1 FROM shipments_taken WHERE client = ? AND sequence = ?"
            if cursor.execute(known, [client, sequence]).fetchone() is not None:
                return False
            cursor.execute("INSERT INTO shipments_taken VALUES (?, ?, ?, ?)", [client, sequence, now(), lost])
            add_cells(cursor, columns)
            if samples is not None:
                operator_samples.add_samples(cursor, samples, "applications")
        return True

    def totals(self, since_minute: int, width: int) -> list[ReportedTotals]:
        """Count by query and outcome since a minute, read by a width."""
        sql = """
            WITH seen AS (SELECT * FROM {cells}),
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
                       sum({over_bound})::BIGINT AS over_bound,
                       list(DISTINCT version ORDER BY version) AS versions
                FROM seen GROUP BY query, outcome
            )
            SELECT query, outcome, executions, requests, bound, most_requests, over_bound, p50, p99,
                   versions
            FROM counted JOIN quantiles USING (query, outcome) ORDER BY query, executions DESC, outcome
        """
        with self._database.read() as cursor:
            cursor.begin()
            seen = cells(width, since_minute, widths.kept(cursor).until)
            rows = cursor.execute(sql.format(cells=seen, over_bound=OVER_BOUND)).fetchall()
        return [ReportedTotals(*row) for row in rows]

    def sizes(self, since_minute: int, width: int, outcome: str) -> list[ReportedSize]:
        """Count the executions with an outcome by query and classes of size, since a minute, read by a width."""
        sql = """
            WITH times AS (
                SELECT query, requests_class, rows_class, bucket, sum(executions) AS executions,
                       min(least_operations) AS least_operations, max(most_operations) AS most_operations,
                       min(least_rows) AS least_rows, max(most_rows) AS most_rows
                FROM {cells} WHERE outcome = $outcome
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
            cursor.begin()
            seen = cells(width, since_minute, widths.kept(cursor).until)
            rows = cursor.execute(sql.format(cells=seen), {"outcome": outcome}).fetchall()
        return [ReportedSize(*row) for row in rows]

    def taken_since(self, since: datetime) -> tuple[int, int]:
        """How many clients sent shipments since then, and how many executions they had no room to count."""
        sql = "SELECT count(DISTINCT client), coalesce(sum(lost), 0)::BIGINT FROM shipments_taken WHERE taken_at >= ?"
        with self._database.read() as cursor:
            row = cursor.execute(sql, [since]).fetchone()
        assert row is not None
        return row[0], row[1]

    def put_together(self, until: int, minutes_from: int) -> None:
        """Put all counts before `until`, a whole hour, together by the hour and day; drop minutes of before a time."""
        with self._database.write() as cursor:
            kept = widths.kept(cursor)
            if until > kept.until:
                _add(cursor, f"(SELECT * FROM reported WHERE minute >= {kept.until} AND minute < {until})")
            late = {hour for (hour,) in cursor.execute("SELECT DISTINCT hour FROM reported_late").fetchall()}
            if late:
                widths.put_together(cursor, HOUR, sorted(late))
                cursor.execute("DELETE FROM reported_late")
            days = {hour // DAY * DAY for hour in late | {kept.until}}
            widths.put_together(cursor, DAY, sorted(days))
            judge_days(cursor, kept.minutes_from, minutes_from // DAY * DAY)
            cursor.execute("DELETE FROM reported WHERE minute < ?", [minutes_from])
            cursor.execute("DELETE FROM reported_slos WHERE width = ? AND minute < ?", [MINUTE, minutes_from])
            operator_samples.tidy_samples(cursor)
            cursor.execute(
                "UPDATE reported_until SET until = greatest(until, ?), minutes_from = ?", [until, minutes_from]
            )

    def delete_before(self, minute: int, taken_at: datetime) -> None:
        """Delete counts of days before that of a minute, and forget the shipments that were taken before a time."""
        with self._database.write() as cursor:
            for table in _TABLES:
                cursor.execute(f"DELETE FROM {table} WHERE minute < ?", [minute // DAY * DAY])
            cursor.execute("DELETE FROM shipments_taken WHERE taken_at < ?", [taken_at])

    def used_bytes(self) -> int:
        """What the counts take on disk: the blocks of their tables, as of the last checkpoint."""
        blocks = [f"SELECT block_id FROM pragma_storage_info('{table}') WHERE persistent" for table in _TABLES]
        with self._database.read() as cursor:
            sizes = cursor.execute("SELECT block_size FROM pragma_database_size()").fetchone()
            used = cursor.execute(f"SELECT count(DISTINCT block_id) FROM ({' UNION ALL '.join(blocks)})").fetchone()
        assert sizes is not None
        assert used is not None
        return int(sizes[0] * used[0])

    def checkpoint(self) -> bool:
        """Bring the file into the state that `used_bytes` speaks of, so that the space of deleted rows is free.

        Return whether that was done: another thread may be in the middle of a write.
        """
        try:
            with self._database.read() as cursor:
                cursor.execute("CHECKPOINT")
        except duckdb.TransactionException:
            return False
        return True

    def oldest_day(self) -> int | None:
        """The first minute of the oldest day of which there are counts; None for none."""
        with self._database.read() as cursor:
            row = cursor.execute("SELECT min(minute) FROM reported_days").fetchone()
        return None if row is None else row[0]


def add_cells(cursor: Cursor, columns: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Add cells, an array for each column in the order of the table, in this transaction."""
    cursor.register("cells", dict(columns))
    cursor.execute("INSERT INTO reported SELECT * FROM cells")
    until = widths.kept(cursor).until
    late = f"(SELECT * FROM cells WHERE minute < {until})"
    if cursor.execute(f"SELECT 1 FROM {late} LIMIT 1").fetchone() is not None:
        _add(cursor, late)
        judge_again(cursor, late)
        cursor.execute(f"INSERT INTO reported_late SELECT DISTINCT minute // {HOUR} * {HOUR} FROM {late}")
    cursor.unregister("cells")


def _add(cursor: Cursor, relation: str) -> None:
    """Add cells of minutes to the hours and days, and to the counts of what kept its SLO."""
    widths.add_wider(cursor, relation)
    for width in (MINUTE, HOUR):
        add_counts(cursor, relation, width)
