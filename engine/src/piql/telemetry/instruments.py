"""Histograms of executions by OpenTelemetry's semantic conventions: of their time, their rows and their requests.

    db.client.operation.duration         s           the time that the caller of `execute` waits
    db.client.response.returned_rows     {row}       of executions that gave their rows
    piql.client.operation.requests       {request}   of the same: requests to the store

All three have the same attributes. Sizes are classed by powers of two, as in reports, so that there are few of them:
a query has a series for each class of requests and rows that ran, and for each outcome.
"""

from __future__ import annotations

from opentelemetry.metrics import Meter
from opentelemetry.util.types import AttributeValue

from piql.reporting.cells import GAVE_ROWS, class_of
from piql.telemetry.executed import Executed, Prepared
from piql.telemetry.spans import SYSTEM, identity_of

DURATION = "db.client.operation.duration"
ROWS = "db.client.response.returned_rows"
REQUESTS = "piql.client.operation.requests"
_SECONDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10)  # those of the conventions; a view may choose others
_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
_MOST_KEPT = 10_000  # attributes; with one more, all are made again

_Key = tuple[Prepared | None, str, bool, int, int]


class Instruments:
    """Records executions, whatever provider `meter` belongs to."""

    def __init__(self, meter: Meter) -> None:
        self._duration = meter.create_histogram(
            DURATION,
            unit="s",
            description="Duration of database client operations.",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        self._rows = meter.create_histogram(
            ROWS,
            unit="{row}",
            description="The actual number of records returned by the database operation.",
            explicit_bucket_boundaries_advisory=_SIZES,
        )
        self._requests = meter.create_histogram(
            REQUESTS,
            unit="{request}",
            description="Requests to the store that an execution made.",
            explicit_bucket_boundaries_advisory=_SIZES,
        )
        self._attributes: dict[_Key, dict[str, AttributeValue]] = {}

    def record(self, executed: Executed) -> None:
        """Count an execution."""
        query, seconds, page, _ = executed
        if page is None:
            self._duration.record(seconds, self._kept((query, executed.outcome, False, 0, 0)))
            return
        rows, requests = len(page.rows), page.operations
        is_over = query is not None and requests > query.bound
        attributes = self._kept((query, executed.outcome, is_over, class_of(requests), class_of(rows)))
        self._duration.record(seconds, attributes)
        self._rows.record(rows, attributes)
        self._requests.record(requests, attributes)

    def _kept(self, key: _Key) -> dict[str, AttributeValue]:
        attributes = self._attributes.get(key)
        if attributes is None:
            if len(self._attributes) >= _MOST_KEPT:
                self._attributes.clear()
            attributes = self._attributes[key] = _attributes(*key)
        return attributes


def _attributes(
    query: Prepared | None, outcome: str, is_over_bound: bool, requests_class: int, rows_class: int
) -> dict[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {"db.system.name": SYSTEM} if query is None else identity_of(query)
    attributes["piql.outcome"] = outcome
    attributes["piql.requests_class"] = requests_class
    attributes["piql.rows_class"] = rows_class
    if is_over_bound:
        attributes["piql.over_bound"] = True
    if outcome not in GAVE_ROWS:
        attributes["error.type"] = outcome
    return attributes
