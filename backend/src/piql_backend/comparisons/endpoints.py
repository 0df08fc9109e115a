"""HTTP for two sets of files: what differs between them."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.comparisons.schemas import ChangesRead, ComparisonCreate
from piql_backend.web.dependencies import TheWorkbench
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, needs

router = APIRouter(route_class=GuardedRoute, prefix="/comparisons", tags=["compilations"])


@router.post("", response_model=ChangesRead)
@needs(SIGNED_IN)
async def create_comparison(request: ComparisonCreate, workbench: TheWorkbench) -> Response:
    """Compile two sets of files and compare them; what does not compile counts as it is. Nothing is kept."""
    return await workbench.workers.answer("compare", request, request.after)
