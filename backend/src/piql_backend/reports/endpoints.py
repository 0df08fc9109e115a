"""HTTP for reports of applications. They are taken from this machine alone (docs/decisions/0039)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from piql.reporting.hosts import is_loopback

from piql_backend.reports.schemas import ReportedRead, Shipment, ShipmentTakenRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import ApiError, declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/reports", tags=["reports"])


def refuse_elsewhere(request: Request) -> None:
    """Raise ApiError 403 for a request that does not come from this machine."""
    if request.client is None or not is_loopback(request.client.host):
        raise ApiError(
            403,
            "report-from-elsewhere",
            "Reports are accepted only from the machine of the workbench.",
            "Send reports to a proxy on that machine, which asks for the token.",
        )


@router.post("", responses=declared(403, 422))
@needs(in_application("developer"))
def take_report(shipment: Shipment, request: Request, environment: TheEnvironment) -> ShipmentTakenRead:
    """Count what an application executed. It is on disk once this is answered; sent again, it is not counted again."""
    refuse_elsewhere(request)
    return environment.reports.take(shipment)


@router.get("")
@needs(in_application("viewer"))
def read_reports(
    environment: TheEnvironment,
    window_seconds: Annotated[float, Query(gt=0, le=90 * 86_400, allow_inf_nan=False)] = 3600,
) -> ReportedRead:
    """What applications reported of the last `window_seconds`, by query."""
    return environment.reports.read(window_seconds)
