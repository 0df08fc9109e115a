"""Shipments as the library sends them (`piql.reporting.shipment`), and what was reported."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from piql_backend.web.schemas import Read, Write

MOST_CELLS = 20_000
_MOST_SUM = 2**40  # of one minute, in microseconds 12 days; millions of them add up to a number that the tables hold
_Count = Annotated[int, Field(ge=0, le=_MOST_SUM)]
_Size = Annotated[int, Field(ge=0, le=2**31 - 1)]
_Class = Annotated[int, Field(ge=0, le=31)]
_Minute = Annotated[int, Field(ge=0, le=2**31 - 1)]
_Bucket = Annotated[int, Field(ge=0, le=2_000)]
_Place = Annotated[int, Field(ge=0, lt=MOST_CELLS)]
_Counts = Annotated[list[_Count], Field(max_length=MOST_CELLS)]
_Sizes = Annotated[list[_Size], Field(max_length=MOST_CELLS)]
_Classes = Annotated[list[_Class], Field(max_length=MOST_CELLS)]
_Places = Annotated[list[_Place], Field(max_length=MOST_CELLS)]


class CellColumns(Write):
    """The cells of a shipment, one list for each column, all of one length."""

    minute: list[_Minute] = Field(max_length=MOST_CELLS)
    query: _Places
    version: _Sizes
    outcome: _Places
    bound: _Sizes
    requests_class: _Classes
    rows_class: _Classes
    bucket: list[_Bucket] = Field(max_length=MOST_CELLS)
    executions: _Counts
    operations: _Counts
    rows: _Counts
    repairs: _Counts
    statements: _Counts
    least_operations: _Sizes
    most_operations: _Sizes
    least_rows: _Sizes
    most_rows: _Sizes


class OperatorColumns(Write):
    """Where the time of sampled executions went, one list for each column; an empty path is of the whole execution."""

    minute: list[_Minute] = Field(max_length=MOST_CELLS)
    query: _Places
    version: _Sizes
    requests_class: _Classes
    rows_class: _Classes
    whole_bucket: list[_Bucket] = Field(max_length=MOST_CELLS)
    path: list[Annotated[str, Field(pattern=r"^[0-9.]{0,200}$")]] = Field(max_length=MOST_CELLS)
    operator: _Places
    bucket: list[_Bucket] = Field(max_length=MOST_CELLS)
    samples: list[Annotated[int, Field(ge=1, le=_MOST_SUM)]] = Field(max_length=MOST_CELLS)
    operations: _Counts
    rows: _Counts
    microseconds: _Counts


class Shipment(Write):
    """Counts of one client, known by its `sequence`; `query` and `outcome` of the cells are places in the lists.

    `operators` are there where executions were sampled; their `operator` is a place in `operator_names`.
    """

    client: str = Field(pattern=r"^[0-9a-f]{32}$")
    sequence: int = Field(ge=0, le=2**53)
    lost: _Count
    queries: list[Annotated[str, Field(max_length=1_000)]] = Field(max_length=MOST_CELLS)
    outcomes: list[Annotated[str, Field(min_length=1, max_length=60)]] = Field(max_length=200)
    cells: CellColumns
    operator_names: list[Annotated[str, Field(max_length=100)]] = Field(default_factory=list, max_length=1_000)
    operators: OperatorColumns | None = None


class ShipmentTakenRead(Read):
    """`is_new` is false for a shipment that had been taken before: it is not counted again."""

    is_new: bool
    executions: int


class OutcomeRead(Read):
    """How many executions ended so: `ok`, or the name of an error."""

    outcome: str
    executions: int


class ReportedSizeRead(Read):
    """Executions of one class of sizes; `p99_ms` is the upper edge of a bucket."""

    least_requests: int
    most_requests: int
    least_rows: int
    most_rows: int
    executions: int
    p99_ms: float


class ReportedQueryRead(Read):
    """What applications reported of one query in the window; quantiles are those of executions that gave their rows.

    They are the upper edges of buckets that are 2.2 % wide; null where no execution gave its rows.
    """

    query: str
    executions: int
    outcomes: list[OutcomeRead]
    versions: list[int]
    requests: int
    bound_requests: int
    most_requests: int
    over_bound: int
    p50_ms: float | None
    p99_ms: float | None
    sizes: list[ReportedSizeRead]


class ReportedRead(Read):
    """The queries that applications reported, the busiest first.

    `since` is the begin of the window, a whole minute. `lost` are executions that their library had no room to count,
    `queries_left_out` how many queries there are beyond the busiest 1,000; their executions are counted in the sum.
    """

    since: datetime
    window_seconds: float
    executions: int
    lost: int
    clients: int
    queries_left_out: int
    queries: list[ReportedQueryRead]
