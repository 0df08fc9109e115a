from __future__ import annotations

from fastapi import APIRouter

from piql_backend.dependencies import TheWorkbench
from piql_backend.deployments.schemas import (
    DeploymentCreate,
    DeploymentDetailRead,
    DeploymentRead,
    PreviewCreate,
    PreviewRead,
)
from piql_backend.errors import declared

router = APIRouter(prefix="/deployments", tags=["deployments"])


@router.get("")
def list_deployments(workbench: TheWorkbench) -> list[DeploymentRead]:
    """All versions, the newest first."""
    return workbench.deployments.list()


@router.post("/preview")
def preview_deployment(request: PreviewCreate, workbench: TheWorkbench) -> PreviewRead:
    """What deploying these files would change."""
    return workbench.deployments.preview(request.files)


@router.post("", status_code=201, responses=declared(404, 503))
def create_deployment(request: DeploymentCreate, workbench: TheWorkbench) -> DeploymentRead:
    """Deploy a query set; 422 with the editor's diagnostics when a query is refused."""
    return workbench.deployments.deploy(request)


@router.get("/{deployment_id}", responses=declared(404))
def read_deployment(deployment_id: str, workbench: TheWorkbench) -> DeploymentDetailRead:
    """One version with its files, bounds and indexes; `live` is the one that runs."""
    return workbench.deployments.read(deployment_id)
