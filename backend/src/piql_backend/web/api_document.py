"""The OpenAPI document of the API, completed by what FastAPI cannot know: the answers of the middleware.

Middleware refuses requests before an endpoint is called (403, 413, 415, 429, 503) and answers 304 after it. The gate
of a team refuses what somebody may not (401, 403, 404).
"""

from __future__ import annotations

from threading import Lock
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from piql_backend.web.errors import described
from piql_backend.web.guarded_routes import GuardedRoute, needs_of
from piql_backend.web.needs import ANYBODY, needs
from piql_backend.web.retry_after import PASSING_STATUSES, RETRY_AFTER
from piql_backend.web.same_origin import SAFE_METHODS

_RETRY_HEADER = {
    "description": "Ask again after so many seconds.",
    "required": True,
    "schema": {"type": "integer"},
}


class DocumentedApi(FastAPI):
    """A FastAPI application whose document declares what its middleware and its gate may answer.

    The document is built when it is first requested. That takes a while, so a thread does it and no request waits.
    """

    def __init__(self, *, document_path: str, **options: Any) -> None:
        self._lock = Lock()
        super().__init__(openapi_url=None, **options)
        self.router.route_class = GuardedRoute

        @needs(ANYBODY)  # it is the same for every workbench
        def read_document() -> JSONResponse:
            return JSONResponse(self.openapi())

        self.add_api_route(document_path, read_document, include_in_schema=False)

    def openapi(self) -> dict[str, Any]:
        """Return the document, built once."""
        with self._lock:
            return self._build()

    def _build(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            document, needed = super().openapi(), needs_of(self)
            for path, operations in document["paths"].items():
                for method, operation in operations.items():
                    responses = operation["responses"]
                    of_gate = needed[f"{method.upper()} {path}"].refusals
                    for status in (*_refusals(method, operation), *of_gate):
                        responses.setdefault(str(status), described(status))
                    for status in PASSING_STATUSES:
                        responses[str(status)]["headers"] = {RETRY_AFTER: _RETRY_HEADER}
                    if method == "get" and "application/json" in responses.get("200", {}).get("content", {}):
                        responses["304"] = {"description": "The client has it, by its `If-None-Match`."}
        return super().openapi()


def _refusals(method: str, operation: dict[str, Any]) -> tuple[int, ...]:
    """Return the statuses with which middleware may refuse a request."""
    if method.upper() in SAFE_METHODS:
        return (429, 503)
    return (403, 413, 415, 429, 503) if "requestBody" in operation else (403, 413, 429, 503)
