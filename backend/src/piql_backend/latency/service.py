"""What was observed, beside what was predicted when the query was deployed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from piql_backend.database.connection import now
from piql_backend.deployments.service import Deployments
from piql_backend.executions.observations import Observations
from piql_backend.latency.repository import ObservationTable, SloInterval, Totals
from piql_backend.latency.schemas import ComplianceRead, LatencyRead, ObservedRead, QueryLatencyRead
from piql_backend.slos.repository import SloTable
from piql_backend.slos.schemas import SloRead

STEPS = 60
_NOTHING = Totals(0, 0, 0, 0, None, None, None, None)


class Latency:
    """Joins observations, predictions and SLOs."""

    def __init__(
        self, table: ObservationTable, slos: SloTable, deployments: Deployments, observations: Observations
    ) -> None:
        self._table = table
        self._slos = slos
        self._deployments = deployments
        self._observations = observations

    def read(self, deployment_id: str, window_seconds: float) -> LatencyRead:
        """Give every query of a deployment over the last seconds."""
        deployment = self._deployments.read(deployment_id)
        self._observations.flush()
        version, since = deployment.version, now() - timedelta(seconds=window_seconds)
        totals = self._table.totals(version, since)
        series = self._table.series(version, since, max(1.0, window_seconds / STEPS))
        histograms = self._table.histogram(version, since)
        intervals = self._table.slo_intervals(version, since)
        slos = {each.query: each for each in self._slos.list()}
        queries = []
        for query in deployment.queries:
            seen = totals.get(query.name, _NOTHING)
            slo = slos.get(query.name)
            queries.append(
                QueryLatencyRead(
                    query=query.name,
                    executions=seen.executions,
                    failures=seen.failures,
                    observed=_observed(seen),
                    predicted_p99_ms=query.predicted_p99_ms,
                    slo=slo,
                    compliance=None if slo is None else compliance_of(slo, intervals.get(query.name, ())),
                    bound_operations=query.operations,
                    most_operations=seen.most_operations if seen.executions else None,
                    requests_over_bound=seen.over_bound,
                    series=series.get(query.name, []),
                    histogram=histograms.get(query.name, []),
                )
            )
        return LatencyRead(
            deployment_id=deployment.id,
            window_seconds=window_seconds,
            run_id=deployment.run_id,
            model=deployment.model,
            queries=sorted(queries, key=lambda each: (-each.executions, each.query)),
            updated_at=datetime.now(UTC),
        )


def compliance_of(slo: SloRead, intervals: Sequence[SloInterval]) -> ComplianceRead:
    """Judge the intervals that have executions enough to show the SLO's quantile."""
    needed = math.ceil(round(1 / (1 - slo.quantile), 6))
    judged = [each for each in intervals if each.executions >= needed]
    kept = sum(each.kept >= slo.quantile * each.executions - 1e-9 for each in judged)
    return ComplianceRead(
        share=kept / len(judged) if judged else None,
        kept=kept,
        judged=len(judged),
        too_few=len(intervals) - len(judged),
        samples_needed=needed,
    )


def _observed(seen: Totals) -> ObservedRead | None:
    if seen.p50_ms is None or seen.p99_ms is None:
        return None
    return ObservedRead(
        p50_ms=seen.p50_ms, p99_ms=seen.p99_ms, p99_low_ms=seen.p99_low_ms, p99_high_ms=seen.p99_high_ms
    )
