"""HTTP for running a deployed query, and for values to try it with."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.executions.schemas import ExecutionCreate, ExecutionRead, SampleParametersRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(
    route_class=GuardedRoute, prefix="/deployments/{deployment_id}/queries/{name:path}", tags=["executions"]
)


@router.post("/executions", response_model=ExecutionRead, responses=declared(404, 409, 503))
@needs(in_application("developer"))
async def create_execution(
    deployment_id: str, name: str, request: ExecutionCreate, environment: TheEnvironment
) -> Response:
    """Run a query of the live deployment, `live` or its id; 409 for one that has been replaced.

    422 with `invalid-parameter`, `invalid-cursor`, `stale-cursor`, `cardinality-violation`, `duplicate-key`,
    `foreign-key-violation`, `constraint-violation` or `condition-failed`.
    """
    execution = await environment.executions.execute(deployment_id, name, request)
    return Response(execution, media_type="application/json")


@router.get("/sample-parameters", responses=declared(404, 409, 503))
@needs(in_application("viewer"))
async def read_sample_parameters(deployment_id: str, name: str, environment: TheEnvironment) -> SampleParametersRead:
    """Values that exist in the data, to fill the form with."""
    return await environment.executions.sample_parameters(deployment_id, name)
