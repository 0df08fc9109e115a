"""Prices the queries of an environment: the most by their bounds, and on average by the requests that were observed.

The sheet of prices is read anew for each answer, since the settings may change while an environment is open. Texts are
compiled by a worker, which is sent the sheet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from fastapi import Response
from piql.pricing.prices import of_month, prices_of_requests
from piql.pricing.sheets import LEVELS, BucketSheet, Sheet

from piql_backend.prices.schemas import ObservedPriceRead, PriceReportCreate
from piql_backend.prices.sheet_schemas import BucketPrices, ChosenPrices, sheet_of
from piql_backend.workers.pool import WorkerPool


@dataclass(frozen=True, slots=True)
class PriceJob:
    """What a worker is sent: the question and the sheet, None where nobody has chosen one."""

    request: PriceReportCreate
    sheet: Sheet | None
    levels: int
    is_file: bool  # whether the store is a file, whose requests cost nothing


class Prices:
    """The prices of one environment; `chosen` reads which sheet it has."""

    def __init__(self, chosen: Callable[[], ChosenPrices | None], is_file: bool, workers: WorkerPool) -> None:
        self._chosen = chosen
        self._is_file = is_file
        self._workers = workers

    async def report(self, request: PriceReportCreate) -> Response:
        """The price of each query of some files, as JSON of a PriceReportRead."""
        sheet, levels = self.sheet()
        return await self._workers.answer("price", PriceJob(request, sheet, levels, self._is_file), request.files)

    def sheet(self) -> tuple[Sheet | None, int]:
        """The sheet that is chosen now, None for none, and the levels of the trees of a bucket."""
        prices = self._chosen()
        if prices is None:
            return None, LEVELS
        return sheet_of(prices), prices.levels if isinstance(prices, BucketPrices) else LEVELS


def price_of_observed(
    sheet: Sheet | None, requests: tuple[float, float], executions: int, seconds: float, *, writes: bool
) -> ObservedPriceRead | None:
    """What executions cost on average, whose requests lie between two means.

    None without a sheet or executions, and where requests of the engine do not tell: in a bucket, whose pages may be
    kept, and for a write where reads and writes have different prices.
    """
    if sheet is None or isinstance(sheet, BucketSheet) or not executions:
        return None
    read, write = prices_of_requests(sheet)
    if writes and read != write:
        return None
    low, high = (Decimal(str(mean)) * read for mean in requests)
    rate = Decimal(executions) / Decimal(str(seconds))
    return ObservedPriceRead(
        low=float(low), high=float(high), month_low=float(of_month(low, rate)), month_high=float(of_month(high, rate))
    )
