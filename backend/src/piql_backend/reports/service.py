"""Takes shipments of applications and says what they reported.

Counts are kept by the minute for two days, by the hour and by the day for 90 (`widths.py`). Names of shipments are kept
as long: one that is sent again by then is not counted again, and one with counts that are older is refused. Where all
counts take more than is allowed, the oldest days go.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby

import numpy as np
from piql.reporting.cells import OK, lower_edge_ms

from piql_backend.database.connection import aware, now
from piql_backend.reports.repository import ReportedSize, ReportedTable, ReportedTotals
from piql_backend.reports.schemas import (
    OutcomeRead,
    ReportedQueryRead,
    ReportedRead,
    ReportedSizeRead,
    Shipment,
    ShipmentTakenRead,
)
from piql_backend.reports.tallies import ReportedTallies
from piql_backend.reports.widths import DAY, HOUR, begin_of, minute_of, width_for
from piql_backend.web.errors import ApiError

log = logging.getLogger(__name__)

KEPT = timedelta(days=90)
KEPT_BY_MINUTE = timedelta(days=2)
MOST_BYTES = 2_000_000_000
MOST_QUERIES = 1000  # in one answer
MINUTES_AHEAD = 60  # how wrong the clock of an application may be
_TYPES = {"minute": np.int32, "requests_class": np.int8, "rows_class": np.int8, "bucket": np.int16}
_BIG = frozenset({"executions", "operations", "rows", "repairs", "statements"})


class Reports:
    """The reports of one environment."""

    def __init__(self, table: ReportedTable, most_bytes: int = MOST_BYTES) -> None:
        self._table = table
        self._most_bytes = most_bytes
        self._tidied_at = datetime.min
        self.tallies = ReportedTallies()

    def take(self, shipment: Shipment) -> ShipmentTakenRead:
        """Keep a shipment; it is on disk when this returns. ApiError 422 for one that cannot be right."""
        self._refuse_wrong(shipment)
        samples = _samples(shipment)
        is_new = self._table.take(shipment.client, shipment.sequence, shipment.lost, _columns(shipment), samples)
        if is_new:
            self.added(_tallied(shipment))
        return ShipmentTakenRead(is_new=is_new, executions=sum(shipment.cells.executions))

    def added(self, cells: Iterable[tuple[str, str, int, int, int]]) -> None:
        """Count cells that were kept for `/metrics`, and tidy up once an hour."""
        self.tallies.add(cells)
        if now() - self._tidied_at > timedelta(hours=1):
            self.tidy()

    def tidy(self) -> None:
        """Put the counts of hours that are over together, and delete those that are older than is kept."""
        self._tidied_at = now()
        self._table.put_together(minute_of(now()) // HOUR * HOUR, minute_of(now() - KEPT_BY_MINUTE) // HOUR * HOUR)
        self._table.delete_before(minute_of(now() - KEPT), now() - KEPT)
        self._make_room()

    def _make_room(self) -> None:
        """Delete the oldest days until the rest takes no more than is allowed; today is kept.

        Nothing is deleted before the space in use is known for certain: the next hour tries again.
        """
        if self._table.used_bytes() <= self._most_bytes:
            return
        today = minute_of(now()) // DAY * DAY
        while self._table.checkpoint() and self._table.used_bytes() > self._most_bytes:
            oldest = self._table.oldest_day()
            if oldest is None or oldest >= today:
                return
            # A tenth of the days at once, since each checkpoint takes its time.
            keep_from = oldest + max(1, (today - oldest) // DAY // 10) * DAY
            day = datetime.fromtimestamp(keep_from * 60, UTC).date()
            log.warning("reports take over %d bytes: those of the days before %s go", self._most_bytes, day)
            self._table.delete_before(keep_from, now() - KEPT)

    def read(self, window_seconds: float) -> ReportedRead:
        """What was reported of the last `window_seconds`, from the begin of a minute on, or of an hour or a day."""
        width = width_for(window_seconds)
        since = begin_of((now() - timedelta(seconds=window_seconds)).replace(second=0, microsecond=0), width)
        minute = minute_of(since)
        sizes = defaultdict(list)
        for size in self._table.sizes(minute, width, OK):
            sizes[size.query].append(_size(size))
        queries = [
            _query(query, list(outcomes), sizes[query])
            for query, outcomes in groupby(self._table.totals(minute, width), lambda totals: totals.query)
        ]
        clients, lost = self._table.taken_since(since)
        return ReportedRead(
            since=aware(since),
            window_seconds=window_seconds,
            executions=sum(query.executions for query in queries),
            lost=lost,
            clients=clients,
            queries_left_out=max(0, len(queries) - MOST_QUERIES),
            queries=sorted(queries, key=lambda query: (-query.executions, query.query))[:MOST_QUERIES],
        )

    def _refuse_wrong(self, shipment: Shipment) -> None:
        cells = shipment.cells
        lengths = {len(getattr(cells, name)) for name in type(cells).model_fields}
        minutes = [*cells.minute, *(shipment.operators.minute if shipment.operators is not None else ())]
        problem = None
        if len(lengths) != 1:
            problem = "Its columns have different lengths."
        elif any(number >= len(shipment.queries) for number in cells.query):
            problem = "A cell names a query that is not in its list."
        elif any(number >= len(shipment.outcomes) for number in cells.outcome):
            problem = "A cell names an outcome that is not in its list."
        elif not _are_samples_right(shipment):
            problem = "Its samples of operators have columns of different lengths, or name what is not in its lists."
        elif minutes and min(minutes) < minute_of(now() - KEPT):
            problem = f"It has counts that are older than {KEPT.days} days."
        elif minutes and max(minutes) > minute_of(now()) + MINUTES_AHEAD:
            problem = "It has counts from the future: check the clock of the application's machine."
        if problem is not None:
            raise ApiError(422, "invalid-report", f"The shipment is refused. {problem}", "Check what sends it.")


def _tallied(shipment: Shipment) -> Iterator[tuple[str, str, int, int, int]]:
    """Each cell as the tallies take it; what passed its bound is counted as `in_sql.OVER_BOUND` counts it."""
    cells = shipment.cells
    for query, outcome_number, bucket, executions, bound, least, most in zip(
        cells.query,
        cells.outcome,
        cells.bucket,
        cells.executions,
        cells.bound,
        cells.least_operations,
        cells.most_operations,
        strict=True,
    ):
        outcome = shipment.outcomes[outcome_number]
        is_all_over = least > bound or outcome == "BoundExceeded"
        over_bound = executions if is_all_over else int(most > bound)
        yield shipment.queries[query], outcome, bucket, executions, over_bound


def _columns(shipment: Shipment) -> dict[str, np.ndarray]:
    """The cells as an array for each column of the table, in its order."""
    cells = shipment.cells
    queries, outcomes = (np.array(names, dtype=object) for names in (shipment.queries, shipment.outcomes))
    columns = {
        name: np.array(values, dtype=_TYPES.get(name, np.int64 if name in _BIG else np.int32))
        for name, values in cells.model_dump().items()
    }
    columns |= {"query": queries[columns["query"]], "outcome": outcomes[columns["outcome"]]}
    columns["rows_given"] = columns.pop("rows")
    order = ("minute", "query", "version", "outcome", "bound", "requests_class", "rows_class", "bucket")
    sums = ("executions", "operations", "rows_given", "repairs", "statements")
    extremes = ("least_operations", "most_operations", "least_rows", "most_rows")
    spread = np.zeros(len(cells.minute), dtype=np.int16)
    return {name: columns[name] for name in (*order, *sums, *extremes)} | {"spread": spread}


def _are_samples_right(shipment: Shipment) -> bool:
    samples = shipment.operators
    if samples is None:
        return True
    return (
        len({len(getattr(samples, name)) for name in type(samples).model_fields}) == 1
        and all(number < len(shipment.queries) for number in samples.query)
        and all(number < len(shipment.operator_names) for number in samples.operator)
    )


def _samples(shipment: Shipment) -> dict[str, list[object]] | None:
    """The samples as a list for each column, with names for places; None where there are none."""
    if shipment.operators is None:
        return None
    columns: dict[str, list[object]] = shipment.operators.model_dump()
    names = {"query": shipment.queries, "operator": shipment.operator_names}
    for name, texts in names.items():
        columns[name] = [texts[place] for place in getattr(shipment.operators, name)]
    return columns


def _size(size: ReportedSize) -> ReportedSizeRead:
    return ReportedSizeRead(
        least_requests=size.least_requests,
        most_requests=size.most_requests,
        least_rows=size.least_rows,
        most_rows=size.most_rows,
        executions=size.executions,
        p99_ms=_upper_edge_ms(size.p99_bucket),
    )


def _query(query: str, outcomes: list[ReportedTotals], sizes: list[ReportedSizeRead]) -> ReportedQueryRead:
    good = next((totals for totals in outcomes if totals.outcome == OK), None)
    return ReportedQueryRead(
        query=query,
        executions=sum(totals.executions for totals in outcomes),
        outcomes=[OutcomeRead(outcome=totals.outcome, executions=totals.executions) for totals in outcomes],
        versions=sorted({version for totals in outcomes for version in totals.versions}),
        requests=sum(totals.requests for totals in outcomes),
        bound_requests=max(totals.bound for totals in outcomes),
        most_requests=max(totals.most_requests for totals in outcomes),
        over_bound=sum(totals.over_bound for totals in outcomes),
        p50_ms=None if good is None else _upper_edge_ms(good.p50_bucket),
        p99_ms=None if good is None else _upper_edge_ms(good.p99_bucket),
        sizes=sizes,
    )


def _upper_edge_ms(bucket: int) -> float:
    return lower_edge_ms(bucket + 1)
