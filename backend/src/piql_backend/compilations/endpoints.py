"""HTTP for the compiler: a set of files in, diagnostics, plans and bounds out."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.compilations.schemas import CompilationCreate, CompilationRead
from piql_backend.web.dependencies import TheWorkbench
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, needs

router = APIRouter(route_class=GuardedRoute, prefix="/compilations", tags=["compilations"])


@router.post("", response_model=CompilationRead)
@needs(SIGNED_IN)
async def create_compilation(request: CompilationCreate, workbench: TheWorkbench) -> Response:
    """Compile files together: everything the compiler found out, errors included. Nothing is kept."""
    return await workbench.workers.answer("compile_to_json", request, request.files)
