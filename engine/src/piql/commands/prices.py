"""What 1,000 executions of a query cost on a store in a bucket, from its bound and a dated list of prices; pure.

A query asks the bucket for the root, and for pages that the client has not kept. So it has two prices: where all of its
pages are kept, and where none is. Writes have no price here: their bounds do not say how many rows a limit counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from piql.compiler.bounds.bound import Bound
from piql.compiler.result import CompiledQuery

LEVELS = 2
"""How many levels the trees have if nobody says: each tree up to some hundred pages."""

_CATALOG, _VERSION = 1, 1  # GETs beside those of reads: after a change of the schema, and after the reads


@dataclass(frozen=True, slots=True)
class PriceList:
    """The prices of one provider and when they were valid: `get` is $ for 1,000 GETs."""

    of: str
    date: str
    get: Decimal


PRICES: Mapping[str, PriceList] = {
    "amazon": PriceList("Amazon S3 Standard, US East (N. Virginia)", "June 2026", Decimal("0.0004")),
    "amazon-2007": PriceList("Amazon S3, as in Building a Database on S3", "November 2007", Decimal("0.001")),
}
"""The lists by the name that `--price` takes. The provider's own page is what counts: look there before a decision."""


@dataclass(frozen=True, slots=True)
class Price:
    """$ for 1,000 executions: with all pages kept, each round trip alone; and at most, with none kept."""

    kept: Decimal
    most: Decimal


def price_of(query: CompiledQuery, prices: PriceList, levels: int) -> Price | None:
    """Return what 1,000 executions of a query cost, in trees of so many levels; None for a write or a refused one."""
    bound = query.bound
    if bound is None or bound.puts or bound.deletes:
        return None
    return Price((bound.round_trips + _VERSION) * prices.get, most_gets(bound, levels) * prices.get)


def most_gets(bound: Bound, levels: int) -> int:
    """Return the most GETs of one execution of a query, where no page is kept and each request is sent alone.

    Each request asks for the root and takes the way down to a page; each row fetched may be in another page.
    """
    return bound.reads * (1 + levels) + bound.rows_fetched * levels + _CATALOG + _VERSION
