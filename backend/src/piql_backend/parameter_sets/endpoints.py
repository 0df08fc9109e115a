"""HTTP for saved sets of parameters."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from piql_backend.parameter_sets.schemas import ParameterSetCreate, ParameterSetRead, ParameterSetWrite
from piql_backend.web.dependencies import TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.pages import Page, WishedPage

router = APIRouter(
    route_class=GuardedRoute, prefix="/applications/{application}/parameter-sets", tags=["parameter-sets"]
)


@router.get("", responses=declared(404))
@needs(in_application("viewer"))
def list_parameter_sets(application: str, wish: WishedPage, workbench: TheWorkbench) -> Page[ParameterSetRead]:
    """The saved sets of all queries, by the names of the queries, then by their own."""
    return workbench.parameter_sets.page(application, wish)


@router.post("", status_code=201, responses=declared(404, 409))
@needs(in_application("developer"))
def create_parameter_set(application: str, request: ParameterSetCreate, workbench: TheWorkbench) -> ParameterSetRead:
    """Save a set under a name; 409 when the query has one of that name. The query need not be there."""
    return workbench.parameter_sets.create(application, request)


@router.put("/{set_id}", responses=declared(404, 409))
@needs(in_application("developer"))
def save_parameter_set(
    application: str, set_id: str, request: ParameterSetWrite, workbench: TheWorkbench
) -> ParameterSetRead:
    """Change a set; 409 when it is not the revision that was read, or its new name is taken."""
    return workbench.parameter_sets.save(application, set_id, request)


@router.delete("/{set_id}", status_code=204, responses=declared(404, 409))
@needs(in_application("developer"))
def delete_parameter_set(
    application: str,
    set_id: str,
    workbench: TheWorkbench,
    base_revision: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """Remove a set; 409 when it is not the revision that was read, if one is given."""
    workbench.parameter_sets.delete(application, set_id, base_revision)
    return Response(status_code=204)
