"""HTTP for profile runs: start, follow, cancel, resume, look again, delete."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from piql_backend.profile_runs.logs import LOG_MEDIA_TYPE, log_of
from piql_backend.profile_runs.schemas import ProfileRunCreate, ProfileRunImport, ProfileRunRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.pages import Page, WishedPage

_LOG = {"content": {LOG_MEDIA_TYPE: {"schema": {"type": "string"}}}, "description": "An HdrHistogram log."}
_EVENTS = {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "Server-sent events."}

router = APIRouter(route_class=GuardedRoute, prefix="/profile-runs", tags=["profile runs"])


@router.get("")
@needs(in_application("viewer"))
async def list_profile_runs(wish: WishedPage, environment: TheEnvironment) -> Page[ProfileRunRead]:
    """The runs, the newest first."""
    return environment.profile_runs.page(wish)


@router.post("", status_code=201, responses=declared(403, 404, 409))
@needs(in_application("developer"))
async def create_profile_run(request: ProfileRunCreate, environment: TheEnvironment) -> ProfileRunRead:
    """Start a run, or queue it behind the one under way; 403 for a store that the workbench was not started with."""
    return await environment.profile_runs.create(request)


@router.post("/imports", status_code=201, responses=declared(409))
@needs(in_application("developer"))
async def import_profile_run(request: ProfileRunImport, environment: TheEnvironment) -> ProfileRunRead:
    """Make a run of an HdrHistogram log, in a process of its own; the run fails with what is wrong in the log."""
    return await environment.profile_runs.import_log(request)


@router.get("/{run_id}", responses=declared(404))
@needs(in_application("viewer"))
async def read_profile_run(run_id: str, environment: TheEnvironment) -> ProfileRunRead:
    """One run and how far it is."""
    return environment.profile_runs.read(run_id)


@router.post("/{run_id}/cancel", responses=declared(404, 409))
@needs(in_application("developer"))
async def cancel_profile_run(run_id: str, environment: TheEnvironment) -> ProfileRunRead:
    """Stop a run; what it measured until then is kept for a resumption. 409 when it has ended already."""
    return await environment.profile_runs.cancel(run_id)


@router.post("/{run_id}/resume", responses=declared(404, 409))
@needs(in_application("developer"))
async def resume_profile_run(run_id: str, environment: TheEnvironment) -> ProfileRunRead:
    """Go on with a run that was cancelled or failed, behind the intervals that are whole; 409 for any other."""
    return await environment.profile_runs.resume(run_id)


@router.post("/{run_id}/look", responses=declared(404, 409))
@needs(in_application("developer"))
async def look_at_profile_run(run_id: str, environment: TheEnvironment) -> ProfileRunRead:
    """Measure a few points of a run that is done again, for some seconds: `drift` says how they compare."""
    return await environment.profile_runs.look(run_id)


@router.get("/{run_id}/log", response_class=Response, responses={200: _LOG, **declared(404, 409)})
@needs(in_application("viewer"))
async def read_log_of_profile_run(run_id: str, environment: TheEnvironment) -> Response:
    """The histograms of a run that is done, as an HdrHistogram log that other tools read."""
    return await log_of(environment.profile_runs.measurements_of(run_id), f"{run_id}.hlog")


@router.delete("/{run_id}", status_code=204, responses=declared(404, 409))
@needs(in_application("developer"))
async def delete_profile_run(run_id: str, environment: TheEnvironment) -> Response:
    """Remove a run that has ended, with its measurements."""
    await environment.profile_runs.delete(run_id)
    return Response(status_code=204)


@router.get(
    "/{run_id}/events",
    response_class=StreamingResponse,
    responses={200: _EVENTS, **declared(404)},
)
@needs(in_application("viewer"))
async def stream_profile_run(run_id: str, environment: TheEnvironment) -> StreamingResponse:
    """Server-sent events: `event: progress` with a ProfileRunRead at once and at each change, until the run ends."""
    return StreamingResponse(
        environment.profile_runs.events(run_id),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
