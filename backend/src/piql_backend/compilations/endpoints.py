"""HTTP for the compiler: a set of files in, diagnostics, plans and bounds out."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.compilations.schemas import CompilationCreate, CompilationRead
from piql_backend.web.dependencies import TheWorkbench

router = APIRouter(prefix="/compilations", tags=["compilations"])


@router.post("", response_model=CompilationRead)
async def create_compilation(request: CompilationCreate, workbench: TheWorkbench) -> Response:
    """Compile files together: everything the compiler found out, errors included. Nothing is kept."""
    return await workbench.workers.answer("compile_to_json", request, request.files)
