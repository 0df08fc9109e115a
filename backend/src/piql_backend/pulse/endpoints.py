"""HTTP for the pulse of an environment."""

from __future__ import annotations

from fastapi import APIRouter

from piql_backend.pulse.schemas import PulseRead
from piql_backend.web.dependencies import AnyVisitor, Id, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.visitor import sight_of

router = APIRouter(route_class=GuardedRoute, tags=["health"])


@router.get("/applications/{application}/environments/{environment}/pulse", responses=declared(404))
@needs(in_application("viewer"))
async def read_pulse(application: Id, environment: Id, workbench: TheWorkbench, visitor: AnyVisitor) -> PulseRead:
    """How an environment is, and versions that tell a page which of its answers are out of date."""
    return await workbench.pulse.read(application, environment, sight_of(visitor))
