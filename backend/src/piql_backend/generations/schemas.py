"""Generations of rows: what is asked for, and what was made of each table."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from piql_backend.web.schemas import Read, Write

MOST_ROWS = 1_000_000  # of one table: a server makes them beside its other work

GenerationState = Literal["making", "loading", "made", "loaded", "stopped", "failed"]
Rows = Annotated[int, Field(ge=0, le=MOST_ROWS)]


class GenerationCreate(Write):
    """How many rows to make; a table that `rows_of` does not name gets more where a limit needs them to be full.

    With `full`, every group of every limit is filled for so many parents. The same `seed` gives the same rows.
    `null_share` is that of NULLs where they are allowed. With `dry_run` nothing is written; with `add`, tables may
    hold rows.
    """

    rows: Rows = 1000
    rows_of: dict[str, Rows] = Field(default_factory=dict, max_length=1000)
    full: int | None = Field(default=None, ge=1, le=100_000)
    seed: int = Field(default=0, ge=0, le=2**53)
    null_share: float = Field(default=0.1, ge=0, le=1)
    add: bool = False
    dry_run: bool = True


class GeneratedLimitRead(Read):
    """A limit, and how many rows its fullest group has."""

    columns: list[str]
    is_token: bool
    limit: int
    fullest: int


class GeneratedTableRead(Read):
    """What was made of a table: `asked` rows were to be made; `left_out` did not fit the rows that were there."""

    table: str
    rows: int
    asked: int
    bytes: int
    left_out: int
    limits: list[GeneratedLimitRead]


class GenerationRead(Read):
    """A generation: `rows_done` of `rows_asked` rows of `table` are made or in; `tables` are those that are done."""

    id: str
    state: GenerationState
    table: str | None
    rows_done: int
    rows_asked: int
    tables: list[GeneratedTableRead]
    message: str | None
