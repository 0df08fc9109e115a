"""HTTP for versions of the query set: preview, deploy, list, pause, resume, cancel, roll back."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from piql_backend.deployments.schemas import (
    PERSON,
    BuildCreate,
    BuildRead,
    DeploymentCreate,
    DeploymentDetailRead,
    DeploymentRead,
    PreviewCreate,
    PreviewRead,
    PromotionCreate,
    PromotionPreviewCreate,
    PromotionPreviewRead,
    RollbackCreate,
    RollbackPreviewRead,
)
from piql_backend.web.dependencies import AnyVisitor, Id, TheEnvironment, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.pages import Page, WishedPage
from piql_backend.web.visitor import Visitor

router = APIRouter(route_class=GuardedRoute, prefix="/deployments", tags=["deployments"])


@router.get("")
@needs(in_application("viewer"))
def list_deployments(wish: WishedPage, environment: TheEnvironment) -> Page[DeploymentRead]:
    """The versions, the newest first."""
    return environment.deployments.page(wish)


@router.post("/preview", responses=declared(404, 409))
@needs(in_application("viewer"))
def preview_deployment(request: PreviewCreate, environment: TheEnvironment) -> PreviewRead:
    """What deploying these files would change, and which saved SLOs it is predicted to break."""
    preview = environment.deployments.preview(request)
    return preview.model_copy(update={"slos_at_risk": list(environment.slos.at_risk(request.files, request.run_id))})


@router.post("", status_code=201, responses=declared(403, 404, 409, 428, 503))
@needs(in_application("deployer"))
def create_deployment(request: DeploymentCreate, environment: TheEnvironment, visitor: AnyVisitor) -> DeploymentRead:
    """Deploy a query set; 422 with diagnostics when a query is refused, 409 when live is not what the user saw.

    403 where the environment takes deployments by deploy requests alone.
    """
    environment.deploy_requests.rules.refuse_direct()
    return environment.deployments.deploy(request, _details(visitor))


@router.get("/rollback/preview", responses=declared(409, 503))
@needs(in_application("viewer"))
def preview_rollback(environment: TheEnvironment) -> RollbackPreviewRead:
    """What rolling back would change."""
    return environment.deployments.preview_rollback()


@router.post("/rollback", status_code=201, responses=declared(409, 503))
@needs(in_application("deployer"))
def roll_back(request: RollbackCreate, environment: TheEnvironment, visitor: AnyVisitor) -> DeploymentRead:
    """Make the version before live again, as a new version; all rows stay."""
    return environment.deployments.rollback(request, visitor.name if visitor else None)


@router.post("/builds", status_code=202, responses=declared(403, 404, 409, 428, 503))
@needs(in_application("deployer"))
def create_build(request: BuildCreate, environment: TheEnvironment, visitor: AnyVisitor) -> BuildRead:
    """Begin to deploy a query set: indexes are built while the live version runs; 403 as for a deployment."""
    environment.deploy_requests.rules.refuse_direct()
    return environment.deployments.begin(request, _details(visitor))


@router.post("/promotions/preview", responses=declared(404, 409, 503))
@needs(in_application("viewer"))
async def preview_promotion(
    application: Id, request: PromotionPreviewCreate, environment: TheEnvironment, workbench: TheWorkbench
) -> PromotionPreviewRead:
    """What deploying here what is live in another environment would change."""
    async with workbench.environments.using(application, request.environment) as source:
        return await asyncio.to_thread(environment.preview_promotion, source, request)


@router.post("/promotions", status_code=202, responses=declared(403, 404, 409, 428, 503))
@needs(in_application("deployer"))
async def create_promotion(
    application: Id,
    request: PromotionCreate,
    environment: TheEnvironment,
    workbench: TheWorkbench,
    visitor: AnyVisitor,
) -> BuildRead:
    """Begin to deploy here what is live in another environment: compiled anew, and checked against the data here.

    403 as for a deployment.
    """
    environment.deploy_requests.rules.refuse_direct()
    async with workbench.environments.using(application, request.environment) as source:
        return await asyncio.to_thread(environment.promote, source, request, _details(visitor))


@router.get("/builds/latest", responses=declared(503))
@needs(in_application("viewer"))
def read_build(environment: TheEnvironment) -> BuildRead | None:
    """How far the version on its way has come, or how the last one ended; null when there was none."""
    return environment.deployments.building.read()


@router.post("/builds/latest/pause", responses=declared(404, 409, 503))
@needs(in_application("deployer"))
def pause_build(environment: TheEnvironment) -> BuildRead:
    """Let the version on its way rest."""
    return environment.deployments.building.pause()


@router.post("/builds/latest/resume", responses=declared(404, 409, 503))
@needs(in_application("deployer"))
def resume_build(environment: TheEnvironment) -> BuildRead:
    """Go on with the version on its way."""
    return environment.deployments.building.resume()


@router.post("/builds/latest/cancel", responses=declared(404, 409, 503))
@needs(in_application("deployer"))
def cancel_build(environment: TheEnvironment) -> BuildRead:
    """Give up the version on its way; the live one stays."""
    return environment.deployments.building.cancel()


@router.get("/{deployment_id}", responses=declared(404))
@needs(in_application("viewer"))
def read_deployment(deployment_id: str, environment: TheEnvironment) -> DeploymentDetailRead:
    """One version with its files, bounds and indexes; `live` is the one that runs."""
    return environment.deployments.read(deployment_id)


def _details(visitor: Visitor | None) -> dict[str, str]:
    """What the store keeps of a version beside its texts: who of a team deployed it."""
    return {} if visitor is None else {PERSON: visitor.name}
