"""HTTP for observed latencies beside the predictions stored with a deployment."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from piql_backend.latency.schemas import (
    LatencyChartsRead,
    LatencyRead,
    OverLoadRead,
    OverSizeRead,
    UnusualQueriesRead,
    UnusualRead,
)
from piql_backend.latency.sources import Source
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/latency", tags=["latency"])
Window = Annotated[float, Query(gt=0, le=90 * 86_400, allow_inf_nan=False)]


@router.get("/{deployment_id}", response_model=LatencyRead, responses=declared(404))
@needs(in_application("viewer"))
async def read_latency(
    deployment_id: str,
    environment: TheEnvironment,
    window_seconds: Window = 3600,
    source: Source = "both",
) -> Response:
    """Each query of a deployment over the last `window_seconds`, beside the prediction stored with it.

    `source`: executions by the workbench itself, those that applications reported, or both.
    """
    return await environment.answers.read(
        ("latency", deployment_id, window_seconds, source),
        lambda: environment.latency.read(deployment_id, window_seconds, source),
    )


@router.get("/{deployment_id}/charts/{query:path}", response_model=LatencyChartsRead, responses=declared(404))
@needs(in_application("viewer"))
async def read_charts(
    deployment_id: str,
    query: str,
    environment: TheEnvironment,
    window_seconds: Window = 3600,
    source: Source = "both",
) -> Response:
    """One query over the last `window_seconds`: its quantiles over time, and how often each latency was seen."""
    return await environment.answers.read(
        ("charts", deployment_id, query, window_seconds, source),
        lambda: environment.latency.charts(deployment_id, query, window_seconds, source),
    )


@router.get("/{deployment_id}/load/{query:path}", response_model=OverLoadRead, responses=declared(404))
@needs(in_application("viewer"))
async def read_over_load(
    deployment_id: str, query: str, environment: TheEnvironment, source: Source = "both"
) -> Response:
    """The p99 of a query by the hour over the load of the last four weeks, and whether it is independent of it."""
    return await environment.answers.read(
        ("load", deployment_id, query, source), lambda: environment.latency.over_load(deployment_id, query, source)
    )


@router.get("/{deployment_id}/size/{query:path}", response_model=OverSizeRead, responses=declared(404))
@needs(in_application("viewer"))
async def read_over_size(
    deployment_id: str,
    query: str,
    environment: TheEnvironment,
    window_seconds: Window = 3600,
    source: Source = "both",
) -> Response:
    """The p99 of a query over the size of what it read, by class of sizes, beside the prediction for each."""
    return await environment.answers.read(
        ("size", deployment_id, query, window_seconds, source),
        lambda: environment.latency.over_size(deployment_id, query, window_seconds, source),
    )


@router.get("/{deployment_id}/unusual", response_model=UnusualQueriesRead, responses=declared(404))
@needs(in_application("viewer"))
async def read_all_unusual(deployment_id: str, environment: TheEnvironment, source: Source = "both") -> Response:
    """The queries whose last hours are unlike their own past. It is looked at once an hour; this is the last look."""
    return await environment.answers.read(
        ("unusual queries", deployment_id, source), lambda: environment.latency.all_unusual(deployment_id, source)
    )


@router.get("/{deployment_id}/unusual/{query:path}", response_model=UnusualRead, responses=declared(404))
@needs(in_application("viewer"))
async def read_unusual(
    deployment_id: str, query: str, environment: TheEnvironment, source: Source = "both"
) -> Response:
    """Whether the last 1, 6 and 24 whole hours of a query are unlike the same hours of the weeks before."""
    return await environment.answers.read(
        ("unusual", deployment_id, query, source), lambda: environment.latency.unusual(deployment_id, query, source)
    )
