"""Experiments: what each is about, how far it is, and what came of its last run."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from piql_backend.web.schemas import Read

ExperimentState = Literal["never-run", "running", "cancelling", "failed", "done"]
VerdictName = Literal["agrees", "disagrees", "undecidable"]


class ExperimentClaimRead(Read):
    """What a paper says, what was found here, and whether the two agree."""

    paper: str
    ours: str
    verdict: VerdictName


class ExperimentRead(Read):
    """An experiment; `verdict`, `claims`, `ended_at` and `seconds` are those of its last whole run, if there is one."""

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


class ExperimentResultRead(Read):
    """What the last run of an experiment found: `rows` have a value for each column."""

    how: str
    columns: list[str]
    rows: list[list[str | int | float | None]]
