"""Holds executions against the prediction for their own size: the requests they made and the rows they gave."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from piql.compilation import CompiledQuery
from piql_profiler.agreement import ERROR, judge, region_of
from piql_profiler.predictor.sizes import Size

from piql_backend.deployments.schemas import DeploymentDetailRead
from piql_backend.errors import ApiError
from piql_backend.latency.plans import Plans
from piql_backend.latency.repository import Exceeding, ObservationTable, SizeRegion, SizeTotals, Span
from piql_backend.latency.schemas import AgreementRead, PredictedRead, SizeRead
from piql_backend.predictions.schemas import EstimateRead
from piql_backend.predictions.service import Predictions

_ESTIMATES_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """One query: what is predicted at its limits, the sizes that were seen, and whether these were as predicted."""

    predicted: PredictedRead | None = None
    agreement: AgreementRead | None = None
    sizes: list[SizeRead] = field(default_factory=list)


NOT_COMPARED = Comparison()


class Comparing:
    """Predicts sizes of executions, each once."""

    def __init__(self, table: ObservationTable, plans: Plans, predictions: Predictions) -> None:
        self._table = table
        self._plans = plans
        self._predictions = predictions
        self._estimates: OrderedDict[tuple[int, str, str, Size], EstimateRead | None] = OrderedDict()

    def compare(self, deployment: DeploymentDetailRead, span: Span, since: datetime) -> Mapping[str, Comparison]:
        """Compare each query of a deployment; nothing is predicted without its profile run."""
        queries = self._plans.queries_of(deployment) if self._has_model(deployment) else {}
        seen = self._table.sizes(span, since)
        sizes = {
            name: [self._size(deployment, queries.get(name), size) for size in totals] for name, totals in seen.items()
        }
        regions = [_region(name, size) for name, those in sizes.items() for size in those if size.predicted is not None]
        exceeding = self._table.exceeding(span, since, regions)
        return {
            query.name: Comparison(
                self._at_limits(deployment, queries.get(query.name)),
                _agreement(exceeding.get(query.name)),
                sizes.get(query.name, []),
            )
            for query in deployment.queries
        }

    def _has_model(self, deployment: DeploymentDetailRead) -> bool:
        if deployment.run_id is None:
            return False
        try:
            self._predictions.model(deployment.run_id)
        except ApiError:
            return False
        return True

    def _at_limits(self, deployment: DeploymentDetailRead, query: CompiledQuery | None) -> PredictedRead | None:
        if query is None or deployment.run_id is None:
            return None
        size = self._predictions.size_at_limits(query, deployment.run_id)
        estimate = None if size is None else self._estimate(deployment, query, size)
        if size is None or estimate is None:
            return None
        return PredictedRead(requests=size.requests, rows=size.rows, **estimate.model_dump())

    def _size(self, deployment: DeploymentDetailRead, query: CompiledQuery | None, totals: SizeTotals) -> SizeRead:
        size = Size(totals.requests, totals.rows)
        return SizeRead(
            requests=totals.requests,
            rows=totals.rows,
            executions=totals.executions,
            p99_ms=totals.p99_ms,
            predicted=None if query is None else self._estimate(deployment, query, size),
        )

    def _estimate(self, deployment: DeploymentDetailRead, query: CompiledQuery, size: Size) -> EstimateRead | None:
        if deployment.run_id is None:
            return None
        key = (deployment.version, query.name, deployment.run_id, size)
        if key not in self._estimates:
            self._estimates[key] = self._predictions.estimate_at(query, deployment.run_id, size)
            while len(self._estimates) > _ESTIMATES_KEPT:
                self._estimates.popitem(last=False)
        return self._estimates[key]


def _region(query: str, size: SizeRead) -> SizeRegion:
    predicted = size.predicted
    assert predicted is not None
    careful = predicted.worst_p99_ms if predicted.conservative_p99_ms is None else predicted.conservative_p99_ms
    region = region_of(predicted.typical_p99_ms, careful)
    return SizeRegion(query, size.requests, size.rows, region.low, region.high)


def _agreement(exceeding: Exceeding | None) -> AgreementRead | None:
    if exceeding is None:
        return None
    verdict = judge(exceeding.executions, exceeding.over_low, exceeding.over_high)
    return AgreementRead(outcome=verdict.outcome, executions=verdict.executions, needed=verdict.needed, error=ERROR)
