"""How many intervals of its SLO a query kept in a day, counted once for each day (`reported_slo_days`).

    reported_slos        by the minute and hour, of all days        intervals are judged when they are read
    reported_slo_days    of the days of which no minutes are kept   intervals are judged, and only counted when read

So 90 days of 1,000 queries are read from 90,000 rows, and not from two million. A day is judged when its last minutes
are deleted, and again in the transaction that adds to it or saves its SLO. Days have no rows for an SLO whose intervals
may reach from one day into the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql_backend.database.connection import Cursor
from piql_backend.reports.widths import DAY, HOUR, Kept, kept

IS_JUDGED = "executions >= ceil(round(1 / (1 - quantile), 6))"
"""Whether an interval has executions enough to show the SLO's quantile: 100 for the p99."""

IS_KEPT = "kept >= quantile * executions - 1e-9"

_ENDS_WITH_DAYS = f"(interval_seconds <= {60 * HOUR} OR {60 * DAY} % interval_seconds = 0)"
_DAY = f"minute // {DAY} * {DAY}"


def first_day_by_hours(counts: Kept) -> int:
    """The first minute of the first day that is not in `reported_slo_days`."""
    return counts.minutes_from // DAY * DAY


def judge_days(cursor: Cursor, since: int, until: int) -> None:
    """Judge the days from one minute up to another, in this transaction."""
    _judge(cursor, f"SELECT DISTINCT query, {_DAY} AS day FROM {_hours(until)} AND minute >= {since // DAY * DAY}")


def judge_again(cursor: Cursor, relation: str) -> None:
    """Judge the days to which the cells of a relation were added, in this transaction."""
    until = first_day_by_hours(kept(cursor))
    _judge(cursor, f"SELECT DISTINCT query, {_DAY} AS day FROM {relation} WHERE minute < {until}")


def judge_queries_again(cursor: Cursor, queries: Sequence[str]) -> None:
    """Judge all days of queries whose SLO was saved or deleted, in this transaction."""
    cursor.execute("DELETE FROM reported_slo_days WHERE query IN (SELECT unnest(?::VARCHAR[]))", [list(queries)])
    until = first_day_by_hours(kept(cursor))
    chosen = f"SELECT DISTINCT query, {_DAY} AS day FROM {_hours(until)} AND query IN (SELECT unnest(?::VARCHAR[]))"
    _judge(cursor, chosen, [list(queries)])


def read_by_hours(cursor: Cursor, version: int, since: int, until: int, with_observations: bool) -> list[str]:
    """The queries with an SLO of which the days from one minute up to another are no answer.

    That is where intervals reach over days, where a later version ran as well, or the workbench itself.
    """
    sql = f"""
        SELECT query FROM slos WHERE NOT {_ENDS_WITH_DAYS}
        UNION
        SELECT query FROM reported_slo_days WHERE version > $version AND minute >= $since AND minute < $until
    """
    if with_observations:
        stamps = [f"make_timestamp({minute}::BIGINT * 60000000)" for minute in ("$since", "$until")]
        sql += f"""
            UNION SELECT query FROM observations SEMI JOIN slos USING (query)
            WHERE started_at >= {stamps[0]} AND started_at < {stamps[1]}
        """
    rows = cursor.execute(sql, {"version": version, "since": since, "until": until}).fetchall()
    return [query for (query,) in rows]


def _hours(until: int) -> str:
    """The hours of the days before a minute, as a relation with a WHERE that goes on."""
    return f"reported_slos WHERE width = {HOUR} AND minute < {until}"


def _judge(cursor: Cursor, chosen: str, parameters: Sequence[object] = ()) -> None:
    """Judge the days that a SELECT of `query` and `day` chooses."""
    cursor.execute(f"CREATE OR REPLACE TEMP TABLE days_chosen AS {chosen}", list(parameters))
    cursor.execute(
        "DELETE FROM reported_slo_days AS judged USING days_chosen AS chosen "
        "WHERE judged.query = chosen.query AND judged.minute = chosen.day"
    )
    cursor.execute(
        f"""
        INSERT INTO reported_slo_days
        WITH intervals AS (
            SELECT day, query, any_value(quantile) AS quantile, max(version) AS version,
                   sum(executions)::BIGINT AS executions, sum(kept)::BIGINT AS kept, sum(unsure)::BIGINT AS unsure
            FROM reported_slos AS hours JOIN slos USING (query)
            JOIN days_chosen AS chosen ON chosen.query = hours.query AND chosen.day = {_DAY}
            WHERE width = {HOUR} AND {_ENDS_WITH_DAYS}
            GROUP BY day, query, floor(minute * 60 / interval_seconds)
        )
        SELECT day, query, max(version), sum(executions), sum(kept), sum(unsure),
               count(*) FILTER (WHERE {IS_JUDGED}), count(*) FILTER (WHERE {IS_JUDGED} AND {IS_KEPT}),
               count(*) FILTER (WHERE NOT {IS_JUDGED})
        FROM intervals GROUP BY day, query ORDER BY day, query
        """
    )
    cursor.execute("DROP TABLE days_chosen")
