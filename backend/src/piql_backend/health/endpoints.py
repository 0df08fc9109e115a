"""HTTP for the state of the workbench and its store, as the status bar shows it."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.dependencies import TheWorkbench
from piql_backend.health.schemas import HealthRead

router = APIRouter(tags=["health"])


@router.get("/health", responses={503: {"model": HealthRead, "description": "Something does not answer."}})
async def read_health(response: Response, workbench: TheWorkbench) -> HealthRead:
    """Whether the backend and its store are well, 503 if not; `instance_id` tells one start from the next."""
    health = await workbench.health.read()
    if health.status != "ok":
        response.status_code = 503
    return health
