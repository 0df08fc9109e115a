"""HTTP for the version that is tried: read, change its share, promote, withdraw. A deploy request begins it."""

from __future__ import annotations

from fastapi import APIRouter

from piql_backend.canaries.schemas import CanaryEventRead, CanaryRead, DecisionWrite, ShareWrite
from piql_backend.deployments.schemas import DeploymentRead
from piql_backend.web.dependencies import AnyVisitor, TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/canary", tags=["canaries"])


@router.get("", responses=declared(503))
@needs(in_application("viewer"))
def read_canary(environment: TheEnvironment) -> CanaryRead | None:
    """The version that is tried, beside the live one; null where none is."""
    return environment.canaries.read()


@router.put("/share", responses=declared(404, 409, 503))
@needs(in_application("deployer"))
def set_canary_share(wish: ShareWrite, environment: TheEnvironment, visitor: AnyVisitor) -> CanaryRead:
    """Try the version on another share of the executions; the comparison begins anew."""
    return environment.canaries.set_share(wish, None if visitor is None else visitor.name)


@router.post("/promotion", status_code=201, responses=declared(404, 409, 503))
@needs(in_application("deployer"))
def promote_canary(wish: DecisionWrite, environment: TheEnvironment, visitor: AnyVisitor) -> DeploymentRead:
    """Make the version live that is tried."""
    return environment.canaries.promote(wish, None if visitor is None else visitor.name)


@router.post("/withdrawal", status_code=201, responses=declared(404, 409, 503))
@needs(in_application("deployer"))
def withdraw_canary(wish: DecisionWrite, environment: TheEnvironment, visitor: AnyVisitor) -> list[CanaryEventRead]:
    """Let no more executions go to the version that is tried; it never is live, and rows that were written stay."""
    return list(environment.canaries.withdraw(wish, None if visitor is None else visitor.name))
