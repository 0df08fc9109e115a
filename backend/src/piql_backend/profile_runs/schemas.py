"""Profile runs: what to measure, and how far it is."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from piql_backend.web.schemas import Read, ShownLine, Write

Level = Annotated[int, Field(ge=1, le=100_000)]
Levels = Annotated[list[Level], Field(max_length=50)]
RunState = Literal["queued", "starting", "running", "cancelling", "cancelled", "failed", "done"]


class GridLevels(Write):
    """A grid of the user's own: the levels of each dimension; a dimension that is left out is not measured."""

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
    """Asks for a profile run.

    `store_url` is `embedded:` for a new embedded store, or a cluster that the workbench was started with, without its
    password; null for the kind of store that the environment uses. With `refreshes`, the id of a stale run, only the
    stale operators of that run are measured, with its grid and intervals.
    """

    label: ShownLine | None = Field(default=None, max_length=200)
    interval_seconds: float = Field(default=30.0, gt=0, le=3600, allow_inf_nan=False)
    intervals: int = Field(default=3, ge=1, le=1000)
    grid: Literal["small", "default"] | GridLevels = "small"
    store_url: str | None = Field(default=None, max_length=500)
    refreshes: str | None = Field(default=None, max_length=100)


class ProfileRunImport(Write):
    """Asks for a run made of measurements from elsewhere: the text of an HdrHistogram log as a run's `log` has it.

    The measurements are taken to be of the kind of store that the environment uses.
    """

    label: ShownLine | None = Field(default=None, max_length=200)
    log: str = Field(min_length=1, max_length=4_500_000)


class ProfileSettingsRead(Read):
    """What the run measures, as it was asked for; passwords in the store's URL are left out.

    The grid of a run that was made of a log is called `imported`.
    """

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
    """How the store's p99 compares with the profile's, by the last look: `factor` times, within `low … high` (95 %).

    The last three looks agree on `stale_operators`; where there is none, the profile is not known to be stale.
    """

    looked_at: datetime
    looks: int
    factor: float
    low: float
    high: float
    stale_operators: list[str]


class ProfileRunRead(Read):
    """A run and how far it is; `message` says why it failed, and `operators_summary` is filled when it is done."""

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
