"""Service-level objectives."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from piql_backend.web.schemas import Read, Write


class SloRead(Read):
    """An objective: the share `quantile` of the executions in each interval take at most `threshold_ms`."""

    query: str
    quantile: float
    threshold_ms: float
    interval_seconds: float
    updated_at: datetime


class OpenSloWrite(Write):
    """OpenSLO documents as YAML, one after the other."""

    text: str = Field(min_length=1, max_length=1_000_000)
