"""Counts of reports in three widths, so that a window of any length is read from few rows.

    reported        by the minute, for two days
    reported_hours  by the hour   ┐ of all that came before `until`, a whole hour;
    reported_days   by the day    ┘ the counts of minutes from then on are read beside them

Each execution is in each of the tables once. What comes later for an hour that was put together is added to all three
at once, and put together with the others later. So sums are the same in every width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from piql_backend.database.connection import Cursor, aware
from piql_backend.reports.in_sql import OVER_BOUND

MINUTE, HOUR, DAY = 1, 60, 1440  # in minutes
TABLES = {MINUTE: "reported", HOUR: "reported_hours", DAY: "reported_days"}
_KEYS = ("query", "version", "outcome", "bound", "requests_class", "rows_class", "bucket")
_SUMS = ("executions", "operations", "rows_given", "repairs", "statements")
_LEAST, _MOST = ("least_operations", "least_rows"), ("most_operations", "most_rows")
_LONGEST_BY_MINUTE = 2 * 3_600  # seconds
_LONGEST_BY_HOUR = 86_400


@dataclass(frozen=True, slots=True)
class Kept:
    """Up to which minute hours and days are complete, and from which on minutes are kept."""

    until: int
    minutes_from: int


def kept(cursor: Cursor) -> Kept:
    """What is kept in which width; true for what is read in the same transaction."""
    row = cursor.execute("SELECT until, minutes_from FROM reported_until").fetchone()
    assert row is not None
    return Kept(*row)


def width_for(window_seconds: float) -> int:
    """The width by which a window is read: up to two hours by the minute, up to a day by the hour."""
    if window_seconds <= _LONGEST_BY_MINUTE:
        return MINUTE
    return HOUR if window_seconds <= _LONGEST_BY_HOUR else DAY


def begin_of(since: datetime, width: int) -> datetime:
    """The begin of the hour or day that holds a time, UTC without a zone; by the minute, the time itself."""
    if width == MINUTE:
        return since
    hour = since.replace(minute=0, second=0, microsecond=0)
    return hour if width == HOUR else hour.replace(hour=0)


def minute_of(time: datetime) -> int:
    """The minute since 1970 that holds a time, UTC without a zone."""
    return int(aware(time).timestamp() // 60)


def first_minute(since: datetime) -> int:
    """The first minute that begins at a time, UTC without a zone, or later."""
    return -int(-aware(since).timestamp() // 60)


def cells(width: int, since: int, until: int = 0) -> str:
    """The cells from a minute on, as a SELECT in brackets; `until` as `kept` says it."""
    if width == MINUTE:
        return f"(SELECT * FROM reported WHERE minute >= {since})"
    return (
        f"(SELECT * FROM {TABLES[width]} WHERE minute >= {since} AND minute < {until}"
        f" UNION ALL SELECT * FROM reported WHERE minute >= {max(since, until)})"
    )


def summed(width: int, since: int, until: int) -> str:
    """The cells from a minute on, those of all times together: `minute` is `since`, `over_bound` counts executions."""
    keys = "query, version, outcome, requests_class, rows_class, bucket, spread"
    return f"""(
        SELECT {since} AS minute, {keys}, sum(executions)::BIGINT AS executions,
               sum({OVER_BOUND})::BIGINT AS over_bound, {_extremes()}
        FROM {cells(width, since, until)} GROUP BY {keys}
    )"""


def put_together(cursor: Cursor, width: int, minutes: Sequence[int]) -> None:
    """Put the cells of some hours or days together, named by their first minutes, each with those alike."""
    table, keys = TABLES[width], ", ".join(_KEYS)
    cursor.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE together AS
        SELECT minute, {keys}, {_sums()}, {_extremes_in_order()}, spread
        FROM {table} WHERE minute IN (SELECT unnest(?::INTEGER[]))
        GROUP BY minute, {keys}, spread ORDER BY minute, query, bucket
        """,
        [list(minutes)],
    )
    cursor.execute(f"DELETE FROM {table} WHERE minute IN (SELECT unnest(?::INTEGER[]))", [list(minutes)])
    cursor.execute(f"INSERT INTO {table} SELECT * FROM together")
    cursor.execute("DROP TABLE together")


def add_wider(cursor: Cursor, relation: str) -> None:
    """Add cells of minutes, a relation with the columns of `reported`, to the hours and to the days."""
    keys = ", ".join(_KEYS)
    for width in (HOUR, DAY):
        cursor.execute(
            f"""
            INSERT INTO {TABLES[width]}
            SELECT minute // {width} * {width} AS begin, {keys}, {_sums()}, {_extremes_in_order()}, spread
            FROM {relation} GROUP BY begin, {keys}, spread ORDER BY begin, query, bucket
            """
        )


def _sums() -> str:
    return ", ".join(f"sum({name})::BIGINT AS {name}" for name in _SUMS)


def _extremes() -> str:
    least = [f"min({name}) AS {name}" for name in _LEAST]
    return ", ".join([*least, *(f"max({name}) AS {name}" for name in _MOST)])


def _extremes_in_order() -> str:
    """The extremes in the order of the table's columns."""
    return "min(least_operations), max(most_operations), min(least_rows), max(most_rows)"
