"""HTTP for headroom: what counting costs, the last count, a new one, and what another limit would cost."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from piql_backend.headroom.schemas import HeadroomRead, RaiseCreate, RaiseRead, SharedCreate, SharedRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/headroom", tags=["headroom"])


@router.get("", responses=declared(503))
@needs(in_application("viewer"))
async def read_headroom(environment: TheEnvironment) -> HeadroomRead:
    """How full the groups of each limit were when they were last counted, and what counting them again costs."""
    return await asyncio.to_thread(environment.headroom.read)


@router.post("/counts", status_code=202, responses=declared(409, 503))
@needs(in_application("developer"))
async def create_count(environment: TheEnvironment) -> HeadroomRead:
    """Begin to count in the background: all rows of the tables with limits are read, 1,000 with each request."""
    return await environment.headroom.count()


@router.post("/counts/cancel", responses=declared(409))
@needs(in_application("developer"))
async def cancel_count(environment: TheEnvironment) -> HeadroomRead:
    """Stop counting behind a request; what was counted until then is kept."""
    return await asyncio.to_thread(environment.headroom.cancel)


@router.post("/groups", responses=declared(503))
@needs(in_application("developer"))
async def create_groups(request: SharedCreate, environment: TheEnvironment) -> SharedRead:
    """How many rows share their values of some columns, to choose a limit by: 200,000 rows at most are read."""
    return await environment.headroom.shared(request)


@router.post("/raises", responses=declared(503))
@needs(in_application("viewer"))
async def create_raise(request: RaiseCreate, environment: TheEnvironment) -> RaiseRead:
    """What another limit costs: the live queries compiled with it. Nothing is changed or kept."""
    return await environment.headroom.raised(request)
