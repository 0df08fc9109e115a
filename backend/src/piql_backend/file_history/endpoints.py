"""The endpoints of the saves of an application."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from piql_backend.file_history.schemas import SaveDetailRead, SaveRead
from piql_backend.web.dependencies import TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.pages import Page, WishedPage
from piql_backend.web.schemas import FilePath

router = APIRouter(route_class=GuardedRoute, prefix="/applications/{application}/saves", tags=["history"])


@router.get("", responses=declared(404, 503))
@needs(in_application("viewer"))
def list_saves(
    application: str,
    wish: WishedPage,
    workbench: TheWorkbench,
    path: Annotated[FilePath | None, Query(description="Only saves that changed this file.")] = None,
) -> Page[SaveRead]:
    """The saves, the newest first; what was changed outside of the workbench is recorded now."""
    return workbench.applications.saves(application, wish, path)


@router.get("/{number}", responses=declared(404, 503))
@needs(in_application("viewer"))
def read_save(
    application: str, number: Annotated[int, Path(ge=1, le=2**31)], workbench: TheWorkbench
) -> SaveDetailRead:
    """One save with the text of every file as it was then."""
    return workbench.applications.save(application, number)
