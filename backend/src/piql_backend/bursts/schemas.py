"""Bursts: many executions of one query."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from piql_backend.web.schemas import Read, Write


class BurstCreate(Write):
    """A burst of a query that writes changes the data, so it has to be allowed."""

    deployment_id: str = Field(max_length=100)
    query: str = Field(max_length=200)
    executions: int = Field(default=200, ge=1, le=5000)
    concurrency: int = Field(default=4, ge=1, le=16)
    allow_writes: bool = False


class BurstErrorRead(Read):
    """Executions that ended in the same error; `message` is the first one's."""

    code: str
    count: int
    message: str


class ParameterSourceRead(Read):
    """Where the values of a parameter come from, in a sentence."""

    parameter: str
    source: str


class BurstRead(Read):
    """`done` counts all executions that ended, those with an error too."""

    id: str
    deployment_id: str
    query: str
    state: Literal["running", "done", "cancelled", "failed"]
    executions: int
    concurrency: int
    done: int
    total: int
    errors: list[BurstErrorRead]
    p50_ms: float | None
    p99_ms: float | None
    executions_per_second: float | None
    parameter_sources: list[ParameterSourceRead]
    message: str | None
    started_at: datetime
    ended_at: datetime | None
