"""Writes `operator_times`: samples of where the time of executions went are added, and put together by the hour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

import numpy as np
from piql.reporting.operator_cells import OperatorCell, OperatorSums

from piql_backend.database.connection import Cursor, now
from piql_backend.reports.widths import HOUR, minute_of

TABLE = "operator_times"
KEPT = timedelta(days=8)
_KEYS = "source, query, version, requests_class, rows_class, whole_bucket, path, operator, bucket"
SUMS = "sum(samples)::BIGINT, sum(operations)::BIGINT, sum(rows_given)::BIGINT, sum(microseconds)::BIGINT"
_INTEGERS = {"minute": np.int32, "version": np.int32, "requests_class": np.int8, "rows_class": np.int8}
_INTEGERS |= {"whole_bucket": np.int16, "bucket": np.int16}
_NAMES = ("query", "path", "operator")


def add_samples(cursor: Cursor, columns: Mapping[str, Iterable[object]], source: str) -> None:
    """Add samples, a list for each field of `OperatorCell` and `OperatorSums`, in this transaction."""
    arrays: dict[str, np.ndarray[Any, Any]] = {
        name: np.array(list(values), dtype=object if name in _NAMES else _INTEGERS.get(name, np.int64))
        for name, values in columns.items()
    }
    cursor.register("samples_to_add", arrays)
    cursor.execute(f"""
        INSERT INTO {TABLE}
        SELECT minute, '{source}', query, version, requests_class, rows_class, whole_bucket, path, operator, bucket,
               samples, operations, rows, microseconds FROM samples_to_add
    """)
    cursor.unregister("samples_to_add")


def columns_of(cells: Mapping[OperatorCell, OperatorSums]) -> Mapping[str, Iterable[object]]:
    """Cells as a list for each column."""
    columns: dict[str, list[object]] = {name: [getattr(cell, name) for cell in cells] for name in OperatorCell._fields}
    for name in ("samples", "operations", "rows", "microseconds"):
        columns[name] = [getattr(sums, name) for sums in cells.values()]
    return columns


def tidy_samples(cursor: Cursor) -> None:
    """Put the samples of hours that are over together, and delete those that are too old, in this transaction.

    An hour that was put together begins with its first minute, and so do samples of that minute: an hour is done when
    no two of its rows are alike. Late samples make it one to do again.
    """
    until, oldest = minute_of(now()) // HOUR * HOUR, minute_of(now() - KEPT)
    hour = f"minute // {HOUR} * {HOUR}"
    cursor.execute(f"DELETE FROM {TABLE} WHERE minute < {oldest}")
    cursor.execute(f"""
        CREATE TEMP TABLE hours_to_do AS SELECT DISTINCT hour FROM (
            SELECT {hour} AS hour FROM {TABLE} WHERE minute < {until} GROUP BY hour, {_KEYS}
            HAVING count(*) > 1 OR max(minute % {HOUR}) > 0
        )
    """)
    is_to_do = f"{hour} IN (SELECT hour FROM hours_to_do)"
    cursor.execute(f"""
        CREATE TEMP TABLE hours_of_samples AS SELECT {hour} AS hour, {_KEYS}, {SUMS}
        FROM {TABLE} WHERE {is_to_do} GROUP BY hour, {_KEYS}
    """)
    cursor.execute(f"DELETE FROM {TABLE} WHERE {is_to_do}")
    cursor.execute(f"INSERT INTO {TABLE} SELECT * FROM hours_of_samples")
    cursor.execute("DROP TABLE hours_of_samples")
    cursor.execute("DROP TABLE hours_to_do")
