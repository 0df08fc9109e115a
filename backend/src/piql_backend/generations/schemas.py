"""Generations of rows: what is asked for, and what was made of each table."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from piql_backend.web.schemas import Read, Write

MOST_ROWS = 1_000_000  # of one table: a server makes them beside its other work

GenerationState = Literal["making", "loading", "made", "loaded", "stopped", "failed"]
Rows = Annotated[int, Field(ge=0, le=MOST_ROWS)]


class GenerationCreate(Write):
    """How many rows to make of each table.

    `rows_of` says it by table; every other table gets `rows`, or more where filling the groups of a limit needs more.
    With `full`, that many parents get all the rows that each limit allows, and `rows` does not count. The same `seed`
    gives the same rows. `null_share` is the share of NULLs in columns that allow them. With `dry_run` nothing is
    written. With `add`, rows may be added to tables that hold some.
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
    """The rows made for a table: of `asked`, `left_out` were dropped because a row that is there forbids them."""

    table: str
    rows: int
    asked: int
    bytes: int
    left_out: int
    limits: list[GeneratedLimitRead]


class GenerationRead(Read):
    """The progress of a generation.

    A dry run is `making` and then `made`; otherwise it is `loading` and then `loaded`. `rows_done` of `rows_asked` rows
    of `table`, the table at work, are made or loaded. `tables` are the finished ones.
    """

    id: str
    state: GenerationState
    table: str | None
    rows_done: int
    rows_asked: int
    tables: list[GeneratedTableRead]
    message: str | None
