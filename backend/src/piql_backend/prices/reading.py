"""The price of each query of a compilation, as the API answers it. A worker process runs it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from piql.compiler.result import CompiledQuery
from piql.pricing.prices import of_month, price_of
from piql.pricing.sheets import BucketSheet, NodeSheet, Sheet

from piql_backend.compilations.service import Compilations
from piql_backend.prices.schemas import PriceReportRead, QueryPriceRead, SheetRead
from piql_backend.prices.service import PriceJob

_OF_A_FILE = "No price for this store: it is a file on a disk, whose requests cost nothing."
_OF_A_CLUSTER = "No price for this store: nobody has chosen a sheet of prices for it."
_OF_A_WRITE = "A write in a bucket has no price yet: its bound does not say how many rows a limit counts."
_WITHOUT_BOUND = "Without a bound there is no price."


def price(compilations: Compilations, job: PriceJob) -> PriceReportRead:
    """The price of each query of some files; without a sheet, why there is none."""
    sheet = job.sheet
    if sheet is None:
        return PriceReportRead(sheet=None, why_none=_OF_A_FILE if job.is_file else _OF_A_CLUSTER, queries=[])
    return PriceReportRead(
        sheet=SheetRead(of=sheet.of, date=sheet.date, basis=_basis(sheet, job.levels)),
        why_none=None,
        queries=[
            _priced(query, sheet, job.levels, job.request.rates)
            for query in compilations.compile(job.request.files).queries.values()
        ],
    )


def _priced(query: CompiledQuery, sheet: Sheet, levels: int, rates: Mapping[str, float]) -> QueryPriceRead:
    cost, rate = price_of(query.bound, sheet, levels), rates.get(query.name)
    if cost is None:
        why = _WITHOUT_BOUND if query.bound is None else _OF_A_WRITE
        return QueryPriceRead(query=query.name, most=None, kept=None, month_most=None, why_none=why)
    return QueryPriceRead(
        query=query.name,
        most=float(cost.most),
        kept=None if cost.kept is None else float(cost.kept),
        month_most=None if rate is None else float(of_month(cost.most, Decimal(str(rate)))),
        why_none=None,
    )


def _basis(sheet: Sheet, levels: int) -> str:
    if isinstance(sheet, BucketSheet):
        return f"GETs with no page kept, in trees of {'one level' if levels == 1 else f'{levels} levels'}"
    if isinstance(sheet, NodeSheet):
        return f"each request is its part of the {sheet.requests_a_second.normalize():,f} a second that a node takes"
    return "each request of the bound, reads and writes by their own prices"
