"""Compares executions with the prediction for their own size: the requests they made and the rows they returned.

sizes observed  →  estimates by workers, each asked for once  →  region of latencies that would be as predicted
                →  executions beyond its ends  →  verdict: as predicted, slower, faster, undecided

With an SLO, the share of executions within its threshold is compared in the same way (`promises.py`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Protocol, TypeAlias, TypeVar

from piql_profiler.predictor.sizes import Size
from piql_profiler.validation.agreement import ERROR, judge, region_of

from piql_backend.deployments.schemas import DeploymentDetailRead
from piql_backend.deployments.service import Deployments
from piql_backend.latency.promises import Promises
from piql_backend.latency.schemas import (
    AgreementRead,
    ComplianceAgreementRead,
    PredictedComplianceRead,
    PredictedRead,
    SizeRead,
)
from piql_backend.latency.seen import Exceeding, Seen, SizeRegion, SizeTotals
from piql_backend.predictions.by_workers import PredictionsByWorkers
from piql_backend.predictions.questions import SizeEstimate, SizeEstimates
from piql_backend.predictions.schemas import EstimateRead
from piql_backend.slos.schemas import SloRead
from piql_backend.web.errors import ApiError
from piql_backend.workers.pool import TOO_COSTLY

_ESTIMATES_KEPT = 10_000
_DEPLOYMENTS_KEPT = 100
_EstimateKey: TypeAlias = tuple[int, str, str, Size, float | None]  # version, run, query, size, the SLO's threshold
AtLimits: TypeAlias = Mapping[str, tuple[Size, SizeEstimate]]
_LimitsKey: TypeAlias = tuple[int, str, frozenset[tuple[str, float]]]  # version, run, thresholds by query
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Sized(Protocol):
    """Executions of sizes that count as one, from the least to the most."""

    @property
    def least_requests(self) -> int: ...

    @property
    def requests(self) -> int: ...

    @property
    def least_rows(self) -> int: ...

    @property
    def rows(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Comparison:
    """One query: the prediction at its limits, the sizes that were observed, and whether they agree with theirs."""

    predicted: PredictedRead | None = None
    agreement: AgreementRead | None = None
    sizes: list[SizeRead] = field(default_factory=list)
    compliance: PredictedComplianceRead | None = None


NOT_COMPARED = Comparison()


class Comparing:
    """Compares the queries of a deployment; estimates are kept, so that each size is predicted once."""

    def __init__(self, deployments: Deployments, predictions: PredictionsByWorkers) -> None:
        self._deployments = deployments
        self._predictions = predictions
        self._estimates: OrderedDict[_EstimateKey, SizeEstimate | None] = OrderedDict()
        self._at_limits: OrderedDict[_LimitsKey, AtLimits] = OrderedDict()

    def compare(
        self, deployment: DeploymentDetailRead, seen: Seen, slos: Mapping[str, SloRead]
    ) -> Mapping[str, Comparison]:
        """Compare each query of a deployment; nothing is predicted without its profile run."""
        observed = seen.sizes()
        at_limits, estimates = self.estimated(deployment, observed, slos)
        sizes = {
            name: [_size(total, estimates.get((name, largest_of(total)))) for total in totals]
            for name, totals in observed.items()
        }
        regions: list[SizeRegion] = []
        promises = Promises(slos)
        for name, totals in observed.items():
            for total in totals:
                smallest, largest = estimates.get((name, smallest_of(total))), estimates.get((name, largest_of(total)))
                if smallest is not None and largest is not None:
                    regions.append(_region(name, total, smallest.p99, largest.p99))
                    promises.add(name, total, smallest.compliance, largest.compliance)
        exceeding, compliance = seen.exceeding(regions), promises.judged(seen)
        return {
            query.name: Comparison(
                _predicted(at_limits.get(query.name)),
                _agreement(exceeding.get(query.name)),
                sizes.get(query.name, []),
                _compliance(at_limits.get(query.name), compliance.get(query.name)),
            )
            for query in deployment.queries
        }

    def estimated(
        self,
        deployment: DeploymentDetailRead,
        observed: Mapping[str, Sequence[Sized]],
        slos: Mapping[str, SloRead],
    ) -> tuple[AtLimits, Mapping[tuple[str, Size], SizeEstimate | None]]:
        """The estimates at the limits and for the sizes of each query; a worker is asked for new ones, all at once.

        None stands for a size that cannot be predicted. Sizes that nobody could be asked about now are left out.
        """
        version, run_id = deployment.version, deployment.run_id
        thresholds = {query.name: slos[query.name].threshold_ms for query in deployment.queries if query.name in slos}
        if run_id is None:
            return {}, {}
        wanted = {
            (name, size): (version, run_id, name, size, thresholds.get(name))
            for name, totals in observed.items()
            for total in totals
            for size in (largest_of(total), smallest_of(total))
        }
        estimates = {asked: self._estimates[key] for asked, key in wanted.items() if key in self._estimates}
        missing = [asked for asked in wanted if asked not in estimates]
        of_deployment = (version, run_id, frozenset(thresholds.items()))
        if not missing and of_deployment in self._at_limits:
            return self._at_limits[of_deployment], estimates
        sizes: dict[str, list[Size]] = {query.name: [] for query in deployment.queries}
        for name, size in missing:
            sizes.setdefault(name, []).append(size)
        answer = self._asked(deployment, run_id, sizes, thresholds)
        if answer is None:
            return self._at_limits.get(of_deployment, {}), estimates
        at_limits = {name: of_query.at_limits for name, of_query in answer.items() if of_query.at_limits is not None}
        _keep(self._at_limits, {of_deployment: at_limits}, _DEPLOYMENTS_KEPT)
        new = {(name, size): answer[name].by_size.get(size) if name in answer else None for name, size in missing}
        _keep(self._estimates, {wanted[asked]: estimate for asked, estimate in new.items()}, _ESTIMATES_KEPT)
        return at_limits, estimates | new

    def _asked(
        self,
        deployment: DeploymentDetailRead,
        run_id: str,
        sizes: Mapping[str, list[Size]],
        thresholds: Mapping[str, float],
    ) -> Mapping[str, SizeEstimates] | None:
        """Ask a worker; None where the run cannot be used now, empty where predicting costs more than is allowed."""
        texts = self._deployments.texts(deployment.version)
        try:
            return self._predictions.for_sizes(texts, sizes, thresholds, run_id)
        except ApiError as refusal:
            if refusal.status in (404, 409):
                return None
            if refusal.code == TOO_COSTLY:
                return {}
            raise


def _keep(kept: OrderedDict[_Key, _Value], new: Mapping[_Key, _Value], most: int) -> None:
    """Add to what is kept, and let the oldest go where it is too much."""
    kept.update(new)
    while len(kept) > most:
        kept.popitem(last=False)


def _predicted(at_limits: tuple[Size, SizeEstimate] | None) -> PredictedRead | None:
    if at_limits is None:
        return None
    size, estimate = at_limits
    return PredictedRead(requests=size.requests, rows=size.rows, **estimate.p99.model_dump())


def _compliance(
    at_limits: tuple[Size, SizeEstimate] | None, agreement: ComplianceAgreementRead | None
) -> PredictedComplianceRead | None:
    share = None if at_limits is None or at_limits[1].compliance is None else at_limits[1].compliance.share
    return (
        None if share is None and agreement is None else PredictedComplianceRead(at_limits=share, agreement=agreement)
    )


def smallest_of(totals: Sized) -> Size:
    """The smallest size of those that count as one."""
    return Size(totals.least_requests, totals.least_rows)


def largest_of(totals: Sized) -> Size:
    """The largest size of those that count as one."""
    return Size(totals.requests, totals.rows)


def _size(totals: SizeTotals, predicted: SizeEstimate | None) -> SizeRead:
    return SizeRead(
        least_requests=totals.least_requests,
        requests=totals.requests,
        least_rows=totals.least_rows,
        rows=totals.rows,
        executions=totals.executions,
        p99_ms=totals.p99_ms,
        predicted=None if predicted is None else predicted.p99,
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
