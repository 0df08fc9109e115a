"""The SQL over `otlp_series`: what was last taken of each series, changed in one transaction with what it brought."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np

from piql_backend.database.connection import Cursor, Database, now
from piql_backend.otlp.cells import ReportedCell
from piql_backend.reports.repository import add_cells

MOST_SERIES = 50_000
SeriesKey = tuple[str, int]
_TYPES: Mapping[str, type] = {
    "minute": np.int32,
    "query": object,
    "version": np.int32,
    "outcome": object,
    "bound": np.int32,
    "requests_class": np.int8,
    "rows_class": np.int8,
    "bucket": np.int16,
    "spread": np.int16,
    "executions": np.int64,
    "operations": np.int64,
    "rows_given": np.int64,
    "repairs": np.int64,
    "statements": np.int64,
}


class SeriesTable:
    """The table `otlp_series`, in the environment's DuckDB file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(
        self,
        keys: Sequence[SeriesKey],
        advance: Callable[[Mapping[SeriesKey, str], int], tuple[Mapping[SeriesKey, str], Sequence[ReportedCell]]],
    ) -> None:
        """Give `advance` the states of series and the room for new ones; keep the states and cells that it returns."""
        with self._database.write() as cursor:
            names = list({series for series, _ in keys})
            known = cursor.execute(
                "SELECT series, start_ns, state FROM otlp_series WHERE series IN (SELECT unnest(?::VARCHAR[]))", [names]
            ).fetchall()
            count = cursor.execute("SELECT count(*)::BIGINT FROM otlp_series").fetchone()
            assert count is not None
            states = {(series, start_ns): state for series, start_ns, state in known}
            changed, cells = advance(states, MOST_SERIES - count[0])
            if changed:
                self._replace(cursor, changed)
            if cells:
                add_cells(cursor, _columns(cells))

    @staticmethod
    def _replace(cursor: Cursor, states: Mapping[SeriesKey, str]) -> None:
        series, starts = [name for name, _ in states], [start for _, start in states]
        changed = "(SELECT unnest(?::VARCHAR[]) AS series, unnest(?::BIGINT[]) AS start_ns)"
        cursor.execute(
            f"DELETE FROM otlp_series AS kept USING {changed} AS changed "
            "WHERE kept.series = changed.series AND kept.start_ns = changed.start_ns",
            [series, starts],
        )
        cursor.execute(
            "INSERT INTO otlp_series SELECT unnest(?::VARCHAR[]), unnest(?::BIGINT[]), unnest(?::VARCHAR[]), ?",
            [series, starts, list(states.values()), now()],
        )

    def forget_before(self, time: datetime) -> None:
        """Forget the series of which nothing came since a time."""
        with self._database.write() as cursor:
            cursor.execute("DELETE FROM otlp_series WHERE seen_at < ?", [time])


def _columns(cells: Iterable[ReportedCell]) -> dict[str, np.ndarray]:
    """The cells as an array for each column of `reported`, in its order."""
    columns = zip(*cells, strict=True)
    return {
        name: np.array(values, dtype=_TYPES.get(name, np.int32))
        for name, values in zip(ReportedCell._fields, columns, strict=True)
    }
