"""Observed latencies beside predicted ones."""

from __future__ import annotations

from datetime import datetime

from piql_backend.schema import Read
from piql_backend.slos.schemas import SloRead


class ObservedRead(Read):
    """Quantiles of the executions in the window; the confidence interval (95 %) is null where there are too few."""

    p50_ms: float
    p99_ms: float
    p99_low_ms: float | None
    p99_high_ms: float | None


class ComplianceRead(Read):
    """Intervals of the SLO in the window: `share` is `kept / judged`, null when none has samples enough to judge.

    An interval with fewer than `samples_needed` executions is counted in `too_few`, not judged.
    """

    share: float | None
    kept: int
    judged: int
    too_few: int
    samples_needed: int


class LatencyPointRead(Read):
    at: datetime
    p50_ms: float
    p99_ms: float
    count: int


class HistogramBinRead(Read):
    ms_low: float
    ms_high: float
    count: int


class QueryLatencyRead(Read):
    """One query; `observed` is null before its first execution in the window."""

    query: str
    executions: int
    failures: int
    observed: ObservedRead | None
    predicted_p99_ms: float | None
    slo: SloRead | None
    compliance: ComplianceRead | None
    bound_operations: int
    most_operations: int | None
    requests_over_bound: int
    series: list[LatencyPointRead]
    histogram: list[HistogramBinRead]


class LatencyRead(Read):
    """All queries of the deployment, the busiest first."""

    deployment_id: str
    window_seconds: float
    run_id: str | None
    model: str | None
    queries: list[QueryLatencyRead]
    updated_at: datetime
