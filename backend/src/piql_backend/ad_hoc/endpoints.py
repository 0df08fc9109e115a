"""HTTP for SELECTs that are not deployed."""

from __future__ import annotations

from fastapi import APIRouter

from piql_backend.ad_hoc.schemas import SelectCreate, SelectRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/selects", tags=["selects"])


@router.post("", responses=declared(404, 409, 503))
@needs(in_application("viewer"))
async def run_select(request: SelectCreate, environment: TheEnvironment) -> SelectRead:
    """Run a bounded SELECT over the live tables and indexes, once. It writes nothing, and nothing is made or kept.

    422 with `select-refused` and the findings for what is no SELECT, has no bound, or needs an index that there is not;
    `select-too-large` for a bound of more than 10,000 operations or rows; with `invalid-parameter`, `invalid-cursor` or
    `stale-cursor` as executions.
    """
    return await environment.ad_hoc.run(request)
