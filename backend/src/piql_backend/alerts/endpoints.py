"""HTTP for alerts: their history, silences, and a test message."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter

from piql_backend.alerts.schemas import AlertsRead, SilenceRead, SilenceWrite, TestedRead
from piql_backend.web.dependencies import AnyVisitor, Id, TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/alerts", tags=["alerts"])


@router.get("")
@needs(in_application("viewer"))
def read_alerts(environment: TheEnvironment) -> AlertsRead:
    """Where alerts go, what is wrong now, the last alerts, and the silences that are not over."""
    return environment.alerts.read()


@router.post("/test")
@needs(in_application("deployer"))
def send_test(environment: TheEnvironment) -> Sequence[TestedRead]:
    """Send a test message to each destination now, and say whether it was taken."""
    return environment.alerts.test()


@router.post("/silences", status_code=201, responses=declared(409))
@needs(in_application("deployer"))
def create_silence(wish: SilenceWrite, environment: TheEnvironment, visitor: AnyVisitor) -> SilenceRead:
    """Tell nothing of a kind and a query for a time."""
    return environment.alerts.silence(wish, None if visitor is None else visitor.name)


@router.delete("/silences/{silence}", status_code=204, responses=declared(404))
@needs(in_application("deployer"))
def end_silence(silence: Id, environment: TheEnvironment) -> None:
    """End a silence now: what is still wrong is told at the next look."""
    environment.alerts.end_silence(silence)
