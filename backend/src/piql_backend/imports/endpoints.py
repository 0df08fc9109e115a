"""HTTP for rows that come from a file: upload it in parts, check or load it, follow, cancel, discard."""

from __future__ import annotations

from fastapi import APIRouter

from piql_backend.imports.schemas import ImportCreate, ImportRead, ImportRun
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.uploads import FilePart

router = APIRouter(route_class=GuardedRoute, prefix="/imports", tags=["imports"])


@router.post("", status_code=201, responses=declared(404, 409, 503))
@needs(in_application("developer"))
async def create_import(request: ImportCreate, environment: TheEnvironment) -> ImportRead:
    """Announce a file of at most 512 MB; its bytes come in parts. The ten newest imports are kept."""
    return await environment.imports.create(request)


@router.post("/{import_id}/parts", responses=declared(404, 409))
@needs(in_application("developer"))
async def add_import_part(import_id: str, part: FilePart, environment: TheEnvironment) -> ImportRead:
    """Append a part; 409 says how many bytes are there. With the last one the file is `ready` or `refused`."""
    return await environment.imports.add_part(import_id, part)


@router.post("/{import_id}/runs", responses=declared(404, 409, 503))
@needs(in_application("developer"))
async def run_import(import_id: str, request: ImportRun, environment: TheEnvironment) -> ImportRead:
    """Begin a dry run, which writes nothing, or a load; one import runs at a time."""
    return await environment.imports.run(import_id, request)


@router.get("/{import_id}", responses=declared(404))
@needs(in_application("viewer"))
async def read_import(import_id: str, environment: TheEnvironment) -> ImportRead:
    """One import and how far it is."""
    return environment.imports.read(import_id)


@router.post("/{import_id}/cancel", responses=declared(404, 409))
@needs(in_application("developer"))
async def cancel_import(import_id: str, environment: TheEnvironment) -> ImportRead:
    """Stop a run behind its batch; a load that is stopped can be resumed."""
    return environment.imports.cancel(import_id)


@router.delete("/{import_id}", status_code=204, responses=declared(404, 409))
@needs(in_application("developer"))
async def delete_import(import_id: str, environment: TheEnvironment) -> None:
    """Remove the uploaded file; rows that are in stay."""
    await environment.imports.delete(import_id)
