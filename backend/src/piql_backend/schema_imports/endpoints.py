"""HTTP for schemas of other databases, as PIQL."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.schema_imports.schemas import SchemaImportCreate, SchemaImportRead
from piql_backend.web.dependencies import TheWorkbench
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, needs

router = APIRouter(route_class=GuardedRoute, prefix="/schema-imports", tags=["schema imports"])


@router.post("", response_model=SchemaImportRead)
@needs(SIGNED_IN)
async def create_schema_import(request: SchemaImportCreate, workbench: TheWorkbench) -> Response:
    """Write a schema of another database, and queries of it, as PIQL. Nothing is kept; 422 where it is cut off."""
    return await workbench.workers.answer_about(
        "import_schema", request, {"schema": request.text, "queries": request.queries}
    )
