"""What is asked about prices, and the answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from piql_backend.web.schemas import Read, SourceFiles, Write

Rate = Annotated[float, Field(gt=0, le=1e12, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class PriceReportCreate(Write):
    """Asks what the queries of some files cost; `rates` are executions a second, by query."""

    files: SourceFiles
    rates: Annotated[dict[Name, Rate], Field(default_factory=dict, max_length=1000)]


class SheetRead(Read):
    """Whose prices they are, since when, and in one sentence what a price takes as given."""

    of: str
    date: str
    basis: str


class QueryPriceRead(Read):
    """$ for 1,000 executions at most, from the bound; `month_most` is $ a month at the rate that was asked for.

    `kept` is for a bucket where a client has all pages, each round trip alone. Each is null where there is none; then
    `why_none` says why.
    """

    query: str
    most: float | None
    kept: float | None
    month_most: float | None
    why_none: str | None


class PriceReportRead(Read):
    """The price of each query; without a sheet `why_none` says why there is none, and there are no queries."""

    sheet: SheetRead | None
    why_none: str | None
    queries: list[QueryPriceRead]


class ObservedPriceRead(Read):
    """$ for 1,000 executions on average, from the requests that were observed, and $ a month at the observed rate.

    Reports of applications count requests in classes: then the average lies between `low` and `high`, else both are
    equal.
    """

    low: float
    high: float
    month_low: float
    month_high: float
