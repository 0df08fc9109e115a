"""HTTP for deploy requests: rules, list, open, revise, review, comment, withdraw, deploy, try."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query

from piql_backend.deploy_requests.schemas import (
    CommentCreate,
    CommentRead,
    CommentUpdate,
    DeployRequestCreate,
    DeployRequestDetailRead,
    DeployRequestRead,
    RequestCanaryCreate,
    RequestDeploymentCreate,
    RequestState,
    ReviewCreate,
    RevisionCreate,
    RevisionRead,
    RulesRead,
    RulesWrite,
    TextWrite,
)
from piql_backend.deployments.schemas import BuildRead
from piql_backend.web.dependencies import AnyVisitor, Id, TheEnvironment, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.pages import Page, WishedPage
from piql_backend.web.visitor import Visitor

if TYPE_CHECKING:
    from piql_backend.deployments.service import Deployments
else:
    Deployments = Any  # the API document is made without the compiler, DuckDB and the profiler

router = APIRouter(route_class=GuardedRoute, prefix="/deploy-requests", tags=["deploy requests"])

Number = Annotated[int, Path(ge=1, le=2_000_000_000)]


@router.get("")
@needs(in_application("viewer"))
def list_deploy_requests(
    wish: WishedPage,
    environment: TheEnvironment,
    state: Annotated[RequestState | None, Query(description="Only those that are open, or that are over.")] = None,
) -> Page[DeployRequestRead]:
    """The deploy requests of the environment, the newest first."""
    return environment.deploy_requests.page(wish, state)


@router.get("/rules", responses=declared(503))
@needs(in_application("viewer"))
def read_deploy_rules(environment: TheEnvironment) -> RulesRead:
    """What the environment asks of deploy requests, and whether it takes deployments without one."""
    return environment.deploy_requests.rules.read()


@router.put("/rules")
@needs(in_application("administrator"))
def save_deploy_rules(rules: RulesWrite, environment: TheEnvironment) -> RulesRead:
    """Set what the environment asks; it holds for requests that are open, too."""
    return environment.deploy_requests.rules.save(rules)


@router.post("", status_code=201, responses=declared(404, 409, 503))
@needs(in_application("developer"))
async def open_deploy_request(
    application: Id,
    wish: DeployRequestCreate,
    environment: TheEnvironment,
    workbench: TheWorkbench,
    visitor: AnyVisitor,
) -> DeployRequestDetailRead:
    """Ask for a text to be deployed, based on what is live now; its groups under tighter limits are counted."""
    async with _source(workbench, application, wish.text) as source:
        return await asyncio.to_thread(environment.deploy_requests.open_request, wish, _name(visitor), source)


@router.get("/{number}", responses=declared(404, 503))
@needs(in_application("viewer"))
def read_deploy_request(number: Number, environment: TheEnvironment) -> DeployRequestDetailRead:
    """One request: what it changes, what was said of it, and what is missing before it may be deployed."""
    return environment.deploy_requests.read(number)


@router.get("/{number}/revisions", responses=declared(404))
@needs(in_application("viewer"))
def list_revisions(number: Number, wish: WishedPage, environment: TheEnvironment) -> Page[RevisionRead]:
    """The texts that a request asked for, the newest first."""
    return environment.deploy_requests.revisions(number, wish)


@router.post("/{number}/revisions", status_code=201, responses=declared(404, 409, 503))
@needs(in_application("developer"))
async def revise_deploy_request(
    application: Id,
    number: Number,
    wish: RevisionCreate,
    environment: TheEnvironment,
    workbench: TheWorkbench,
    visitor: AnyVisitor,
) -> DeployRequestDetailRead:
    """Give a request another text, or take what is live now as its base: verdicts on the one before hold no more."""
    async with _source(workbench, application, wish.text) as source:
        return await asyncio.to_thread(environment.deploy_requests.revise, number, wish, _name(visitor), source)


@router.post("/{number}/counts", responses=declared(404, 409, 503))
@needs(in_application("developer"))
def count_groups_again(number: Number, environment: TheEnvironment) -> DeployRequestDetailRead:
    """Count the groups under limits that become tighter anew, such as after rows were deleted."""
    return environment.deploy_requests.count_again(number)


@router.post("/{number}/reviews", status_code=201, responses=declared(403, 404, 409, 503))
@needs(in_application("reviewer"))
def review_deploy_request(
    number: Number, wish: ReviewCreate, environment: TheEnvironment, visitor: AnyVisitor
) -> DeployRequestDetailRead:
    """Approve the present text of a request, or refuse it; 403 for one's own where somebody else has to approve."""
    return environment.deploy_requests.review(number, wish, _name(visitor))


@router.post("/{number}/withdrawal", status_code=201, responses=declared(404, 409, 503))
@needs(in_application("developer"))
def withdraw_deploy_request(
    number: Number, environment: TheEnvironment, visitor: AnyVisitor
) -> DeployRequestDetailRead:
    """End a request that is not to be deployed."""
    return environment.deploy_requests.withdraw(number, _name(visitor))


@router.post("/{number}/deployment", status_code=202, responses=declared(404, 409, 503))
@needs(in_application("deployer"))
def deploy_request(
    number: Number, wish: RequestDeploymentCreate, environment: TheEnvironment, visitor: AnyVisitor
) -> BuildRead:
    """Begin to deploy a request; 409 with what is missing, or with what was deployed since its base."""
    return environment.deploy_requests.deploy(number, wish, _name(visitor))


@router.post("/{number}/canary", status_code=202, responses=declared(404, 409, 503))
@needs(in_application("deployer"))
def try_request(
    number: Number, wish: RequestCanaryCreate, environment: TheEnvironment, visitor: AnyVisitor
) -> BuildRead:
    """Begin to try a request on a share of the executions; 409 as for a deployment.

    422 with `compilation-refused` where the live version and this one cannot share rows or callers.
    """
    return environment.deploy_requests.try_out(number, wish, _name(visitor))


@router.get("/{number}/comments", responses=declared(404))
@needs(in_application("viewer"))
def list_comments(number: Number, wish: WishedPage, environment: TheEnvironment) -> Page[CommentRead]:
    """What was said about a request, the oldest first."""
    return environment.deploy_requests.comments(number, wish)


@router.post("/{number}/comments", status_code=201, responses=declared(404))
@needs(in_application("developer"))
def comment_on_deploy_request(
    number: Number, wish: CommentCreate, environment: TheEnvironment, visitor: AnyVisitor
) -> CommentRead:
    """Say something about a request, about one of its queries, or about a line of its text."""
    return environment.deploy_requests.comment(number, wish, _name(visitor))


@router.put("/{number}/comments/{comment}", responses=declared(404))
@needs(in_application("developer"))
def resolve_comment(
    number: Number, comment: Number, wish: CommentUpdate, environment: TheEnvironment, visitor: AnyVisitor
) -> CommentRead:
    """Say that a comment is settled, or that it is not."""
    return environment.deploy_requests.resolve(number, comment, wish, _name(visitor))


@asynccontextmanager
async def _source(workbench: TheWorkbench, application: str, text: TextWrite) -> AsyncIterator[Deployments | None]:
    """The deployments of the environment that a text is to come from; None where it comes from none."""
    if text.live_in is None:
        yield None
    else:
        async with workbench.environments.using(application, text.live_in.environment) as environment:
            yield environment.deployments


def _name(visitor: Visitor | None) -> str | None:
    return None if visitor is None else visitor.name
