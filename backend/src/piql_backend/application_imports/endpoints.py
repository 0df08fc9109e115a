"""HTTP for applications that come from elsewhere: stage one, look at it, make it or discard it.

An import is of whoever began it: for others of a team there is none of that id.
"""

from __future__ import annotations

from fastapi import APIRouter

from piql_backend.application_imports.schemas import (
    ApplicationImportRead,
    ArchiveCreate,
    FilesCreate,
    FolderCreate,
    ImportedApplicationCreate,
    KeyspaceCreate,
    RepositoryCreate,
)
from piql_backend.applications.schemas import ApplicationSummaryRead
from piql_backend.web.dependencies import AnyVisitor, Id, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import everywhere, needs
from piql_backend.web.uploads import FilePart

router = APIRouter(route_class=GuardedRoute, prefix="/application-imports", tags=["application imports"])


@router.post("/archives", status_code=201)
@needs(everywhere("developer"))
def announce_archive(request: ArchiveCreate, workbench: TheWorkbench, visitor: AnyVisitor) -> ApplicationImportRead:
    """Announce an archive of at most 256 MB; its bytes come in parts. The ten newest imports are kept."""
    return workbench.application_imports.announce(request, visitor)


@router.post("/files", status_code=201)
@needs(everywhere("developer"))
async def import_files(request: FilesCreate, workbench: TheWorkbench, visitor: AnyVisitor) -> ApplicationImportRead:
    """Stage files of PIQL or SQL; 422 where there is nothing to take."""
    return await workbench.application_imports.of_files(request, visitor)


@router.post("/folders", status_code=201, responses=declared(403))
@needs(everywhere("developer"))
async def import_folder(request: FolderCreate, workbench: TheWorkbench, visitor: AnyVisitor) -> ApplicationImportRead:
    """Stage a folder of the server; no link in it is followed."""
    return await workbench.application_imports.of_folder(request, visitor)


@router.post("/repositories", status_code=201, responses=declared(403))
@needs(everywhere("developer"))
async def import_repository(
    request: RepositoryCreate, workbench: TheWorkbench, visitor: AnyVisitor
) -> ApplicationImportRead:
    """Fetch a git repository and stage it: 422 where that takes over two minutes, or cannot be read."""
    return await workbench.application_imports.of_repository(request, visitor)


@router.post("/keyspaces", status_code=201, responses=declared(403))
@needs(everywhere("administrator"))
async def import_keyspace(
    request: KeyspaceCreate, workbench: TheWorkbench, visitor: AnyVisitor
) -> ApplicationImportRead:
    """Read the tables of a keyspace, whose store must be allowed; neither a table nor a row of it is written."""
    return await workbench.application_imports.of_keyspace(request, visitor)


@router.post("/{import_id}/parts", responses=declared(404, 409))
@needs(everywhere("developer"))
async def add_archive_part(
    import_id: Id, part: FilePart, workbench: TheWorkbench, visitor: AnyVisitor
) -> ApplicationImportRead:
    """Append a part; 409 says how many bytes are there. With the last one the archive is read, or refused with 422."""
    return await workbench.application_imports.add_part(import_id, part, visitor)


@router.get("/{import_id}", responses=declared(404))
@needs(everywhere("viewer"))
def read_application_import(import_id: Id, workbench: TheWorkbench, visitor: AnyVisitor) -> ApplicationImportRead:
    """What is in an import: nothing is kept of it before the application is made."""
    return workbench.application_imports.read(import_id, visitor)


@router.post("/{import_id}/applications", status_code=201, responses=declared(404, 409))
@needs(everywhere("developer"))
async def make_imported_application(
    import_id: Id, request: ImportedApplicationCreate, workbench: TheWorkbench, visitor: AnyVisitor
) -> ApplicationSummaryRead:
    """Make an application of an import, as a new one: 409 where there is one of that id. No store is connected to."""
    application = await workbench.application_imports.make(import_id, request, visitor)
    workbench.give_to(application.id, visitor)
    return application


@router.delete("/{import_id}", status_code=204, responses=declared(404))
@needs(everywhere("developer"))
async def discard_application_import(import_id: Id, workbench: TheWorkbench, visitor: AnyVisitor) -> None:
    """Forget an import."""
    await workbench.application_imports.discard(import_id, visitor)
