"""Service-level objectives."""

from __future__ import annotations

from datetime import datetime

from piql_backend.schema import Read


class SloRead(Read):
    """`quantile` of the executions in each interval take at most `threshold_ms`."""

    query: str
    quantile: float
    threshold_ms: float
    interval_seconds: float
    updated_at: datetime
