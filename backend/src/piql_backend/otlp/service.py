"""Takes metrics over OTLP: what is new in them becomes reports, in one transaction with the states of their series.

So a request that comes again, whole or in part, is counted once, also after a kill.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from piql_backend.database.connection import now
from piql_backend.otlp.cells import ReportedCell, cells_of
from piql_backend.otlp.histograms import WrongHistogram
from piql_backend.otlp.points import Point, points_of
from piql_backend.otlp.repository import MOST_SERIES, SeriesKey, SeriesTable
from piql_backend.otlp.series import advance, key_of
from piql_backend.reports.service import KEPT, MINUTES_AHEAD, Reports
from piql_backend.reports.widths import minute_of

SERIES_KEPT = timedelta(days=7)  # since the last point; a cumulative one that comes back later begins anew


class Otlp:
    """The metrics that one environment is sent."""

    def __init__(self, table: SeriesTable, reports: Reports) -> None:
        self._table = table
        self._reports = reports
        self._forgot_at = datetime.min
        self._taking = threading.Lock()

    def take(self, request: ExportMetricsServiceRequest) -> Mapping[str, int]:
        """Keep what is new in a request, on disk when this returns; return why how many data points were refused."""
        points = points_of(request)
        refused = points.refused
        timely = [point for point in points.taken if self._is_timely(point, refused)]
        if timely:
            cells: list[ReportedCell] = []

            def advance_all(
                states: Mapping[SeriesKey, str], room: int
            ) -> tuple[Mapping[SeriesKey, str], list[ReportedCell]]:
                changed, cells[:] = _advanced(timely, states, room, refused)
                return changed, cells

            with self._taking:
                self._table.take([key_of(point) for point in timely], advance_all)
            self._reports.added(_tallied(cell) for cell in cells)
        self._forget()
        return refused

    def _is_timely(self, point: Point, refused: Counter[str]) -> bool:
        minute = point.time_ns // (60 * 10**9)
        if minute < minute_of(now() - KEPT):
            refused[f"they are older than {KEPT.days} days"] += 1
        elif minute > minute_of(now()) + MINUTES_AHEAD:
            refused["they are from the future: check the clock of the application's machine"] += 1
        else:
            return True
        return False

    def _forget(self) -> None:
        if now() - self._forgot_at > timedelta(hours=1):
            self._forgot_at = now()
            self._table.forget_before(now() - SERIES_KEPT)


def _advanced(
    points: list[Point], states: Mapping[SeriesKey, str], room: int, refused: Counter[str]
) -> tuple[Mapping[SeriesKey, str], list[ReportedCell]]:
    """The states that change, and the cells of what is new; the points of a series go by their times."""
    changed: dict[SeriesKey, str] = {}
    cells = []
    for point in sorted(points, key=lambda point: point.time_ns):
        key = key_of(point)
        kept = changed.get(key, states.get(key))
        if kept is None and room <= 0:
            refused[f"there are {MOST_SERIES:,} series already: send fewer attributes of resources"] += 1
            continue
        try:
            new = advance(kept, point)
            if new is None:
                continue
            brought = list(cells_of(point, new))
        except WrongHistogram as wrong:
            refused[str(wrong)] += 1
            continue
        room -= kept is None
        changed[key] = new.kept
        cells += brought
    return changed, cells


def _tallied(cell: ReportedCell) -> tuple[str, str, int, int, int]:
    """A cell as the tallies take it."""
    over_bound = cell.executions if cell.least_operations > cell.bound or cell.outcome == "BoundExceeded" else 0
    return cell.query, cell.outcome, cell.bucket, cell.executions, over_bound
