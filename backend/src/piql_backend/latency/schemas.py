"""Observed latencies beside predicted ones."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from piql_backend.latency.sources import Source
from piql_backend.predictions.schemas import EstimateRead
from piql_backend.prices.schemas import ObservedPriceRead
from piql_backend.slos.schemas import SloRead
from piql_backend.web.schemas import Read


class ObservedRead(Read):
    """Quantiles of the executions in the window; the confidence interval (95 %) is null where there are too few."""

    p50_ms: float
    p99_ms: float
    p999_ms: float
    p99_low_ms: float | None
    p99_high_ms: float | None


class ComplianceRead(Read):
    """Intervals of the SLO in the window: `share` is `kept / judged`, null where no interval is judged.

    An interval with fewer than `samples_needed` executions is counted in `too_few` and not judged. Of all `executions`,
    `within` kept the threshold; the share of them lies with 95 % between `within_low` and `within_high`, which are null
    where nothing was executed. Executions whose reported bucket holds the threshold may be among them.
    """

    share: float | None
    kept: int
    judged: int
    too_few: int
    samples_needed: int
    executions: int
    within: int
    within_low: float | None
    within_high: float | None


class BurnRead(Read):
    """How fast the budget is used: the rates of two windows that end now, null where nothing was executed in one.

    `is_burning`: both are at `factor` or over, and the longer one, which has executions enough, is over 1 by a test.
    """

    long_seconds: int
    short_seconds: int
    factor: float
    long_rate: float | None
    short_rate: float | None
    is_burning: bool


class BudgetRead(Read):
    """The error budget of an SLO: `left` of what it allows in the window, below 0 when more is used; null for none."""

    left: float | None
    burns: list[BurnRead]


class LatencyPointRead(Read):
    """The executions of one step of time, which begins `at`."""

    at: datetime
    p50_ms: float
    p99_ms: float
    p999_ms: float
    count: int


class HistogramBinRead(Read):
    """How many executions took from `ms_low` to below `ms_high`."""

    ms_low: float
    ms_high: float
    count: int


class PredictedRead(EstimateRead):
    """The prediction for executions that make `requests` requests and give `rows` rows, as at the query's limits."""

    requests: int
    rows: int


class SizeRead(Read):
    """Executions that made `requests` requests and returned `rows` rows; `predicted` is for that size, null for none.

    Where reports of applications are read, a class of sizes: from the least to `requests` and `rows`, the most.
    `p99_ms` is that of the executions; of fewer than 100 it is the slowest.
    """

    least_requests: int
    requests: int
    least_rows: int
    rows: int
    executions: int
    p99_ms: float
    predicted: EstimateRead | None


class AgreementRead(Read):
    """Whether the executions whose size was predicted were as predicted: an exact binomial test.

    `error` is how often at most a verdict is wrong. `needed` is about how many executions decide where these do not.
    """

    outcome: Literal["too few", "slower", "faster", "agrees", "undecided"]
    executions: int
    needed: int | None
    error: float


class ComplianceAgreementRead(Read):
    """Whether executions kept the SLO's threshold as often as predicted for their sizes: an exact binomial test.

    These are the `executions` since the query's plan last changed that did not fail and whose size is predicted. Of
    them `within` took at most the threshold, a share that lies with 95 % between `within_low` and `within_high`.

    `predicted` is the share for the sizes that they had. Of a class of sizes only the ends are known: it is that if all
    had the largest size, and `predicted_most` that if all had the smallest. A true share from `least` to `most` counts
    as predicted. A verdict is wrong in at most `error` of cases. `needed` is how many executions are the fewest that
    can show agreement; null where these decide.
    """

    outcome: Literal["too few", "worse", "better", "agrees", "undecided"]
    executions: int
    within: int
    within_low: float
    within_high: float
    predicted: float
    predicted_most: float
    least: float
    most: float
    needed: int | None
    error: float


class PredictedComplianceRead(Read):
    """The predicted share of executions within the SLO's threshold, and whether it is so.

    `at_limits` is for executions at the query's limits, `agreement` for those that ran. Each is null where nothing is
    predicted, or nothing ran that could be.
    """

    at_limits: float | None
    agreement: ComplianceAgreementRead | None


class IncidentRead(Read):
    """Executions of one query by `source` that found what must not be.

    `over-bound`: they made more requests than the bound. `limit-passed`: a group had more rows than its CARDINALITY
    LIMIT allows, so rows were left out. `dangling-entry`: an index entry led to no record. `relied_on` are the limits
    that the plan relies on, or the tables whose entries it follows.
    `since` is when the first of the window began: to the minute, the hour or the day, where it was reported.
    """

    kind: Literal["over-bound", "limit-passed", "dangling-entry"]
    source: Literal["workbench", "applications"]
    relied_on: list[str]
    executions: int
    versions: list[int]
    since: datetime


