"""Load runs: what to call and how often, how far a run is, and what came of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from piql.compiler.result import QueryKind
from pydantic import Field

from piql_backend.web.schemas import Read, ShownLine, Write

LoadRunState = Literal["starting", "running", "cancelling", "cancelled", "stopped", "failed", "done"]
MixName = Literal["scadr", "tpcw-browsing", "tpcw-shopping", "tpcw-ordering"]
QueryName = Annotated[str, Field(min_length=1, max_length=200)]
Rate = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]


class LoadedQuery(Write):
    """A query to call, `weight` times as often as one of weight 1."""

    name: QueryName
    weight: float = Field(default=1.0, gt=0, le=1_000_000, allow_inf_nan=False)


class LoadMixRead(Read):
    """A mix of a sample application whose queries are all deployed, by name and weight."""

    name: MixName
    weights: dict[str, float]


class LoadOptionsRead(Read):
    """What whoever asks may choose: why they may start no run, null where they may, and the mixes that fit."""

    refusal: str | None
    mixes: list[LoadMixRead]


class LoadRunCreate(Write):
    """Asks for a load run.

    Without `queries` and `mix` it calls every query that reads, equally often. `rates` has the calls a second of each
    step; without them it is a closed loop: each connection makes its next call when its last one has ended. A threshold
    in `stop_if` ends the run, such as `p99 > 50ms`. `allow_writes` names the queries that write and that whoever asks
    has seen: a run that calls another one that writes is refused.
    """

    label: ShownLine | None = Field(default=None, max_length=200)
    queries: list[LoadedQuery] = Field(default_factory=list, max_length=200)
    mix: MixName | None = None
    rates: list[Rate] | None = Field(default=None, min_length=1, max_length=20)
    seconds: float = Field(default=30.0, ge=1, le=3600, allow_inf_nan=False)
    connections: int = Field(default=16, ge=1, le=64)
    clients: int = Field(default=1, ge=1, le=8)
    seed: int = Field(default=1, ge=0, le=2**31 - 1)
    stop_if: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(default_factory=list, max_length=20)
    allow_writes: list[QueryName] = Field(default_factory=list, max_length=200)


class LoadRunReport(Write):
    """A run that `piql load-test` carries out elsewhere, and reports: what it calls, and for how long in all."""

    label: ShownLine | None = Field(default=None, max_length=200)
    queries: list[LoadedQuery] = Field(min_length=1, max_length=200)
    rates: list[Rate] | None = Field(default=None, min_length=1, max_length=200)
    seconds: float = Field(gt=0, le=7 * 86_400, allow_inf_nan=False)
    seconds_total: float = Field(gt=0, le=7 * 86_400, allow_inf_nan=False)
    connections: int = Field(ge=1, le=1_000)
    clients: int = Field(ge=1, le=64)
    seed: int = Field(ge=0)
    stop_if: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(default_factory=list, max_length=20)


class LoadedQueryRead(Read):
    """A query that is called, beside what was promised and predicted of it when the run began.

    `predicted_p99_ms` is the prediction at the query's limits, as it was deployed; so smaller calls are faster.
    """

    name: str
    kind: QueryKind
    weight: float
    bound_operations: int
    predicted_p99_ms: float | None
    slo_quantile: float | None
    slo_threshold_ms: float | None


class LoadRunRead(Read):
    """A run and how far it is. `rates` is null for a closed loop; `started_by` is empty where nobody signs in.

    `message` says why it failed, or which threshold stopped it. With `has_result` what it measured can be read.
    `is_reported`: it is carried out elsewhere, by a command that reports it.
    """

    id: str
    label: str | None
    state: LoadRunState
    message: str | None
    started_by: str
    created_at: datetime
    ended_at: datetime | None
    deployment_id: str
    queries: list[LoadedQueryRead]
    rates: list[float] | None
    seconds: float
    connections: int
    clients: int
    seed: int
    stop_if: list[str]
    seconds_done: float
    seconds_total: float
    has_result: bool
    is_reported: bool = False


class QuerySecondRead(Read):
    """One query in one second: the calls that ended, those in an error, those refused; percentiles of the window."""

    query: str
    calls: int
    errors: int
    refused: int
    p50_ms: float | None
    p99_ms: float | None


class LoadSecondRead(Read):
    """One second of a run. Rates are calls a second; `asked` is null in a closed loop. `errors` include `refused`.

    The percentiles of the window are those of the last ten seconds. `computing` is the part of one processor that the
    busiest client took.
    """

    at: float
    asked: float | None
    done: float
    errors: int
    refused: int
    backlog: int
    p50_ms: float | None
    p99_ms: float | None
    window_p50_ms: float | None
    window_p99_ms: float | None
    computing: float
    queries: list[QuerySecondRead]


class LoadSecondsReport(Write):
    """Seconds of a run that is reported, in their order."""

    seconds: list[LoadSecondRead] = Field(max_length=3_600)


class LoadResultReport(Write):
    """What came of a run that is reported, as `piql load-test --out` writes it."""

    result: dict[str, Any]


class LoadStepRead(Read):
    """One step: its cells stand below the `columns` of the result."""

    heading: str
    rows: list[list[str]]
    remarks: list[str]


class LoadResultRead(Read):
    """What came of a run, in the words of `piql load-test`, and its seconds for charts."""

    heading: str
    endings: list[str]
    columns: list[str]
    steps: list[LoadStepRead]
    thresholds: list[str]
    timeline: list[LoadSecondRead]


class LoadComparisonRead(Read):
    """Two runs, in the words of `piql load-test --compare`: `stated` says how often a verdict is wrong."""

    columns: list[str]
    rows: list[list[str]]
    differences: list[str]
    stated: str
