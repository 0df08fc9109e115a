"""What was observed over all versions, with the deployments between, beside what is predicted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from piql_backend.database.connection import aware, now
from piql_backend.deployments.schemas import DeploymentDetailRead
from piql_backend.deployments.service import Deployments
from piql_backend.executions.observations import Observations
from piql_backend.latency.comparing import NOT_COMPARED, Comparing
from piql_backend.latency.plans import Plans
from piql_backend.latency.repository import ObservationTable, SloInterval, Span, Totals
from piql_backend.latency.schemas import ComplianceRead, LatencyRead, MarkerRead, ObservedRead, QueryLatencyRead
from piql_backend.slos.repository import SloTable
from piql_backend.slos.schemas import SloRead

STEPS = 60
MOST_MARKERS = 100
_NOTHING = Totals(0, 0, 0, 0, None, None, None, None)


class Latency:
    """Joins observations, predictions and SLOs."""

    def __init__(
        self,
        table: ObservationTable,
        slos: SloTable,
        deployments: Deployments,
        observations: Observations,
        plans: Plans,
        comparing: Comparing,
    ) -> None:
        self._table = table
        self._slos = slos
        self._deployments = deployments
        self._observations = observations
        self._plans = plans
        self._comparing = comparing

    def read(self, deployment_id: str, window_seconds: float) -> LatencyRead:
        """Every query of a deployment over the last seconds, over the versions up to this one."""
        deployment = self._deployments.read(deployment_id)
        self._observations.flush()
        version, since = deployment.version, now() - timedelta(seconds=window_seconds)
        markers, span = self._versions(deployment, since)
        totals = self._table.totals(span, since)
        series = self._table.series(version, since, max(1.0, window_seconds / STEPS))
        histograms = self._table.histogram(span, since)
        intervals = self._table.slo_intervals(version, since)
        comparisons = self._comparing.compare(deployment, span, since)
        slos = {slo.query: slo for slo in self._slos.list()}
        queries = []
        for query in deployment.queries:
            seen = totals.get(query.name, _NOTHING)
            slo, comparison = slos.get(query.name), comparisons.get(query.name, NOT_COMPARED)
            queries.append(
                QueryLatencyRead(
                    query=query.name,
                    executions=seen.executions,
                    failures=seen.failures,
                    observed=_observed(seen),
                    predicted_p99_ms=query.predicted_p99_ms,
                    predicted=comparison.predicted,
                    agreement=comparison.agreement,
                    sizes=comparison.sizes,
                    plan_since=span.first[query.name],
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
            markers=markers,
            observed_since=self._table.began(since),
            queries=sorted(queries, key=lambda query: (-query.executions, query.query)),
            updated_at=datetime.now(UTC),
        )

    def _versions(self, deployment: DeploymentDetailRead, since: datetime) -> tuple[list[MarkerRead], Span]:
        """The deployments in the window up to this one, and since which version each query has its plan.

        What ran before the window is not asked for: of a version that was live when the window began, the first.
        """
        until = self._deployments.times(deployment.version, since)
        later = [read for read in until if read.created_at > aware(since)]
        in_force = until[len(later) : len(later) + 1]  # when the window began; the newest version comes first
        first = {query.name: deployment.version for query in deployment.queries}
        going_back = set(first)
        for newer, older in pairwise([*later, *in_force]):
            going_back -= set(self._plans.changed(newer.version, older.version))
            first |= dict.fromkeys(going_back, older.version)
        befores = {newer.version: older.version for newer, older in pairwise(until)}
        markers = [
            MarkerRead(
                version=read.version,
                at=read.created_at,
                changed=list(self._plans.changed(read.version, befores.get(read.version))),
            )
            for read in reversed(later[:MOST_MARKERS])
        ]
        return markers, Span(deployment.version, first)


def compliance_of(slo: SloRead, intervals: Sequence[SloInterval]) -> ComplianceRead:
    """Judge the intervals that have executions enough to show the SLO's quantile."""
    needed = math.ceil(round(1 / (1 - slo.quantile), 6))
    judged = [interval for interval in intervals if interval.executions >= needed]
    kept = sum(interval.kept >= slo.quantile * interval.executions - 1e-9 for interval in judged)
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
    return ObservedRead.model_validate(seen)
