"""What 1,000 executions of a query cost, from its bound and a dated sheet of prices; pure.

A query asks a bucket for the root, and for pages that the client has not kept. So it has two prices there: where all of
its pages are kept, and where none is. Writes have no price in a bucket: their bounds do not say how many rows a limit
counts. On other stores each request has its price. Of an INSERT with ON CONFLICT DO UPDATE it is that of the dearer
way, which need not be the one with more requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import assert_never

from piql.compiler.bounds.bound import Bound
from piql.pricing.sheets import SECONDS_OF_MONTH, BucketSheet, NodeSheet, RequestSheet, Sheet

_CATALOG, _VERSION = 1, 1  # GETs beside those of reads: after a change of the schema, and after the reads
_THOUSAND, _MILLION = 1000, 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """$ for 1,000 executions at most. `kept` is for a bucket whose pages the client has: each round trip alone."""

    most: Decimal
    kept: Decimal | None = None


def price_of(bound: Bound | None, sheet: Sheet, levels: int) -> Price | None:
    """Return what 1,000 executions cost; None where there is no bound, and for a write in a bucket."""
    if bound is None:
        return None
    if isinstance(sheet, BucketSheet):
        if bound.puts or bound.deletes:
            return None
        return Price(most_gets(bound, levels) * sheet.get, (bound.round_trips + _VERSION) * sheet.get)
    read, write = prices_of_requests(sheet)
    dearer_ways = sum(max(Decimal(0), way.reads * read + way.writes * write) for way in bound.other_ways)
    return Price((bound.reads + bound.counts) * read + (bound.puts + bound.deletes) * write + dearer_ways)


def prices_of_requests(sheet: RequestSheet | NodeSheet) -> tuple[Decimal, Decimal]:
    """Return $ for 1,000 reads, and for 1,000 writes.

    A request takes its part of the requests that a node takes in a month, and so of the node's price.
    """
    match sheet:
        case RequestSheet():
            return sheet.read * _THOUSAND / _MILLION, sheet.write * _THOUSAND / _MILLION
        case NodeSheet():
            request = sheet.node_month / (sheet.requests_a_second * SECONDS_OF_MONTH)
            return request * _THOUSAND, request * _THOUSAND
        case _:
            assert_never(sheet)


def of_month(of_thousand: Decimal, executions_a_second: Decimal) -> Decimal:
    """Return $ a month at a rate, from $ for 1,000 executions."""
    return of_thousand / _THOUSAND * executions_a_second * SECONDS_OF_MONTH


def most_gets(bound: Bound, levels: int) -> int:
    """Return the most GETs of one execution of a query, where no page is kept and each request is sent alone.

    Each request asks for the root and takes the way down to a page; each row fetched may be in another page.
    """
    return bound.reads * (1 + levels) + bound.rows_fetched * levels + _CATALOG + _VERSION
