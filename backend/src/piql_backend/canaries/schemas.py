"""Canaries: what is tried, on which share of the executions, and how it compares with the live version."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from piql_backend.deployments.schemas import Version
from piql_backend.web.schemas import Read, Write

Share = Annotated[float, Field(ge=0, le=1)]
Why = Annotated[str, Field(max_length=2_000)]
Stage = Literal["building", "made", "open", "closing"]
Act = Literal["began", "share", "promoted", "withdrawn"]
Difference = Literal["too few", "worse", "better", "no difference shown"]


class ThresholdsWrite(Write):
    """When the workbench withdraws by itself; null: never for that reason.

    `errors_percent`: more executions of the tried version fail. `burn`: a query breaks its SLO so many times as often
    as the SLO allows. Either has passed once chance does not explain it.
    """

    errors_percent: Annotated[float, Field(gt=0, lt=100)] | None = None
    burn: Annotated[float, Field(ge=1, le=1_000)] | None = None


class ThresholdsRead(Read):
    errors_percent: float | None
    burn: float | None


class ShareWrite(Write):
    """Another share, from 0 to 1, for `version`, which the reader saw as the one that is tried."""

    version: Version
    share: Share
    why: Why = ""


class DecisionWrite(Write):
    """Promotes or withdraws `version`, which the reader saw as the one that is tried."""

    version: Version
    why: Why = ""


class CanaryEventRead(Read):
    """What was decided; `person` is null where nobody signs in, and where the workbench or a program decided."""

    version: int
    made_at: datetime
    person: str | None
    act: Act
    share: float
    why: str


class SideRead(Read):
    """The executions of one query in one version. `kept` is the share that kept the query's SLO; null without one."""

    executions: int
    failures: int
    p99_ms: float | None
    most_requests: int | None
    kept: float | None


class VerdictRead(Read):
    """What the last look has shown of a query: whether the tried version is worse than the live one."""

    p99: Difference
    errors: Difference
    requests: Difference


class ComparedRead(Read):
    """One query in both versions; `live` is null for a query that only the tried version has.

    `burn` says how many times as often as its SLO allows the tried version breaks it; null without an SLO.
    """

    query: str
    live: SideRead | None
    tried: SideRead
    verdict: VerdictRead
    slo_quantile: float | None
    slo_ms: float | None
    burn: float | None


class LooksRead(Read):
    """The looks so far: a wrong verdict in any of them has a probability of at most `error`.

    The next one is due at `next_at` executions of the tried version since it got its share.
    """

    count: int
    next_at: int
    error: float


class CanaryRead(Read):
    """What is tried now. `version` is its number, `base_version` the live one; executions are those since `since`.

    `request` is the number of its deploy request, null for a version that came otherwise.
    """

    version: int
    base_version: int
    request: int | None
    stage: Stage
    share: float
    since: datetime | None
    thresholds: ThresholdsRead
    queries: list[ComparedRead]
    looks: LooksRead
    events: list[CanaryEventRead]
