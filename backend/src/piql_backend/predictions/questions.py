"""What other parts of the workbench ask a worker to predict: texts by their paths, and the run to predict from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from piql_profiler.predictor.sizes import Size
from piql_profiler.validation.compliance import PredictedShare

from piql_backend.predictions.schemas import EstimateRead


@dataclass(frozen=True, slots=True)
class ForAll:
    """The typical p99 of every query."""

    texts: Mapping[str, str]
    run_id: str


@dataclass(frozen=True, slots=True)
class ForQuantiles:
    """A quantile of each query that is named."""

    texts: Mapping[str, str]
    run_id: str
    quantiles: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ForSizes:
    """Executions of the queries that are named: at their limits, and for each of their sizes.

    `thresholds_ms` are those of the queries with an SLO.
    """

    texts: Mapping[str, str]
    run_id: str
    sizes: Mapping[str, list[Size]]
    thresholds_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class OperatorEstimate:
    """The p99 of one operator alone, in the profile's median and worst interval; its path has points between.

    `part_of_p99_ms` is its part of the query's p99 in the worst interval.
    """

    path: str
    typical_p99_ms: float
    worst_p99_ms: float
    part_of_p99_ms: float


@dataclass(frozen=True, slots=True)
class SizeEstimate:
    """What is predicted for executions of one size; `compliance` is None without a threshold."""

    p99: EstimateRead
    compliance: PredictedShare | None = None
    operators: tuple[OperatorEstimate, ...] = ()


@dataclass(frozen=True, slots=True)
class SizeEstimates:
    """The estimates for one query; what cannot be predicted is None, or left out."""

    at_limits: tuple[Size, SizeEstimate] | None = None
    by_size: Mapping[Size, SizeEstimate] = field(default_factory=dict)
