"""HTTP for applications (list, create, change, duplicate, delete) and their files (read, create, save, rename)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from piql_backend.applications.schemas import (
    ApplicationCreate,
    ApplicationDuplicate,
    ApplicationRead,
    ApplicationSummaryRead,
    ApplicationUpdate,
    FileCreate,
    FileRename,
    FileUpdate,
)
from piql_backend.web.dependencies import AnyVisitor, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, everywhere, in_application, needs
from piql_backend.web.pages import Page, WishedPage
from piql_backend.web.schemas import FileRead
from piql_backend.web.visitor import sight_of

router = APIRouter(route_class=GuardedRoute, prefix="/applications", tags=["applications"])


@router.get("")
@needs(SIGNED_IN)
def list_applications(wish: WishedPage, workbench: TheWorkbench, visitor: AnyVisitor) -> Page[ApplicationSummaryRead]:
    """The applications by id in which one has a role, with those in the archive."""
    return workbench.applications.page(wish, workbench.environments.names, sight_of(visitor))


@router.post("", status_code=201, responses=declared(409))
@needs(everywhere("developer"))
async def create_application(
    request: ApplicationCreate, workbench: TheWorkbench, visitor: AnyVisitor
) -> ApplicationSummaryRead:
    """Make an application; one of a template is deployed, and its rows are loaded, before the answer."""
    created = await workbench.lifecycle.create(request)
    workbench.give_to(created.id, visitor)
    return created


@router.patch("/{application}", responses=declared(404, 503))
@needs(in_application("administrator"))
async def update_application(
    application: str, request: ApplicationUpdate, workbench: TheWorkbench
) -> ApplicationSummaryRead:
    """Change the title, or put an application into the archive or take it out."""
    return await workbench.lifecycle.update(application, request)


@router.post("/{application}/duplicates", status_code=201, responses=declared(404))
@needs(everywhere("developer"))
def duplicate_application(
    application: str, request: ApplicationDuplicate, workbench: TheWorkbench, visitor: AnyVisitor
) -> ApplicationSummaryRead:
    """Make an application with the same files, and an empty store of its own."""
    duplicate = workbench.lifecycle.duplicate(application, request.title)
    workbench.give_to(duplicate.id, visitor)
    return duplicate


@router.delete("/{application}", status_code=204, responses=declared(404, 409))
@needs(in_application("administrator"))
async def delete_application(
    application: str, name: Annotated[str, Query(max_length=100)], workbench: TheWorkbench
) -> Response:
    """Move an application with its environments to `deleted/` in the data folder; 409 unless `name` is its id."""
    await workbench.lifecycle.delete(application, name)
    return Response(status_code=204)


@router.get("/{application}", responses=declared(404))
@needs(in_application("viewer"))
def read_application(application: str, wish: WishedPage, workbench: TheWorkbench) -> ApplicationRead:
    """One application with its files: those of schemas, which stand at the top, come first."""
    return workbench.applications.read(application, wish)


@router.post("/{application}/files", status_code=201, responses=declared(404, 409))
@needs(in_application("developer"))
def create_file(application: str, file: FileCreate, workbench: TheWorkbench) -> FileRead:
    """A new file; 409 when there is one of that path."""
    return workbench.applications.create_file(application, file.path, file.text)


@router.put("/{application}/files/{path:path}", responses=declared(404, 409))
@needs(in_application("developer"))
def save_file(application: str, path: str, file: FileUpdate, workbench: TheWorkbench) -> FileRead:
    """Save a file; 409 with the current text when it is not the revision that was edited."""
    return workbench.applications.save_file(application, path, file.text, file.base_revision)


@router.post("/{application}/renames", responses=declared(404, 409))
@needs(in_application("developer"))
def rename_file(application: str, rename: FileRename, workbench: TheWorkbench) -> FileRead:
    """Give a file another path, and its comments with it; 409 where one has it, or it has another revision."""
    renamed = workbench.applications.rename_file(application, rename.path, rename.new_path, rename.base_revision)
    workbench.threads.rename_file(application, rename.path, rename.new_path)
    return renamed


@router.delete("/{application}/files/{path:path}", status_code=204, responses=declared(404, 409))
@needs(in_application("developer"))
def delete_file(
    application: str,
    path: str,
    workbench: TheWorkbench,
    base_revision: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """Remove a file; 409 with the current text when it is not the revision that was read, if one is given."""
    workbench.applications.delete_file(application, path, base_revision)
    return Response(status_code=204)
