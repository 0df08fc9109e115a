"""HTTP for the dashboard over all applications."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from piql_backend.overview.schemas import OverviewRead
from piql_backend.web.dependencies import AnyVisitor, TheWorkbench
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, needs
from piql_backend.web.pages import Page, WishedPage
from piql_backend.web.visitor import sight_of

router = APIRouter(route_class=GuardedRoute, tags=["latency"])
Window = Annotated[float, Query(gt=0, le=90 * 86_400, allow_inf_nan=False)]


@router.get("/overview")
@needs(SIGNED_IN)
async def read_overview(
    wish: WishedPage, workbench: TheWorkbench, visitor: AnyVisitor, window_seconds: Window = 3600
) -> Page[OverviewRead]:
    """What is in danger in each environment of the applications in which one has a role; archived ones are left out.

    Environments are opened to be read. An answer is kept for ten seconds.
    """
    return await workbench.overview.page(wish, window_seconds, sight_of(visitor))
