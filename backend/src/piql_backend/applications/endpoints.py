"""HTTP for applications and their files: list, read, create, save, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from piql_backend.applications.schemas import ApplicationRead, ApplicationSummaryRead, FileCreate, FileRead, FileUpdate
from piql_backend.dependencies import TheWorkbench
from piql_backend.errors import declared
from piql_backend.pages import Page, WishedPage

router = APIRouter(prefix="/applications", tags=["applications"])


@router.get("")
def list_applications(wish: WishedPage, workbench: TheWorkbench) -> Page[ApplicationSummaryRead]:
    """The applications by name."""
    return workbench.applications.page(wish)


@router.get("/{application}", responses=declared(404))
def read_application(application: str, wish: WishedPage, workbench: TheWorkbench) -> ApplicationRead:
    """One application with its files: those of schemas, which stand at the top, come first."""
    return workbench.applications.read(application, wish)


@router.post("/{application}/files", status_code=201, responses=declared(404, 409))
def create_file(application: str, file: FileCreate, workbench: TheWorkbench) -> FileRead:
    """A new file; 409 when there is one of that path."""
    return workbench.applications.create_file(application, file.path, file.text)


@router.put("/{application}/files/{path:path}", responses=declared(404, 409))
def save_file(application: str, path: str, file: FileUpdate, workbench: TheWorkbench) -> FileRead:
    """Save a file; 409 with the current text when it is not the revision that was edited."""
    return workbench.applications.save_file(application, path, file.text, file.base_revision)


@router.delete("/{application}/files/{path:path}", status_code=204, responses=declared(404, 409))
def delete_file(
    application: str,
    path: str,
    workbench: TheWorkbench,
    base_revision: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """Remove a file; 409 with the current text when it is not the revision that was read, if one is given."""
    workbench.applications.delete_file(application, path, base_revision)
    return Response(status_code=204)
