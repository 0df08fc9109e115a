"""HTTP for where the time of executions goes, and for how well operators are predicted."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from piql_backend.latency.sources import Source
from piql_backend.operator_times.schemas import OperatorTimesRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/operator-times", tags=["latency"])


@router.get("/{deployment_id}", response_model=OperatorTimesRead, responses=declared(404))
@needs(in_application("viewer"))
async def read_operator_times(
    deployment_id: str,
    environment: TheEnvironment,
    window_seconds: Annotated[float, Query(gt=0, le=8 * 86_400, allow_inf_nan=False)] = 3600,
    source: Source = "both",
) -> Response:
    """Which operators the slowest executions of each query spend their time in, and how well each is predicted.

    Both are of samples: one in 64 executions, at most 20 a second of each process, and kept for eight days.
    """
    return await environment.answers.read(
        ("operator times", deployment_id, window_seconds, source),
        lambda: environment.operator_times.read(deployment_id, window_seconds, source),
    )
