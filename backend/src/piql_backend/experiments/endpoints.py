"""HTTP for experiments of the papers: list, run, cancel, look at what was found."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response

from piql_backend.experiments.schemas import (
    ExperimentRead,
    ExperimentResultRead,
    ExperimentRunCreate,
    ExperimentStoreRead,
)
from piql_backend.web.dependencies import AnyVisitor, Id, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, everywhere, needs
from piql_backend.web.pages import Page, WishedPage

_PAGE = {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A page that needs nothing else."}
_FIGURE = {"content": {"image/svg+xml": {"schema": {"type": "string"}}}, "description": "A picture."}
_USUAL = ExperimentRunCreate()

router = APIRouter(route_class=GuardedRoute, prefix="/experiments", tags=["experiments"])


@router.get("")
@needs(SIGNED_IN)
async def list_experiments(workbench: TheWorkbench) -> list[ExperimentRead]:
    """All experiments, each with the verdicts of its last run."""
    return await workbench.experiments.list()


@router.get("/stores", responses=declared())
@needs(SIGNED_IN)
async def list_experiment_stores(
    wish: WishedPage, workbench: TheWorkbench, visitor: AnyVisitor
) -> Page[ExperimentStoreRead]:
    """The stores on which one may run experiments: an embedded one, and the clusters that one deploys to."""
    return await asyncio.to_thread(workbench.experiment_stores.page, wish, visitor)


@router.get("/{name}", responses=declared(404))
@needs(SIGNED_IN)
async def read_experiment(name: Id, workbench: TheWorkbench) -> ExperimentRead:
    """One experiment."""
    return await workbench.experiments.read(name)


@router.post("/{name}/runs", status_code=202, responses=declared(403, 404, 409))
@needs(everywhere("developer"))
async def run_experiment(
    name: Id, workbench: TheWorkbench, visitor: AnyVisitor, request: ExperimentRunCreate = _USUAL
) -> ExperimentRead:
    """Run an experiment as `piql experiment` does; 409 while one runs.

    On the store of an environment it makes databases of its own, which stay there. This needs the role deployer in the
    application. 422 for an experiment that takes no store.
    """
    chosen = request.run_on
    url = None if chosen is None else await asyncio.to_thread(workbench.experiment_stores.url, chosen, visitor)
    return await workbench.experiments.start(name, url)


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
