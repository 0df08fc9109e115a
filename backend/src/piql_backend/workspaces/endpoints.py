"""HTTP for the files of workspaces: list, read, create, save, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from piql_backend.dependencies import TheWorkbench
from piql_backend.errors import declared
from piql_backend.pages import Page, WishedPage
from piql_backend.workspaces.schemas import FileCreate, FileRead, FileUpdate, WorkspaceRead, WorkspaceSummaryRead

router = APIRouter(prefix="/workspaces", tags=["workspaces"])


@router.get("")
def list_workspaces(wish: WishedPage, workbench: TheWorkbench) -> Page[WorkspaceSummaryRead]:
    """The workspaces by name."""
    return workbench.workspaces.page(wish)


@router.get("/{workspace_id}", responses=declared(404))
def read_workspace(workspace_id: str, wish: WishedPage, workbench: TheWorkbench) -> WorkspaceRead:
    """One workspace with its files: those of schemas, which stand at the top, come first."""
    return workbench.workspaces.read(workspace_id, wish)


@router.post("/{workspace_id}/files", status_code=201, responses=declared(404, 409))
def create_file(workspace_id: str, file: FileCreate, workbench: TheWorkbench) -> FileRead:
    """A new file; 409 when there is one of that path."""
    return workbench.workspaces.create_file(workspace_id, file.path, file.text)


@router.put("/{workspace_id}/files/{path:path}", responses=declared(404, 409))
def save_file(workspace_id: str, path: str, file: FileUpdate, workbench: TheWorkbench) -> FileRead:
    """Save a file; 409 with the current text when it is not the revision that was edited."""
    return workbench.workspaces.save_file(workspace_id, path, file.text, file.base_revision)


@router.delete("/{workspace_id}/files/{path:path}", status_code=204, responses=declared(404, 409))
def delete_file(
    workspace_id: str,
    path: str,
    workbench: TheWorkbench,
    base_revision: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """Remove a file; 409 with the current text when it is not the revision that was read, if one is given."""
    workbench.workspaces.delete_file(workspace_id, path, base_revision)
    return Response(status_code=204)
