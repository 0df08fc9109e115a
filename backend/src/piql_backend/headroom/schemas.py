"""How full the groups of each limit are, and what another limit costs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, JsonValue

from piql_backend.web.schemas import Read, Write

CountState = Literal["none", "counting", "counted", "stopped", "failed"]


class GroupLevelRead(Read):
    """One group: the values of the limit's columns (of a limit on words, the word), and its rows."""

    key: list[JsonValue]
    rows: int


class LevelsBeforeRead(Read):
    """The same limit in the count before."""

    groups: int
    nearly_full: int
    full: int
    most_rows: int


class LimitHeadroomRead(Read):
    """How full the groups of a limit are. `histogram` counts groups by tenths of the limit: ≤ 10 %, ≤ 20 %, …, ≤ 100 %.

    `nearly_full` groups are at least 80 % full, `full` ones included. `fullest` are ten at most. `before` is null where
    the count before has no such limit.
    """

    table: str
    columns: list[str]
    is_token: bool
    limit: int
    groups: int
    histogram: list[int]
    nearly_full: int
    full: int
    fullest: list[GroupLevelRead]
    is_complete: bool
    before: LevelsBeforeRead | None


class HeadroomRead(Read):
    """The last count, and how far one is that goes on. A count takes about `cost_requests` for `cost_rows` rows."""

    state: CountState
    cost_requests: int
    cost_rows: int
    table: str | None
    rows_done: int
    requests_done: int
    limits: list[LimitHeadroomRead]
    counted_at: datetime | None
    before_at: datetime | None
    message: str | None


class SharedCreate(Write):
    """Asks how many rows of a live table share their values of some columns, which need no limit."""

    table: str = Field(min_length=1, max_length=200)
    columns: list[str] = Field(min_length=1, max_length=100)


class SharedRead(Read):
    """The rows that were read, their groups, the ten fullest, and a limit that leaves the fullest room to double.

    `is_complete` is false where the table has more rows than one answer may read.
    """

    rows: int
    groups: int
    fullest: list[GroupLevelRead]
    limit: int
    is_complete: bool


class RaiseCreate(Write):
    """Another number for the limit of a live table on some columns, or with `is_token` on the words in them."""

    table: str = Field(min_length=1, max_length=200)
    columns: list[str] = Field(min_length=1, max_length=100)
    is_token: bool = False
    limit: int = Field(ge=1, le=1_000_000_000)


class RaisedBoundRead(Read):
    """The most requests of one query now and with the other limit; null where it has no bound."""

    query: str
    before: int | None
    after: int | None


class RaisedTextRead(Read):
    """A file of the live version with the other number in its limit."""

    path: str
    text: str


class RaiseRead(Read):
    """The queries whose bound changes, of how many, and the texts with the other limit, from which p99 is predicted."""

    bounds: list[RaisedBoundRead]
    queries: int
    files: list[RaisedTextRead]


class KeptCount(BaseModel):
    """One count, as it is kept in a file."""

    counted_at: datetime
    limits: list[LimitHeadroomRead]


class KeptCounts(BaseModel):
    """The last count, and the one before."""

    last: KeptCount | None = None
    before: KeptCount | None = None
