"""HTTP for the week of a version as a page."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.weeks.service import week_of

router = APIRouter(route_class=GuardedRoute, prefix="/weeks", tags=["latency"])
_PAGE = {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A page that needs nothing else."}


@router.get("/{deployment_id}", response_class=Response, responses={200: _PAGE, **declared(404)})
@needs(in_application("viewer"))
def read_week(deployment_id: str, environment: TheEnvironment) -> Response:
    """The last seven days as one HTML page that needs nothing else: the worst queries first, deployments and alerts."""
    place = environment.place
    text = week_of(deployment_id, place, environment.deployments, environment.latency, environment.alerts)
    headers = {
        "Content-Disposition": f'attachment; filename="{"-".join(place)}-week.html"',
        "Cache-Control": "no-store",
    }
    return Response(text, media_type="text/html", headers=headers)
