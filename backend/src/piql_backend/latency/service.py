"""The dashboard of one deployment: what was observed of each query in a window, beside what is predicted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from piql.pricing.sheets import Sheet
from piql_profiler.predictor.sizes import Size
from piql_profiler.validation.compliance import samples_needed

from piql_backend.database.connection import aware, now
from piql_backend.deployments.schemas import DeployedQueryRead, DeploymentDetailRead
from piql_backend.deployments.service import Deployments
from piql_backend.executions.observations import Observations
from piql_backend.latency.all_unusual import AllUnusual
from piql_backend.latency.budgets import WINDOWS, budget_of
from piql_backend.latency.comparing import NOT_COMPARED, AtLimits, Comparing, Comparison
from piql_backend.latency.incidents import relied_on
from piql_backend.latency.loads import WEEKS as WEEKS_OF_LOAD
from piql_backend.latency.loads import loads_of
from piql_backend.latency.plans import Plans
from piql_backend.latency.repository import NO_COUNTS, ObservationTable, SloCounts, SloInterval
from piql_backend.latency.schemas import (
    ComplianceRead,
    IncidentRead,
    LatencyChartsRead,
    LatencyRead,
    MarkerRead,
    ObservedRead,
    OverLoadRead,
    OverSizeRead,
    QueryLatencyRead,
    UnusualQueriesRead,
    UnusualRead,
)
from piql_backend.latency.seen import SizeTotals, Span, Totals
from piql_backend.latency.shared_reads import SharedReads
from piql_backend.latency.sizes import classes_of, over_size
from piql_backend.latency.sources import Source
from piql_backend.latency.unusual import unusual_of
from piql_backend.predictions.questions import SizeEstimate
from piql_backend.prices.service import Prices, price_of_observed
from piql_backend.reports.widths import begin_of, width_for
from piql_backend.slos.repository import SloTable
from piql_backend.slos.schemas import SloRead
from piql_backend.web.errors import NotFound

STEPS = 60  # points of a series
MOST_MARKERS = 100
_NO_EXECUTIONS = Totals(0, 0, 0, 0, None, None, None, None, None, 0, 0)


@dataclass(frozen=True, slots=True)
class _Window:
    """What was counted in one window, by query.

    `executed` also names queries that ran by another plan only; `first_versions` are those since which each query has
    its plan. `recent` counts the windows of the burn rates, by their seconds. The window is `seconds` long.
    """

    executed: frozenset[str]
    totals: Mapping[str, Totals]
    comparisons: Mapping[str, Comparison]
    first_versions: Mapping[str, int]
    slos: Mapping[str, SloRead]
    counts: Mapping[str, SloCounts]
    recent: Mapping[str, Mapping[int, SloInterval]]
    incidents: Mapping[str, list[IncidentRead]]
    sheet: Sheet | None
    seconds: float

    def read(self, query: DeployedQueryRead) -> QueryLatencyRead:
        """All that the dashboard shows of one query."""
        totals = self.totals.get(query.name, _NO_EXECUTIONS)
        comparison = self.comparisons.get(query.name, NOT_COMPARED)
        slo, counts = self.slos.get(query.name), self.counts.get(query.name, NO_COUNTS)
        recent = self.recent.get(query.name, {})
        return QueryLatencyRead(
            query=query.name,
            executions=totals.executions,
            failures=totals.failures,
            observed=_observed(totals),
            predicted_p99_ms=query.predicted_p99_ms,
            predicted=comparison.predicted,
            agreement=comparison.agreement,
            sizes=comparison.sizes,
            predicted_compliance=comparison.compliance,
            plan_since=self.first_versions[query.name],
            slo=slo,
            compliance=None if slo is None else compliance_of(slo, counts),
            budget=None if slo is None else budget_of(slo.quantile, counts.whole, recent),
            bound_operations=query.operations,
            most_operations=totals.most_operations if totals.executions else None,
            price=price_of_observed(
                self.sheet,
                (totals.least_mean, totals.most_mean),
                totals.executions,
                self.seconds,
                writes=query.kind != "select",
            ),
            requests_over_bound=totals.over_bound,
            incidents=self.incidents.get(query.name, []),
            was_executed=query.name in self.executed,
        )


@dataclass(frozen=True, slots=True)
class SizesSeen:
    """The sizes of what ran of the queries of a deployment, with the estimates at the limits and by query and size."""

    sizes: Mapping[str, list[SizeTotals]]
    at_limits: AtLimits
    estimates: Mapping[tuple[str, Size], SizeEstimate | None]


NO_SIZES = SizesSeen({}, {}, {})


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
        prices: Prices,
    ) -> None:
        self._table = table
        self._slos = slos
        self._deployments = deployments
        self._observations = observations
        self._plans = plans
        self._comparing = comparing
        self._prices = prices
        self._shared = SharedReads[LatencyRead](table.version)
        self._shared_charts = SharedReads[LatencyChartsRead](table.version)
        self._shared_sizes = SharedReads[OverSizeRead](table.version)
        self._shared_unusual = SharedReads[UnusualRead](table.version)
        self._shared_loads = SharedReads[OverLoadRead](table.version)
        self._all_unusual = AllUnusual(table, observations.flush)

    def unusual(self, deployment_id: str, query: str, source: Source = "both") -> UnusualRead:
        """What is unusual of a query beside its own past; ApiError 404 for an unknown deployment or query."""
        deployment = self._deployments.read(deployment_id)
        if query not in {deployed.name for deployed in deployment.queries}:
            raise NotFound("unknown-query", f"{deployment.id} has no query {query[:60]}.")
        self._observations.flush()
        version = deployment.version
        asked = (deployment.id, query, source)
        return self._shared_unusual.read(asked, lambda: unusual_of(self._table, query, version, source))

    def all_unusual(self, deployment_id: str, source: Source = "both") -> UnusualQueriesRead:
        """Which queries are unlike their own past, by the last look at them; ApiError 404 for an unknown deployment."""
        return self._all_unusual.read(self._deployments.read(deployment_id), source)

    def all_unusual_now(self, deployment_id: str, source: Source = "both") -> UnusualQueriesRead:
        """The same by a look at the last hour, which may take seconds."""
        return self._all_unusual.looked(self._deployments.read(deployment_id), source)

    def read(self, deployment_id: str, window_seconds: float, source: Source = "both") -> LatencyRead:
        """Every query of a deployment over the last `window_seconds`, over the versions up to this one.

        Raises ApiError 404 for an unknown deployment.
        """
        deployment = self.deployment(deployment_id)
        sheet, _ = self._prices.sheet()
        asked = (deployment.id, window_seconds, source, sheet)
        return self._shared.read(asked, lambda: self._read(deployment, window_seconds, source, sheet))

    def _read(
        self, deployment: DeploymentDetailRead, window_seconds: float, source: Source, sheet: Sheet | None
    ) -> LatencyRead:
        version, width = deployment.version, width_for(window_seconds)
        since = begin_of(now() - timedelta(seconds=window_seconds), width)
        markers, span = self._versions(deployment, since)
        asked, source = source, self._narrowed(source, since)
        slos = {slo.query: slo for slo in self._slos.list()}
        with self._table.gathered(span, since, source, width) as seen:
            executed, totals = seen.queries(), seen.totals()
            comparisons = self._comparing.compare(deployment, seen, slos)
        window = _Window(
            executed,
            totals,
            comparisons,
            span.first,
            slos,
            counts=self._table.slo_counts(version, since, source, width),
            recent=self._table.slo_windows(version, WINDOWS, source),
            incidents=self._incidents(deployment, since, source, width),
            sheet=sheet,
            seconds=(now() - since).total_seconds(),
        )
        queries = [window.read(query) for query in deployment.queries]
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

    def deployment(self, deployment_id: str) -> DeploymentDetailRead:
        """A deployment, once all that ran until now is written; ApiError 404 for an unknown one."""
        deployment = self._deployments.read(deployment_id)
        self._observations.flush()
        return deployment

    def span(self, deployment: DeploymentDetailRead, window_seconds: float) -> tuple[Span, datetime]:
        """In which versions each query had its plan, and when a window that ends now begins: in UTC, without a zone."""
        since = begin_of(now() - timedelta(seconds=window_seconds), width_for(window_seconds))
        return self._versions(deployment, since)[1], since

    def sizes(
        self, deployment: DeploymentDetailRead, span: Span, since: datetime, window_seconds: float, source: Source
    ) -> SizesSeen:
        """The sizes that were observed of each query in a window, and what is predicted for them."""
        slos = {slo.query: slo for slo in self._slos.list()}
        with self._table.gathered(span, since, source, width_for(window_seconds)) as seen:
            sizes = seen.sizes()
        return SizesSeen(sizes, *self._comparing.estimated(deployment, sizes, slos))

    def charts(
        self, deployment_id: str, query: str, window_seconds: float, source: Source = "both"
    ) -> LatencyChartsRead:
        """Quantiles of a query over time, over all versions up to this one, and its times while it had its plan.

        Raises ApiError 404 for an unknown deployment, or a query that it does not have.
        """
        deployment = self.deployment(deployment_id)
        asked = (deployment.id, query, window_seconds, source)
        return self._shared_charts.read(asked, lambda: self._charts(deployment, query, window_seconds, source))

    def _charts(
        self, deployment: DeploymentDetailRead, query: str, window_seconds: float, source: Source
    ) -> LatencyChartsRead:
        since = now() - timedelta(seconds=window_seconds)
        _, span = self._versions(deployment, since)
        if query not in span.first:
            raise NotFound("unknown-query", f"{deployment.id} has no query {query[:60]}.")
        source = self._narrowed(source, since)
        step = max(1.0, window_seconds / STEPS)
        return LatencyChartsRead(
            series=self._table.series(query, deployment.version, since, step, source),
            histogram=self._table.histogram(query, span, since, source),
        )

    def over_load(self, deployment_id: str, query: str, source: Source = "both") -> OverLoadRead:
        """The p99 of a query over the load of the last weeks; ApiError 404 for an unknown deployment or query."""
        deployment = self.deployment(deployment_id)
        asked = (deployment.id, query, source)
        return self._shared_loads.read(asked, lambda: self._over_load(deployment, query, source))

    def _over_load(self, deployment: DeploymentDetailRead, query: str, source: Source) -> OverLoadRead:
        since = now() - timedelta(weeks=WEEKS_OF_LOAD)
        _, span = self._versions(deployment, since)
        if query not in span.first:
            raise NotFound("unknown-query", f"{deployment.id} has no query {query[:60]}.")
        return loads_of(self._table, query, span, self._narrowed(source, since))

    def over_size(self, deployment_id: str, query: str, window_seconds: float, source: Source = "both") -> OverSizeRead:
        """The p99 of a query by class of sizes, in a window; ApiError 404 for an unknown deployment or query."""
        deployment = self.deployment(deployment_id)
        asked = (deployment.id, query, window_seconds, source)
        return self._shared_sizes.read(asked, lambda: self._over_size(deployment, query, window_seconds, source))

    def _over_size(
        self, deployment: DeploymentDetailRead, query: str, window_seconds: float, source: Source
    ) -> OverSizeRead:
        span, since = self.span(deployment, window_seconds)
        if query not in span.first:
            raise NotFound("unknown-query", f"{deployment.id} has no query {query[:60]}.")
        of_query = Span(span.version, {query: span.first[query]})
        width = width_for(window_seconds)
        with self._table.gathered(of_query, since, self._narrowed(source, since), width) as seen:
            totals, times = classes_of(seen, query)
        slos = {slo.query: slo for slo in self._slos.list()}
        _, estimates = self._comparing.estimated(deployment, {query: totals}, slos)
        return over_size(query, totals, times, estimates)

    def _incidents(
        self, deployment: DeploymentDetailRead, since: datetime, source: Source, width: int
    ) -> Mapping[str, list[IncidentRead]]:
        """The incidents of each query, with what its plan relies on."""
        incidents = self._table.incidents(deployment.version, since, source, width)
        queries = self._plans.queries_of(deployment) if incidents else {}
        return {
            name: [
                incident.model_copy(update={"relied_on": list(relied_on(queries[name], incident.kind))})
                if name in queries and incident.kind != "over-bound"
                else incident
                for incident in of_query
            ]
            for name, of_query in incidents.items()
        }

    def _narrowed(self, source: Source, since: datetime) -> Source:
        """The source to read: where nothing was reported the workbench's alone, whose sizes need no classes."""
        oldest = min(since, now() - timedelta(seconds=max(WINDOWS)))  # that anything is counted from
        return "workbench" if source == "both" and not self._table.has_reports(oldest) else source

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


def compliance_of(slo: SloRead, counts: SloCounts) -> ComplianceRead:
    """Judge the intervals that have executions enough to show the SLO's quantile: 100 for the p99."""
    whole = counts.whole
    low, high = whole.share_interval() if whole.executions else (None, None)
    return ComplianceRead(
        share=counts.kept / counts.judged if counts.judged else None,
        kept=counts.kept,
        judged=counts.judged,
        too_few=counts.too_few,
        samples_needed=samples_needed(slo.quantile),
        executions=whole.executions,
        within=whole.kept,
        within_low=low,
        within_high=high,
    )


def _observed(totals: Totals) -> ObservedRead | None:
    if totals.p50_ms is None:
        return None
    return ObservedRead.model_validate(totals)
