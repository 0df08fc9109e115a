"""HTTP for the state of the workbench and its store, as the status bar shows it."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.health.schemas import EnvironmentHealthRead, HealthRead
from piql_backend.web.dependencies import AnyVisitor, Id, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, in_application, needs
from piql_backend.web.visitor import sight_of

router = APIRouter(route_class=GuardedRoute, tags=["health"])


@router.get("/health", responses={503: {"model": HealthRead, "description": "Something does not answer."}})
@needs(SIGNED_IN)
async def read_health(response: Response, workbench: TheWorkbench, visitor: AnyVisitor) -> HealthRead:
    """Whether the backend and its disk are well, 503 if not; `instance_id` tells one start from the next."""
    health = await workbench.health.read(sight_of(visitor))
    if health.status != "ok":
        response.status_code = 503
    return health


@router.get(
    "/applications/{application}/environments/{environment}/health",
    responses={**declared(404), 503: {"model": EnvironmentHealthRead, "description": "Something does not answer."}},
)
@needs(in_application("viewer"))
async def read_environment_health(
    application: Id, environment: Id, response: Response, workbench: TheWorkbench, visitor: AnyVisitor
) -> EnvironmentHealthRead:
    """Whether an environment, its store and its history are well, 503 if not."""
    health = await workbench.health.read_environment(application, environment, sight_of(visitor))
    if health.status != "ok":
        response.status_code = 503
    return health
