"""HTTP for bursts: start one, look at those of this start of the backend, cancel it."""

from __future__ import annotations

from fastapi import APIRouter

from piql_backend.bursts.schemas import BurstCreate, BurstRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.pages import Page, WishedPage

router = APIRouter(route_class=GuardedRoute, prefix="/bursts", tags=["bursts"])


@router.get("")
@needs(in_application("viewer"))
async def list_bursts(wish: WishedPage, environment: TheEnvironment) -> Page[BurstRead]:
    """The bursts since the backend started, the newest first."""
    return environment.bursts.page(wish)


@router.post("", status_code=201, responses=declared(404, 409, 503))
@needs(in_application("developer"))
async def create_burst(request: BurstCreate, environment: TheEnvironment) -> BurstRead:
    """Run a query many times with parameters drawn from the data; 409 while another burst runs."""
    return await environment.bursts.create(request)


@router.get("/{burst_id}", responses=declared(404))
@needs(in_application("viewer"))
async def read_burst(burst_id: str, environment: TheEnvironment) -> BurstRead:
    """One burst and how far it is."""
    return environment.bursts.read(burst_id)


@router.post("/{burst_id}/cancel", responses=declared(404, 409))
@needs(in_application("developer"))
async def cancel_burst(burst_id: str, environment: TheEnvironment) -> BurstRead:
    """Stop a burst; executions under way still end. 409 when it has ended already."""
    return environment.bursts.cancel(burst_id)
