"""Profile runs: what to measure, and how far it is."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from piql_backend.schema import Read, Write

Level = Annotated[int, Field(ge=1, le=100_000)]
Levels = Annotated[list[Level], Field(max_length=50)]
RunState = Literal["queued", "starting", "running", "cancelling", "cancelled", "failed", "done"]


class GridLevels(Write):
    """A grid of one's own: the levels of each dimension; a dimension left out is not measured."""

    row_bytes: Annotated[list[Level], Field(min_length=1, max_length=50)]
    columns: Levels = Field(default_factory=lambda: [1])
    scan_rows: Levels = Field(default_factory=list)
    fk_child_rows: Levels = Field(default_factory=list)
    sorted_child_rows: Levels = Field(default_factory=list)
    sorted_rows: Levels = Field(default_factory=list)
    forward_child_rows: Levels = Field(default_factory=list)
    forward_rows: Levels = Field(default_factory=list)
    dereference_child_rows: Levels = Field(default_factory=list)
    write_entries: Annotated[list[Annotated[int, Field(ge=0, le=1_000)]], Field(default_factory=list, max_length=50)]
    limit_groups: Levels = Field(default_factory=list)
    limit_rows: Levels = Field(default_factory=list)
    reference_looks: Levels = Field(default_factory=list)


class ProfileRunCreate(Write):
    """`store_url` null: the kind of store that the workbench runs on; else `embedded:` for a new one, or a cluster that
    the workbench was started with, without its password.

    With `refreshes`, the id of a stale run, only what is stale of that run is measured, with its grid and intervals.
    """

    label: str | None = Field(default=None, max_length=200)
    interval_seconds: float = Field(default=30.0, gt=0, le=3600, allow_inf_nan=False)
    intervals: int = Field(default=3, ge=1, le=1000)
    grid: Literal["small", "default"] | GridLevels = "small"
    store_url: str | None = Field(default=None, max_length=500)
    refreshes: str | None = Field(default=None, max_length=100)


class ProfileSettingsRead(Read):
    """What the run measures, as it was asked for; passwords in the store's URL are left out."""

    grid: str
    levels: GridLevels | None
    interval_seconds: float
    intervals: int
    store_url: str


class OperatorSummaryRead(Read):
    """What was measured of one operator, all its points together."""

    operator: str
    points: int
    samples: int
    p50_ms: float
    p99_ms: float


class DriftRead(Read):
    """How p99 on the store compares with the profile, by the last look: `factor` times, in `low … high` (95 %).

    `stale_operators` are those that the last three looks agree on; without any the profile is not known to be stale.
    """

    looked_at: datetime
    looks: int
    factor: float
    low: float
    high: float
    stale_operators: list[str]


class ProfileRunRead(Read):
    id: str
    label: str | None
    state: RunState
    progress: float = Field(ge=0, le=1)
    points_done: int
    points_total: int
    eta_seconds: float | None
    message: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    settings: ProfileSettingsRead
    operators_summary: list[OperatorSummaryRead]
    drift: DriftRead | None = None
