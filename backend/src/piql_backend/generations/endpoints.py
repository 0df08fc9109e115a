"""HTTP for generated rows: begin, follow, stop."""

from __future__ import annotations

from fastapi import APIRouter

from piql_backend.generations.schemas import GenerationCreate, GenerationRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/generations", tags=["generations"])


@router.post("", status_code=201, responses=declared(404, 409, 503))
@needs(in_application("developer"))
async def create_generation(request: GenerationCreate, environment: TheEnvironment) -> GenerationRead:
    """Begin to make rows for all live tables; one generation runs at a time.

    409 with `rows-are-there` where tables hold rows and none are to be added, `generation-under-way` beside another.
    """
    return await environment.generations.create(request)


@router.get("/{generation_id}", responses=declared(404))
@needs(in_application("viewer"))
async def read_generation(generation_id: str, environment: TheEnvironment) -> GenerationRead:
    """One generation and how far it is."""
    return environment.generations.read(generation_id)


@router.post("/{generation_id}/cancel", responses=declared(404, 409))
@needs(in_application("developer"))
async def cancel_generation(generation_id: str, environment: TheEnvironment) -> GenerationRead:
    """Stop it behind a batch; rows that are in stay."""
    return environment.generations.cancel(generation_id)
