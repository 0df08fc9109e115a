"""HTTP for prices: what the queries of some files cost in an environment."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.prices.schemas import PriceReportCreate, PriceReportRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/price-reports", tags=["prices"])


@router.post("", response_model=PriceReportRead, responses=declared(404))
@needs(in_application("viewer"))
async def create_price_report(request: PriceReportCreate, environment: TheEnvironment) -> Response:
    """What 1,000 executions of each query cost at most, by the sheet of prices of the environment. Nothing is kept."""
    return await environment.prices.report(request)
