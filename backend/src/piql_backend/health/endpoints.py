from __future__ import annotations

from fastapi import APIRouter

from piql_backend.dependencies import TheWorkbench
from piql_backend.health.schemas import HealthRead

router = APIRouter(tags=["health"])


@router.get("/health")
async def read_health(workbench: TheWorkbench) -> HealthRead:
    """Whether the backend and its store are well; `instance_id` tells one start from the next."""
    return await workbench.health.read()
