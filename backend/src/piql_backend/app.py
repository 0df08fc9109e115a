"""The application: the resources below /api, and the built front end for everything else.

/api/<resource>                                                        ROUTERS
/api/applications/{application}/environments/{environment}/<resource>  ENVIRONMENT_ROUTERS
/api/applications/{application}/live/{path}                            SOCKET
/healthz, /readyz, /metrics                                            for machines
everything else                                                        the front end
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from piql_backend import __version__
from piql_backend.ad_hoc.endpoints import router as ad_hoc
from piql_backend.alerts.endpoints import router as alerts
from piql_backend.application_imports.endpoints import router as application_imports
from piql_backend.applications.endpoints import router as applications
from piql_backend.archives.endpoints import router as archives
from piql_backend.bursts.endpoints import router as bursts
from piql_backend.canaries.endpoints import router as canaries
from piql_backend.comparisons.endpoints import router as comparisons
from piql_backend.compilations.endpoints import router as compilations
from piql_backend.deploy_requests.endpoints import router as deploy_requests
from piql_backend.deployments.endpoints import router as deployments
from piql_backend.environments.endpoints import router as environments
from piql_backend.environments.sample_endpoints import router as sample
from piql_backend.executions.endpoints import router as executions
from piql_backend.experiments.endpoints import router as experiments
from piql_backend.file_history.endpoints import router as file_history
from piql_backend.generations.endpoints import router as generations
from piql_backend.headroom.endpoints import router as headroom
from piql_backend.health.endpoints import router as health
from piql_backend.imports.endpoints import router as imports
from piql_backend.language.endpoints import router as language
from piql_backend.latency.endpoints import router as latency
from piql_backend.live_sessions.endpoints import SOCKET
from piql_backend.load_runs.endpoints import router as load_runs
from piql_backend.oidc.endpoints import router as sign_ins
from piql_backend.operator_times.endpoints import router as operator_times
from piql_backend.otlp.endpoints import router as otlp
from piql_backend.overview.endpoints import router as overview
from piql_backend.parameter_sets.endpoints import router as parameter_sets
from piql_backend.people.endpoints import router as people
from piql_backend.people.login_endpoints import router as logins
from piql_backend.people.member_endpoints import router as members
from piql_backend.predictions.endpoints import router as predictions
from piql_backend.prices.endpoints import router as prices
from piql_backend.probes.endpoints import router as probes
from piql_backend.probes.request_counts import RequestCounts
from piql_backend.profile_runs.endpoints import router as profile_runs
from piql_backend.prometheus_rules.endpoints import router as prometheus_rules
from piql_backend.pulse.endpoints import router as pulse
from piql_backend.reports.endpoints import router as reports
from piql_backend.schema_imports.endpoints import router as schema_imports
from piql_backend.settings import Settings
from piql_backend.slos.endpoints import router as slos
from piql_backend.tables.endpoints import router as tables
from piql_backend.threads.endpoints import router as threads
from piql_backend.web.allowed_hosts import AllowedHosts
from piql_backend.web.api_document import DocumentedApi
from piql_backend.web.compressed_bodies import CompressedBodies
from piql_backend.web.errors import add_error_handlers, declared
from piql_backend.web.front_end import add_front_end
from piql_backend.web.guarded_routes import Gate, OpenGate, refuse_undeclared
from piql_backend.web.prefix import BelowPrefix
from piql_backend.web.rate_limit import RateLimit
from piql_backend.web.request_limit import RequestLimit
from piql_backend.web.retry_after import RetryAfter
from piql_backend.web.same_origin import SameOrigin
from piql_backend.web.security_headers import SecurityHeaders
from piql_backend.web.sifted_routes import sifted
from piql_backend.web.trusted_proxies import TrustedProxies
from piql_backend.web.unchanged import Unchanged
from piql_backend.web.wrong_methods import with_wrong_methods
from piql_backend.weeks.endpoints import router as weeks

if TYPE_CHECKING:
    from piql_backend.people.service import People
    from piql_backend.workbench import Workbench

ROUTERS = (
    health,
    pulse,
    people,
    sign_ins,
    logins,
    members,
    applications,
    archives,
    application_imports,
    environments,
    file_history,
    parameter_sets,
    threads,
    compilations,
    comparisons,
    experiments,
    overview,
    language,
    schema_imports,
)
ENVIRONMENT_ROUTERS = (
    profile_runs,
    load_runs,
    predictions,
    prices,
    sample,
    deployments,
    deploy_requests,
    canaries,
    executions,
    ad_hoc,
    bursts,
    tables,
    imports,
    generations,
    headroom,
    slos,
    prometheus_rules,
    latency,
    weeks,
    operator_times,
    alerts,
    reports,
    otlp,
)


class Running(Protocol):
    """What the application needs of a workbench, besides what its endpoints do: it may also be a follower."""

    @property
    def team(self) -> People | None: ...

    @property
    def probes(self) -> Probing: ...

    async def open(self) -> None: ...

    async def close(self) -> None: ...


class Probing(Protocol):
    """What answers the probes."""

    requests: Counter[tuple[str, int]]


def create_app(settings: Settings | None = None, workbench: Running | None = None) -> FastAPI:
    """Build the application. Unless a workbench is given, one is made of the settings when the application starts."""
    chosen = settings or Settings()
    counts: Counter[tuple[str, int]] = Counter()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        running = workbench or _make_workbench(chosen)
        app.state.workbench = running
        if running.team is not None:
            app.state.gate = _gate_of(running.team)
        running.probes.requests = counts
        try:
            await running.open()
            yield
        finally:
            await running.close()

    app = DocumentedApi(
        title="PIQL Workbench",
        version=__version__,
        document_path="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        middleware=[  # in the order in which a request passes them
            Middleware(BelowPrefix, prefix=chosen.root_path),
            Middleware(RequestCounts, counts=counts),
            Middleware(SecurityHeaders),
            Middleware(RetryAfter),
            Middleware(TrustedProxies, listed=chosen.trusted_proxies, user_header=chosen.trust_proxy_user),
            Middleware(AllowedHosts, names=chosen.allowed_hosts),
            Middleware(SameOrigin),
            Middleware(RateLimit, rates=chosen.rates),
            Middleware(RequestLimit),
            Middleware(CompressedBodies),
            Middleware(Unchanged),
        ],
    )
    if not chosen.team:  # a team's gate is there once its people are: until then, no route answers
        app.state.gate = OpenGate()
    add_error_handlers(app)
    app.router.routes.extend(_routes())
    app.router.routes.append(SOCKET)
    add_front_end(app, chosen.frontend)
    refuse_undeclared(app)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """The routes that depend on no setting: what each takes and gives is worked out once (0.2 s), not for each app."""
    every = APIRouter(generate_unique_id_function=_operation_id, responses=declared(400, 422, 503, 507))
    every.include_router(probes)
    for router in ROUTERS:
        every.include_router(router, prefix="/api")
    for router in ENVIRONMENT_ROUTERS:
        prefix = "/api/applications/{application}/environments/{environment}"
        every.include_router(router, prefix=prefix, responses=declared(404, 409))
    return with_wrong_methods(sifted(every.routes))


def _make_workbench(settings: Settings) -> Workbench:
    from piql_backend.workbench import Workbench  # the API document is made without the compiler and DuckDB

    return Workbench(settings)


def _gate_of(team: People) -> Gate:
    from piql_backend.people.gate import TeamGate  # the API document is made without SQLAlchemy and Argon2

    return TeamGate(team)


def _operation_id(route: APIRoute) -> str:
    return route.name
