"""Compares executions with the prediction for their own size: the requests they made and the rows they returned.

sizes observed  →  estimates by workers, each asked for once  →  region of latencies that would be as predicted
                →  executions beyond its ends  →  verdict: as predicted, slower, faster, undecided
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import TypeAlias

from piql_profiler.predictor.sizes import Size
from piql_profiler.validation.agreement import ERROR, judge, region_of

from piql_backend.deployments.schemas import DeploymentDetailRead
from piql_backend.deployments.service import Deployments
from piql_backend.latency.schemas import AgreementRead, PredictedRead, SizeRead
from piql_backend.latency.seen import Exceeding, Seen, SizeRegion, SizeTotals
from piql_backend.predictions.by_workers import PredictionsByWorkers
from piql_backend.predictions.questions import SizeEstimates
from piql_backend.predictions.schemas import EstimateRead
from piql_backend.web.errors import ApiError
from piql_backend.workers.pool import TOO_COSTLY

_ESTIMATES_KEPT = 10_000
_EstimateKey: TypeAlias = tuple[int, str, str, Size]  # version, run, query and size


@dataclass(frozen=True, slots=True)
class Comparison:
    """One query: the prediction at its limits, the sizes that were observed, and whether they agree with theirs."""

    predicted: PredictedRead | None = None
    agreement: AgreementRead | None = None
    sizes: list[SizeRead] = field(default_factory=list)


NOT_COMPARED = Comparison()


class Comparing:
    """Compares the queries of a deployment; estimates are kept, so that each size is predicted once."""

    def __init__(self, deployments: Deployments, predictions: PredictionsByWorkers) -> None:
        self._deployments = deployments
        self._predictions = predictions
        self._estimates: OrderedDict[_EstimateKey, EstimateRead | None] = OrderedDict()
        self._at_limits: dict[tuple[int, str], Mapping[str, PredictedRead]] = {}

    def compare(self, deployment: DeploymentDetailRead, seen: Seen) -> Mapping[str, Comparison]:
        """Compare each query of a deployment; nothing is predicted without its profile run."""
        observed = seen.sizes()
        estimates = self._estimated(deployment, observed)
        sizes = {
            name: [_size(total, estimates.get((name, _largest(total)))) for total in totals]
            for name, totals in observed.items()
        }
        regions = [
            _region(name, total, smallest, largest)
            for name, totals in observed.items()
            for total in totals
            if (smallest := estimates.get((name, _smallest(total)))) is not None
            and (largest := estimates.get((name, _largest(total)))) is not None
        ]
        exceeding = seen.exceeding(regions)
        at_limits = self._at_limits.get((deployment.version, deployment.run_id or ""), {})
        return {
            query.name: Comparison(
                at_limits.get(query.name), _agreement(exceeding.get(query.name)), sizes.get(query.name, [])
            )
            for query in deployment.queries
        }

    def _estimated(
        self, deployment: DeploymentDetailRead, observed: Mapping[str, Sequence[SizeTotals]]
    ) -> Mapping[tuple[str, Size], EstimateRead | None]:
        """The estimates for the sizes of each query; a worker is asked for those that are new, all at once.

        None stands for a size that cannot be predicted. Sizes that nobody could be asked about now are left out.
        """
        version, run_id = deployment.version, deployment.run_id
        if run_id is None:
            return {}
        wanted = [
            (name, size)
            for name, totals in observed.items()
            for total in totals
            for size in dict.fromkeys((_largest(total), _smallest(total)))
        ]
        estimates = {
            (name, size): self._estimates[version, run_id, name, size]
            for name, size in wanted
            if (version, run_id, name, size) in self._estimates
        }
        missing = [key for key in wanted if key not in estimates]
        if not missing and (version, run_id) in self._at_limits:
            return estimates
        sizes: dict[str, list[Size]] = {query.name: [] for query in deployment.queries}
        for name, size in missing:
            sizes.setdefault(name, []).append(size)
        answer = self._asked(deployment, run_id, sizes)
        if answer is None:
            return estimates
        self._at_limits[version, run_id] = {
            name: _predicted(*of_query.at_limits) for name, of_query in answer.items() if of_query.at_limits is not None
        }
        for name, size in missing:
            estimate = answer[name].by_size.get(size) if name in answer else None
            estimates[name, size] = self._estimates[version, run_id, name, size] = estimate
        while len(self._estimates) > _ESTIMATES_KEPT:
            self._estimates.popitem(last=False)
        return estimates

    def _asked(
        self, deployment: DeploymentDetailRead, run_id: str, sizes: Mapping[str, list[Size]]
    ) -> Mapping[str, SizeEstimates] | None:
        """Ask a worker; None where the run cannot be used now, empty where predicting costs more than is allowed."""
        texts = self._deployments.texts(deployment.version)
        try:
            return self._predictions.for_sizes(texts, sizes, run_id)
        except ApiError as refusal:
            if refusal.status in (404, 409):
                return None
            if refusal.code == TOO_COSTLY:
                return {}
            raise


def _predicted(size: Size, estimate: EstimateRead) -> PredictedRead:
    return PredictedRead(requests=size.requests, rows=size.rows, **estimate.model_dump())


def _smallest(totals: SizeTotals) -> Size:
    return Size(totals.least_requests, totals.least_rows)


def _largest(totals: SizeTotals) -> Size:
    return Size(totals.requests, totals.rows)


def _size(totals: SizeTotals, predicted: EstimateRead | None) -> SizeRead:
    return SizeRead(
        least_requests=totals.least_requests,
        requests=totals.requests,
        least_rows=totals.least_rows,
        rows=totals.rows,
        executions=totals.executions,
        p99_ms=totals.p99_ms,
        predicted=predicted,
    )


def _region(query: str, totals: SizeTotals, smallest: EstimateRead, largest: EstimateRead) -> SizeRegion:
    """The latencies within which executions are as predicted: from those of the smallest size to the largest's.

    So executions of a class are called slower only where they are for its largest size, and faster for its smallest;
    and as predicted only where they are for both.
    """
    regions = [
        region_of(
            estimate.typical_p99_ms,
            estimate.worst_p99_ms if estimate.conservative_p99_ms is None else estimate.conservative_p99_ms,
        )
        for estimate in (smallest, largest)
    ]
    lows, highs = [region.low for region in regions], [region.high for region in regions]
    return SizeRegion(query, totals.requests_key, totals.rows_key, min(lows), max(highs), max(lows), min(highs))


def _agreement(exceeding: Exceeding | None) -> AgreementRead | None:
    if exceeding is None:
        return None
    verdict = judge(*astuple(exceeding))
    return AgreementRead(outcome=verdict.outcome, executions=verdict.executions, needed=verdict.needed, error=ERROR)
