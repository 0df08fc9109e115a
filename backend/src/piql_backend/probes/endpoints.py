"""HTTP for machines: liveness, readiness, metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from piql.telemetry.exposition import CONTENT_TYPE

from piql_backend.probes.schemas import ProbeRead
from piql_backend.web.dependencies import TheWorkbench
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import ANYBODY, everywhere, needs

router = APIRouter(route_class=GuardedRoute, tags=["probes"])

_NOT_WELL: dict[int | str, dict[str, Any]] = {
    503: {"model": ProbeRead, "description": "It is not; `problems` says why."}
}


@router.get("/healthz", responses=_NOT_WELL)
@needs(ANYBODY)
async def read_liveness(response: Response, workbench: TheWorkbench) -> ProbeRead:
    """Whether the process is in order; when it is not, only a restart helps."""
    return _answer(workbench.probes.live(), response, workbench)


@router.get("/readyz", responses=_NOT_WELL)
@needs(ANYBODY)
async def read_readiness(response: Response, workbench: TheWorkbench) -> ProbeRead:
    """Whether the process can serve requests; problems of single environments are named, and do not count.

    Whether one environment works is what its own health says.
    """
    return _answer(await workbench.probes.ready(), response, workbench)


@router.get("/metrics", response_class=PlainTextResponse)
@needs(everywhere("viewer"))
async def read_metrics(workbench: TheWorkbench) -> Response:
    """Counts and times in Prometheus' text format."""
    return Response(await workbench.probes.metrics(), media_type=CONTENT_TYPE)


def _answer(probe: ProbeRead, response: Response, workbench: TheWorkbench) -> ProbeRead:
    response.headers["Cache-Control"] = "no-store"
    if not probe.is_well:
        response.status_code = 503
    if workbench.team is not None:  # strangers may ask, and problems name applications and hosts
        return ProbeRead(is_well=probe.is_well, problems=[])
    return probe
