"""Metrics over OTLP/HTTP, as OpenTelemetry's SDKs and collectors send them; like reports, from this machine alone."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response

from piql_backend.otlp.messages import UnreadableBody, accepted, encoding_of, read_request, refusal
from piql_backend.reports.endpoints import refuse_elsewhere
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/otlp", tags=["reports"])

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_BODIES = {"application/x-protobuf": _BINARY, "application/json": {"schema": {}}}
_STATUS = {"type": "object", "required": ["message"], "properties": {"message": {"type": "string"}}}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "ExportMetricsServiceResponse.", "content": _BODIES},
    400: {
        "description": "The body is no request of OTLP: a google.rpc.Status in its encoding says why.",
        "content": {**_BODIES, "application/json": {"schema": _STATUS}},
    },
    **declared(403),
}


@router.post(
    "/v1/metrics",
    responses=_RESPONSES,
    response_class=Response,
    openapi_extra={"requestBody": {"required": True, "content": _BODIES}},
)
@needs(in_application("developer"))
async def take_metrics(request: Request, environment: TheEnvironment) -> Response:
    """Count what an application executed, from histograms of OpenTelemetry (ExportMetricsServiceRequest).

    The answer is in the encoding of the body. It says how many data points were refused, and why.
    """
    refuse_elsewhere(request)
    encoding = encoding_of(request.headers.get("content-type", ""))
    body = await request.body()
    try:
        message = await asyncio.to_thread(read_request, body, encoding)
    except UnreadableBody as error:
        return Response(refusal(str(error), encoding), 400, media_type=encoding)
    refused = await asyncio.to_thread(environment.otlp.take, message)
    return Response(accepted(refused, encoding), media_type=encoding)
