"""HTTP for the SLO of each query, also as OpenSLO documents."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse

from piql_backend.slos.schemas import OpenSloWrite, SloRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.pages import Page, WishedPage
from piql_backend.web.schemas import SloWrite

router = APIRouter(route_class=GuardedRoute, prefix="/slos", tags=["slos"])


@router.get("")
@needs(in_application("viewer"))
def list_slos(wish: WishedPage, environment: TheEnvironment) -> Page[SloRead]:
    """The SLO of each query that has one, by the names of the queries."""
    return environment.slos.page(wish)


@router.get("/openslo", response_class=PlainTextResponse, responses=declared(422))
@needs(in_application("viewer"))
def export_slos(environment: TheEnvironment) -> str:
    """All SLOs as OpenSLO documents (YAML); 422 where one has an interval that OpenSLO cannot say."""
    return environment.slos.as_openslo()


@router.post("/openslo", responses=declared(404, 422))
@needs(in_application("developer"))
def import_slos(documents: OpenSloWrite, environment: TheEnvironment) -> list[SloRead]:
    """Set the SLOs of OpenSLO documents, all of them or none; 404 when one is of a query that nobody knows."""
    return list(environment.slos.take_openslo(documents.text))


@router.put("/{query:path}", responses=declared(404))
@needs(in_application("developer"))
def save_slo(query: str, slo: SloWrite, environment: TheEnvironment) -> SloRead:
    """Set a query's SLO; 404 when no query of that name was ever deployed or saved.

    A query with the name openslo has no such path: set its SLO by an OpenSLO document.
    """
    return environment.slos.save(query, slo)


@router.delete("/{query:path}", status_code=204, responses=declared(404))
@needs(in_application("developer"))
def delete_slo(query: str, environment: TheEnvironment) -> Response:
    """Remove a query's SLO."""
    environment.slos.delete(query)
    return Response(status_code=204)
