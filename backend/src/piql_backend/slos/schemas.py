"""Service-level objectives."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from piql_backend.schema import Read, Write


class SloRead(Read):
    """An objective: the share `quantile` of the executions in each interval take at most `threshold_ms`."""

    query: str
    quantile: float
    threshold_ms: float
    interval_seconds: float
    updated_at: datetime


class SloAtRiskRead(Read):
    """A query whose saved SLO is predicted to be broken.

    `typical_ms` and `worst_ms` are its latencies at the SLO's quantile in the median and in the worst interval.
    """

    query: str
    quantile: float
    threshold_ms: float
    typical_ms: float
    worst_ms: float


class OpenSloWrite(Write):
    """OpenSLO documents as YAML, one after the other."""

    text: str = Field(min_length=1, max_length=1_000_000)
