"""HTTP for an application as one file."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from piql_backend.web.dependencies import Id, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/applications", tags=["archives"])


@router.get("/{application}/archive", response_class=Response, responses=declared(404))
@needs(in_application("viewer"))
async def export_application(application: Id, workbench: TheWorkbench) -> Response:
    """One zip file with the files, every save, and the environments by reference: it holds no secret and no rows."""
    return await workbench.archives.of_application(application)
