"""HTTP for experiments of the papers: list, run, cancel, look at what was found."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.experiments.schemas import ExperimentRead, ExperimentResultRead
from piql_backend.web.dependencies import Id, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, everywhere, needs

_PAGE = {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A page that needs nothing else."}
_FIGURE = {"content": {"image/svg+xml": {"schema": {"type": "string"}}}, "description": "A picture."}

router = APIRouter(route_class=GuardedRoute, prefix="/experiments", tags=["experiments"])


@router.get("")
@needs(SIGNED_IN)
async def list_experiments(workbench: TheWorkbench) -> list[ExperimentRead]:
    """All experiments, each with the verdicts of its last run."""
    return await workbench.experiments.list()


@router.get("/{name}", responses=declared(404))
@needs(SIGNED_IN)
async def read_experiment(name: Id, workbench: TheWorkbench) -> ExperimentRead:
    """One experiment."""
    return await workbench.experiments.read(name)


@router.post("/{name}/runs", status_code=202, responses=declared(404, 409))
@needs(everywhere("developer"))
async def run_experiment(name: Id, workbench: TheWorkbench) -> ExperimentRead:
    """Run an experiment as `piql experiment` does; 409 while one runs."""
    return await workbench.experiments.start(name)


@router.post("/{name}/cancel", status_code=202, responses=declared(404, 409))
@needs(everywhere("developer"))
async def cancel_experiment(name: Id, workbench: TheWorkbench) -> ExperimentRead:
    """Stop an experiment; what its last whole run found stays. 409 when it does not run."""
    return await workbench.experiments.cancel(name)


@router.get("/{name}/result", responses=declared(404, 409))
@needs(SIGNED_IN)
async def read_experiment_result(name: Id, workbench: TheWorkbench) -> ExperimentResultRead:
    """The rows of the last run, and how they came about."""
    return await workbench.experiments.result(name)


@router.get("/{name}/figure", response_class=Response, responses={200: _FIGURE, **declared(404, 409)})
@needs(SIGNED_IN)
async def read_experiment_figure(name: Id, workbench: TheWorkbench) -> Response:
    """The figure of the last run, as SVG."""
    figure = await workbench.experiments.figure(name)
    return Response(figure, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})


@router.get("/{name}/page", response_class=Response, responses={200: _PAGE, **declared(404, 409)})
@needs(SIGNED_IN)
async def read_experiment_page(name: Id, workbench: TheWorkbench) -> Response:
    """The page of the last run as one file, as `piql experiment` writes it."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.html"', "Cache-Control": "no-store"}
    return Response(await workbench.experiments.page(name), media_type="text/html", headers=headers)