class QueryLatencyRead(Read):
    """One query since its plan last changed.

    Only `compliance`, `budget`, `incidents` and `was_executed` are of all versions up to this one.

    `plan_since` is the first version in the window with this plan, or the one that was live when the window began.
    `observed` is null before the first execution in the window. `agreement` is null where no execution had a size that
    can be predicted. `sizes` are the commonest. `predicted_compliance` is null without an SLO, and where nothing is
    predicted. `predicted` is null where the profile run is gone; `predicted_p99_ms` was stored with the deployment.
    `price` is null where nothing ran, without a sheet of prices, and where requests do not tell it.
    """

    query: str
    executions: int
    failures: int
    observed: ObservedRead | None
    predicted_p99_ms: float | None
    predicted: PredictedRead | None
    agreement: AgreementRead | None
    sizes: list[SizeRead]
    predicted_compliance: PredictedComplianceRead | None
    plan_since: int
    slo: SloRead | None
    compliance: ComplianceRead | None
    budget: BudgetRead | None
    bound_operations: int
    most_operations: int | None
    price: ObservedPriceRead | None
    requests_over_bound: int
    incidents: list[IncidentRead]
    was_executed: bool


class LatencyChartsRead(Read):
    """One query over time: `series` over all versions, `histogram` since its plan last changed."""

    series: list[LatencyPointRead]
    histogram: list[HistogramBinRead]


class AnomalyRead(Read):
    """What is unusual of a query over the last `hours`, beside the same hours of earlier weeks.

    For `p50` and `p99`, the share `observed` of `executions` took longer than `limit_ms`, where `usual` is usual, of
    the sizes from the least to `requests` and `rows`. For `errors` it is the share that failed, for `executions` those
    an hour.
    """

    measure: Literal["p50", "p99", "errors", "executions"]
    hours: int
    observed: float
    usual: float
    executions: int
    limit_ms: float | None
    least_requests: int | None
    requests: int | None
    least_rows: int | None
    rows: int | None


class UnusualRead(Read):
    """A query beside its own past of `weeks` weeks, up to the last whole hour.

    Nothing is said before `hours_known` hours with executions are `hours_needed`.
    """

    until: datetime
    hours_known: int
    hours_needed: int
    weeks: int
    anomalies: list[AnomalyRead]


class MarkerRead(Read):
    """A deployment in the window; `changed` are the queries with another plan than before, and the new ones."""

    version: int
    at: datetime
    changed: list[str]


class LatencyRead(Read):
    """All queries of the deployment, the busiest first.

    `source` says whose executions are counted: those that the workbench made, that applications reported, or both.

    A window of over two hours begins at the begin of an hour, one of over a day at the begin of a day, in UTC.
    `markers` are the deployments in the window, the oldest first; where there were over 100, the newest of them.
    `observed_since` is when observing began anew in the window, because what was observed before is lost; else null.
    """

    deployment_id: str
    window_seconds: float
    source: Source
    run_id: str | None
    model: str | None
    markers: list[MarkerRead]
    observed_since: datetime | None
    queries: list[QueryLatencyRead]
    updated_at: datetime


class UnusualQueryRead(Read):
    """A query whose last hours are unlike its own past."""

    query: str
    anomalies: list[AnomalyRead]


class UnusualQueriesRead(Read):
    """The queries of a version that are unlike their own past, in the hours up to `until`; null before the first look.

    All queries together are called unusual by chance as often as one is that is looked at alone.
    """

    until: datetime | None
    queries: list[UnusualQueryRead]


class SizeClassRead(Read):
    """Executions whose sizes are of one class, from the least to the most `requests` and `rows`, and their p99.

    The p99 is null for fewer executions than show one. It lies with 95 % between `p99_low_ms` and `p99_high_ms`; an end
    is null where the executions are too few for it. `predicted_least` is for the smallest size of the class,
    `predicted` for the largest; each is null where nothing is predicted for it.
    """

    least_requests: int
    requests: int
    least_rows: int
    rows: int
    executions: int
    p99_ms: float | None
    p99_low_ms: float | None
    p99_high_ms: float | None
    predicted_least: EstimateRead | None
    predicted: EstimateRead | None


class OverSizeRead(Read):
    """The p99 of a query over the size of what it read, the smallest class of sizes first.

    `samples_needed` is how many executions of a class show its p99. Of more than 40 classes, those that ran most.
    """

    samples_needed: int
    classes: list[SizeClassRead]


class LoadedHourRead(Read):
    """The hour that begins `at`: the executions of all queries in it, and the p99 of one."""

    at: datetime
    load: int
    p99_ms: float


class OverLoadRead(Read):
    """Whether the p99 of a query is independent of the load, of the sizes that ran most: up to `requests` and `rows`.

    `ratio` is the p99 of the third of the hours with the most load by that of the third with the least, with its
    interval (95 %), and `ratio_of_loads` the same of the loads; null where it is not judged.
    """

    outcome: Literal["independent", "grows", "falls", "undecided", "too few", "even load"]
    days: int
    days_needed: int
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    ratio_of_loads: float | None
    requests: int
    rows: int
    hours: list[LoadedHourRead]
