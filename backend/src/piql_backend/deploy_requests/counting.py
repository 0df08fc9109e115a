"""Counts the rows that limits which become tighter would have to allow, before anything is deployed.

A deployment checks all rows itself, and is refused where they do not fit. What is counted here says so beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from piql.client.database import Database
from piql.client.group_levels import rows_that_share
from piql.compiler.result import Compilation
from piql.errors import InvalidParameter
from piql.schema.catalog import CardinalityLimit, Table
from piql.schema.table_changes import added_constraints

from piql_backend.deploy_requests.schemas import LimitCountRead

MOST_ROWS = 200_000  # that are read for one limit


def count_tighter_limits(db: Database, stored: Mapping[str, Table], wanted: Compilation) -> Sequence[LimitCountRead]:
    """Count the fullest group under each limit of a set that tables of the store, as they are live, do not keep."""
    return [
        _count(db, stored[name], limit)
        for name, table in wanted.tables.items()
        if name in stored and table.view is None
        for limit in added_constraints(stored[name], table).limits
    ]


def _count(db: Database, table: Table, limit: CardinalityLimit) -> LimitCountRead:
    most_rows, is_complete = _most_rows(db, table, limit)
    return LimitCountRead(
        table=table.name,
        limit=limit.declaration,
        most_allowed=limit.limit,
        most_rows=most_rows,
        is_complete=is_complete,
    )


def _most_rows(db: Database, table: Table, limit: CardinalityLimit) -> tuple[int | None, bool]:
    """The rows of the fullest group, and whether all rows were read; None for a limit that is not counted here."""
    if limit.is_token:
        return None, False
    if any(table.column(name) is None for name in limit.columns):
        return 0, True  # a new column is NULL in all rows, and NULL is in no group
    try:
        shared = rows_that_share(db, table.name, limit.columns or table.primary_key, MOST_ROWS)
    except InvalidParameter:  # the table is not live: an earlier version left it
        return None, False
    if not limit.columns:
        return shared.rows, shared.is_complete
    return (shared.fullest[0].rows if shared.fullest else 0), shared.is_complete
