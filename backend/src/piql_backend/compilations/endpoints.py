"""HTTP for the compiler: a set of files in, diagnostics, plans and bounds out."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.compilations.in_parts import Lines, lines_of
from piql_backend.compilations.schemas import CompilationCreate, CompilationInParts, CompilationPart, CompilationRead
from piql_backend.web.dependencies import TheWorkbench
from piql_backend.web.errors import described
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, needs

router = APIRouter(route_class=GuardedRoute, prefix="/compilations", tags=["compilations"])


@router.post("", response_model=CompilationRead)
@needs(SIGNED_IN)
async def create_compilation(request: CompilationCreate, workbench: TheWorkbench) -> Response:
    """Compile files together: everything the compiler found out, errors included. Nothing is kept."""
    return await workbench.workers.answer("compile_to_json", request, request.files)


@router.post("/parts", response_model=CompilationPart, response_class=Lines, responses={422: described(422)})
@needs(SIGNED_IN)
async def create_compilation_in_parts(request: CompilationInParts, workbench: TheWorkbench) -> Response:
    """Compile files together, and answer in lines of JSON: the last has the whole, others what is known sooner.

    Where a change of a table compiles many queries again, the first line has the bounds of those of `first` that depend
    on no other query, and the next line those of all others.
    """
    return await lines_of(workbench.workers, request)
