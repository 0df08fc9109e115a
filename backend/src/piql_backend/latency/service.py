"""The dashboard of one deployment: what was observed of each query in a window, beside what is predicted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from piql_profiler.validation.agreement import share_interval

from piql_backend.database.connection import aware, now
from piql_backend.deployments.schemas import DeploymentDetailRead
from piql_backend.deployments.service import Deployments
from piql_backend.executions.observations import Observations
from piql_backend.latency.budgets import WINDOWS, budget_of, samples_needed
from piql_backend.latency.comparing import NOT_COMPARED, Comparing
from piql_backend.latency.plans import Plans
from piql_backend.latency.repository import ObservationTable, SloInterval, Span, Totals
from piql_backend.latency.schemas import ComplianceRead, LatencyRead, MarkerRead, ObservedRead, QueryLatencyRead
from piql_backend.latency.sources import Source
from piql_backend.slos.repository import SloTable
from piql_backend.slos.schemas import SloRead

STEPS = 60  # points of a series
MOST_MARKERS = 100
_NO_EXECUTIONS = Totals(0, 0, 0, 0, None, None, None, None, None)


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

    def read(self, deployment_id: str, window_seconds: float, source: Source = "both") -> LatencyRead:
        """Every query of a deployment over the last `window_seconds`, over the versions up to this one.

        Raises ApiError 404 for an unknown deployment.
        """
        deployment = self._deployments.read(deployment_id)
        self._observations.flush()
        version, since = deployment.version, now() - timedelta(seconds=window_seconds)
        markers, span = self._versions(deployment, since)
        asked = source
        oldest = min(since, now() - timedelta(seconds=max(WINDOWS)))  # that anything below is counted from
        if source == "both" and not self._table.has_reports(oldest):
            source = "workbench"  # the same executions, and their sizes need no classes
        totals = self._table.totals(span, since, source)
        series = self._table.series(version, since, max(1.0, window_seconds / STEPS), source)
        histograms = self._table.histogram(span, since, source)
        intervals = self._table.slo_intervals(version, since, source)
        recent = self._table.slo_windows(version, WINDOWS, source)
        comparisons = self._comparing.compare(deployment, span, since, source)
        slos = {slo.query: slo for slo in self._slos.list()}
        queries = []
        for query in deployment.queries:
            query_totals = totals.get(query.name, _NO_EXECUTIONS)
            slo, comparison = slos.get(query.name), comparisons.get(query.name, NOT_COMPARED)
            queries.append(
                QueryLatencyRead(
                    query=query.name,
                    executions=query_totals.executions,
                    failures=query_totals.failures,
                    observed=_observed(query_totals),
                    predicted_p99_ms=query.predicted_p99_ms,
                    predicted=comparison.predicted,
                    agreement=comparison.agreement,
                    sizes=comparison.sizes,
                    plan_since=span.first[query.name],
                    slo=slo,
                    compliance=None if slo is None else compliance_of(slo, intervals.get(query.name, ())),
                    budget=None
                    if slo is None
                    else budget_of(slo.quantile, _whole(intervals.get(query.name, ())), recent.get(query.name, {})),
                    bound_operations=query.operations,
                    most_operations=query_totals.most_operations if query_totals.executions else None,
                    requests_over_bound=query_totals.over_bound,
                    series=series.get(query.name, []),
                    histogram=histograms.get(query.name, []),
                )
            )
        return LatencyRead(
            deployment_id=deployment.id,
            window_seconds=window_seconds,
            source=asked,
            run_id=deployment.run_id,
            model=deployment.model,
            markers=markers,
            observed_since=self._table.began(since),
            queries=sorted(queries, key=lambda query: (-query.executions, query.query)),
            updated_at=datetime.now(UTC),
        )

    def _versions(self, deployment: DeploymentDetailRead, since: datetime) -> tuple[list[MarkerRead], Span]:
        """The deployments in the window up to this one, and since which version each query has its plan.

        The search for that version ends at the one that was live when the window began: earlier ones are not compiled.
        """
        times = self._deployments.times(deployment.version, since)  # the newest version comes first
        in_window = [time for time in times if time.created_at > aware(since)]
        live_before = times[len(in_window) : len(in_window) + 1]
        first = {query.name: deployment.version for query in deployment.queries}
        with_same_plan = set(first)
        for newer, older in pairwise([*in_window, *live_before]):
            with_same_plan -= set(self._plans.changed(newer.version, older.version))
            first |= dict.fromkeys(with_same_plan, older.version)
        versions_before = {newer.version: older.version for newer, older in pairwise(times)}
        markers = [
            MarkerRead(
                version=time.version,
                at=time.created_at,
                changed=list(self._plans.changed(time.version, versions_before.get(time.version))),
            )
            for time in reversed(in_window[:MOST_MARKERS])
        ]
        return markers, Span(deployment.version, first)


def compliance_of(slo: SloRead, intervals: Sequence[SloInterval]) -> ComplianceRead:
    """Judge the intervals that have executions enough to show the SLO's quantile: 100 for the p99."""
    needed = samples_needed(slo.quantile)
    judged = [interval for interval in intervals if interval.executions >= needed]
    kept = sum(interval.kept >= slo.quantile * interval.executions - 1e-9 for interval in judged)
    whole = _whole(intervals)
    low, high = share_interval(whole.kept, whole.executions) if whole.executions else (None, None)
    return ComplianceRead(
        share=kept / len(judged) if judged else None,
        kept=kept,
        judged=len(judged),
        too_few=len(intervals) - len(judged),
        samples_needed=needed,
        executions=whole.executions,
        within=whole.kept,
        within_low=low,
        within_high=high,
    )


def _whole(intervals: Sequence[SloInterval]) -> SloInterval:
    """All intervals together."""
    return SloInterval(sum(part.executions for part in intervals), sum(part.kept for part in intervals))


def _observed(totals: Totals) -> ObservedRead | None:
    if totals.p50_ms is None:
        return None
    return ObservedRead.model_validate(totals)
