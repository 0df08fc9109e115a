"""Experiments: what each is about, how far it is, and what came of its last run."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from piql_backend.web.schemas import Read, Write

ExperimentState = Literal["never-run", "running", "cancelling", "failed", "done"]
VerdictName = Literal["agrees", "disagrees", "undecidable"]


class ExperimentClaimRead(Read):
    """What a paper says, what was found here, and whether the two agree."""

    paper: str
    ours: str
    verdict: VerdictName


class ExperimentRead(Read):
    """An experiment; `verdict`, `claims`, `ended_at`, `seconds` and `store` are those of its last whole run, if any.

    `store` is the address of the store that it was told to run on; `not_on_stores` says why it takes none.
    """

    name: str
    paper: str
    title: str
    about: str
    minutes: float
    state: ExperimentState
    message: str | None
    verdict: VerdictName | None
    claims: list[ExperimentClaimRead]
    ended_at: datetime | None
    seconds: float | None
    has_figure: bool
    store: str | None
    not_on_stores: str | None


class ExperimentStoreRead(Read):
    """A store to run experiments on: `embedded`, or that of an environment, by the application and its own id."""

    id: str
    title: str
    address: str


class ExperimentRunCreate(Write):
    """`run_on` is the id of a store; without one it runs on embedded and simulated ones, as for the papers' figures."""

    run_on: str | None = Field(default=None, max_length=200, pattern=r"^(embedded|[a-z0-9_.-]+/[a-z0-9_.-]+)$")


class ExperimentResultRead(Read):
    """What the last run of an experiment found: `rows` have a value for each column."""

    how: str
    columns: list[str]
    rows: list[list[str | int | float | None]]
