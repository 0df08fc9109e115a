"""HTTP for load runs: start, follow, cancel, look at the result, compare, delete."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from piql_backend.load_runs.permission import refusal_of, refuse_load
from piql_backend.load_runs.schemas import (
    LoadComparisonRead,
    LoadOptionsRead,
    LoadResultRead,
    LoadResultReport,
    LoadRunCreate,
    LoadRunRead,
    LoadRunReport,
    LoadSecondsReport,
)
from piql_backend.web.dependencies import AnyVisitor, Id, TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.pages import Page, WishedPage

_EVENTS = {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "Server-sent events."}
_PAGE = {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A page that needs nothing else."}
_FILE = {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "The file."}
_FILES = {"json": ("result.json", "application/json"), "hlog": ("run.hlog", "text/plain")}

router = APIRouter(route_class=GuardedRoute, prefix="/load-runs", tags=["load runs"])


@router.get("")
@needs(in_application("viewer"))
async def list_load_runs(wish: WishedPage, environment: TheEnvironment) -> Page[LoadRunRead]:
    """The runs, the newest first."""
    return environment.load_runs.page(wish)


@router.post("", status_code=201, responses=declared(403, 404, 409))
@needs(in_application("developer"))
async def create_load_run(
    application: Id, request: LoadRunCreate, environment: TheEnvironment, visitor: AnyVisitor
) -> LoadRunRead:
    """Call deployed queries as `piql load-test` does; 403 where the rules of the environment do not let you.

    409 while another load run or a profile run is under way, 422 for a query that writes and is not in `allow_writes`.
    """
    await asyncio.to_thread(refuse_load, environment.deploy_requests.rules, visitor, application)
    return await environment.load_runs.create(request, "" if visitor is None else visitor.name)


@router.post("/reported", status_code=201, responses=declared(404, 409))
@needs(in_application("developer"))
async def begin_reported_load_run(
    request: LoadRunReport, environment: TheEnvironment, visitor: AnyVisitor
) -> LoadRunRead:
    """List a run that `piql load-test --report` carries out elsewhere; it fails after a minute without seconds."""
    return await environment.load_runs.begin_reported(request, "" if visitor is None else visitor.name)


@router.post("/{run_id}/seconds", responses=declared(404, 409))
@needs(in_application("developer"))
async def report_load_seconds(run_id: str, report: LoadSecondsReport, environment: TheEnvironment) -> LoadRunRead:
    """Add seconds to a run that is reported. The answer is `cancelling` where somebody has cancelled it."""
    return environment.load_runs.add_reported(run_id, report.seconds)


@router.post("/{run_id}/reported-result", responses=declared(404, 409, 422))
@needs(in_application("developer"))
async def report_load_result(run_id: str, report: LoadResultReport, environment: TheEnvironment) -> LoadRunRead:
    """End a run that is reported with what came of it."""
    return await environment.load_runs.end_reported(run_id, report.result)


@router.get("/options", responses=declared(404))
@needs(in_application("viewer"))
async def read_load_options(application: Id, environment: TheEnvironment, visitor: AnyVisitor) -> LoadOptionsRead:
    """Whether whoever asks may start a run here, and which mixes of the samples fit what is live."""
    refusal = await asyncio.to_thread(refusal_of, environment.deploy_requests.rules, visitor, application)
    return LoadOptionsRead(refusal=refusal, mixes=await environment.load_runs.mixes())


@router.get("/{run_id}", responses=declared(404))
@needs(in_application("viewer"))
async def read_load_run(run_id: str, environment: TheEnvironment) -> LoadRunRead:
    """One run and how far it is."""
    return environment.load_runs.read(run_id)


@router.post("/{run_id}/cancel", responses=declared(404, 409))
@needs(in_application("developer"))
async def cancel_load_run(run_id: str, environment: TheEnvironment) -> LoadRunRead:
    """Stop a run; what it measured until then is kept. 409 when it has ended already."""
    return await environment.load_runs.cancel(run_id)


@router.delete("/{run_id}", status_code=204, responses=declared(404, 409))
@needs(in_application("developer"))
async def delete_load_run(run_id: str, environment: TheEnvironment) -> Response:
    """Remove a run that has ended, with its result."""
    await environment.load_runs.delete(run_id)
    return Response(status_code=204)


@router.get("/{run_id}/result", responses=declared(404, 409))
@needs(in_application("viewer"))
async def read_load_result(run_id: str, environment: TheEnvironment) -> LoadResultRead:
    """What came of a run that has ended, in the words of the command, with its seconds."""
    return await environment.load_runs.result(run_id)


@router.get("/{run_id}/page", response_class=Response, responses={200: _PAGE, **declared(404, 409)})
@needs(in_application("viewer"))
async def read_load_page(run_id: str, environment: TheEnvironment) -> Response:
    """The result as one HTML file, as `piql load-test --html` writes it."""
    return _sent(await environment.load_runs.html(run_id), f"{run_id}.html", "text/html")


@router.get("/{run_id}/file", response_class=Response, responses={200: _FILE, **declared(404, 409)})
@needs(in_application("viewer"))
async def read_load_file(
    run_id: str, environment: TheEnvironment, kind: Annotated[Literal["json", "hlog"], Query()] = "json"
) -> Response:
    """The result as JSON, which `piql load-test --compare` reads, or as an HdrHistogram log."""
    name, media_type = _FILES[kind]
    text = await asyncio.to_thread(environment.load_runs.file(run_id, name).read_text, "utf-8")
    return _sent(text, f"{run_id}.{kind}", media_type)


@router.get("/{run_id}/comparisons/{other_id}", responses=declared(404, 409))
@needs(in_application("viewer"))
async def compare_load_runs(run_id: str, other_id: str, environment: TheEnvironment) -> LoadComparisonRead:
    """Whether the queries of the other run were slower, at equal rates, by a test with a stated error."""
    return await environment.load_runs.compare(run_id, other_id)


@router.get("/{run_id}/events", response_class=StreamingResponse, responses={200: _EVENTS, **declared(404)})
@needs(in_application("viewer"))
async def stream_load_run(run_id: str, environment: TheEnvironment) -> StreamingResponse:
    """Server-sent events until the run ends: `run` with a LoadRunRead, `seconds` with a list of LoadSecondRead.

    Whoever begins to listen is sent all seconds of the run so far.
    """
    return StreamingResponse(
        environment.load_runs.events(run_id),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _sent(text: str, name: str, media_type: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text, media_type=media_type, headers=headers)
