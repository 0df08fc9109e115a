"""HTTP for the environments of an application: list, add, change, remove."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from piql_backend.environments.schemas import EnvironmentCreate, EnvironmentRead, EnvironmentUpdate
from piql_backend.web.dependencies import Id, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import everywhere, in_application, needs
from piql_backend.web.pages import Page, WishedPage

router = APIRouter(route_class=GuardedRoute, prefix="/applications/{application}/environments", tags=["environments"])


@router.get("", responses=declared(404))
@needs(in_application("viewer"))
def list_environments(application: Id, wish: WishedPage, workbench: TheWorkbench) -> Page[EnvironmentRead]:
    """The environments of an application by id; no store is connected to."""
    return workbench.environment_changes.page(application, wish)


@router.post("", status_code=201, responses=declared(403, 404, 409))
@needs(everywhere("administrator"))
async def add_environment(application: Id, request: EnvironmentCreate, workbench: TheWorkbench) -> EnvironmentRead:
    """Add an environment; 403 for a store that is not on the list, 409 for one that another environment has."""
    return await workbench.environment_changes.add(application, request)


@router.patch("/{environment}", responses=declared(403, 404, 409))
@needs(everywhere("administrator"))
async def update_environment(
    application: Id, environment: Id, request: EnvironmentUpdate, workbench: TheWorkbench
) -> EnvironmentRead:
    """Change what is said of an environment, or its store; nothing is moved from one store to the other."""
    return await workbench.environment_changes.change(application, environment, request)


@router.delete("/{environment}", status_code=204, responses=declared(404, 409))
@needs(in_application("administrator"))
async def remove_environment(
    application: Id,
    environment: Id,
    name: Annotated[str, Query(max_length=100, description="The id once more.")],
    workbench: TheWorkbench,
    deletes_data: Annotated[bool, Query(description="Delete the store, too, where it is a file.")] = False,
) -> Response:
    """Move an environment to `deleted/` in the data folder; its store is kept unless `deletes_data` is given."""
    await workbench.environment_changes.remove(application, environment, name, deletes_data=deletes_data)
    return Response(status_code=204)
