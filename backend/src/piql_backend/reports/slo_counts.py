"""How many reported executions kept the SLO of their query, counted once for each minute and hour (`reported_slos`).

The rows are those of the SLOs that are saved: who saves another calls `count_again` in the same transaction.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql_backend.database.connection import Cursor
from piql_backend.reports.in_sql import IS_EXECUTION, KEPT, UNSURE
from piql_backend.reports.slo_days import judge_queries_again
from piql_backend.reports.widths import HOUR, MINUTE, TABLES, kept


def add_counts(cursor: Cursor, relation: str, width: int) -> None:
    """Count the cells of a relation with the columns of `reported`, by `width` minutes."""
    cursor.execute(_count(relation, width))


def count_again(cursor: Cursor, queries: Sequence[str]) -> None:
    """Count anew for queries whose SLO was saved, in this transaction; those without any are counted no more."""
    cursor.execute("DELETE FROM reported_slos WHERE query IN (SELECT unnest(?::VARCHAR[]))", [list(queries)])
    until = kept(cursor).until
    for width in (MINUTE, HOUR):
        relation = f"(SELECT * FROM {TABLES[width]} WHERE minute < {until} AND query IN (SELECT unnest(?::VARCHAR[])))"
        cursor.execute(_count(relation, width), [list(queries)])
    judge_queries_again(cursor, queries)


def _count(relation: str, width: int) -> str:
    return f"""
        INSERT INTO reported_slos
        SELECT {width}, minute // {width} * {width} AS begin, query, version, sum(executions)::BIGINT,
               sum({KEPT})::BIGINT, sum({UNSURE})::BIGINT
        FROM {relation} AS cells JOIN slos USING (query) WHERE {IS_EXECUTION}
        GROUP BY begin, query, version ORDER BY begin, query
    """
