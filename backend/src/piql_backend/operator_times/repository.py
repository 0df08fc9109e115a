"""Reads `operator_times`: the samples of a window, by query, class of sizes and operator."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from piql_backend.database.connection import Database, now
from piql_backend.latency.seen import Span
from piql_backend.latency.sources import Source
from piql_backend.reports.operator_samples import SUMS, TABLE
from piql_backend.reports.widths import HOUR, minute_of


class TimedRow(NamedTuple):
    """The samples of one query that are alike; an empty `operator` stands for the whole execution."""

    query: str
    requests_class: int
    rows_class: int
    whole_bucket: int
    path: str
    operator: str
    bucket: int
    samples: int
    operations: int
    rows: int
    microseconds: int


class OperatorTimesTable:
    """The table of an environment."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def version(self) -> str:
        """The version of all that was written to the database, as pages are told it."""
        return self._database.version()

    def read(self, span: Span, since: datetime, source: Source) -> list[TimedRow]:
        """The samples of each query since a time, while it had its plan; windows from an hour on begin with one."""
        is_long = now() - since >= timedelta(hours=1)
        minute = minute_of(since) // HOUR * HOUR if is_long else minute_of(since)
        sql = f"""
            SELECT query, requests_class, rows_class, whole_bucket, path, operator, bucket, {SUMS}
            FROM {TABLE}
            JOIN (SELECT unnest($queries::VARCHAR[]) AS query, unnest($firsts::INTEGER[]) AS first) USING (query)
            WHERE minute >= $minute AND version BETWEEN first AND $version AND ($source = 'both' OR source = $source)
              AND version NOT IN (SELECT version FROM canary_events WHERE act = 'withdrawn')
            GROUP BY query, requests_class, rows_class, whole_bucket, path, operator, bucket
        """
        parameters = span.parameters(since) | {"minute": minute, "source": source}
        del parameters["since"]
        with self._database.read() as cursor:
            return [TimedRow(*row) for row in cursor.execute(sql, parameters).fetchall()]
