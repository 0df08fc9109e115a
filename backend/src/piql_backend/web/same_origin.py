"""Middleware that refuses requests from pages of other origins: a browser names the origin, and no page can forge that.

`Sec-Fetch-Site` is the browser's own judgement and decides where it is sent; else `Origin` has to name this very host.
Programs send neither header, and are let through. Safe methods (GET, HEAD, OPTIONS) are not checked: they change
nothing, and a foreign page cannot read the answers. A websocket is checked.
"""

from __future__ import annotations

from piql.text.web_addresses import web_address_of
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from piql_backend.web.refusal import send_refusal

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = frozenset({"same-origin", "none"})  # none: begun by the user, such as by typing an address
_JSON = "application/json"
OTLP = "/otlp/v1/metrics"  # ends the path that takes metrics
_PROTOBUF = "application/x-protobuf"  # like JSON, no form of a foreign page can send it unasked


class SameOrigin:
    """Answers 403 to an unsafe request from another origin, 415 to a body of a type that its path does not take."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] != "lifespan" else Headers()
        is_http = scope["type"] == "http"
        if scope["type"] == "lifespan" or (is_http and scope["method"] in SAFE_METHODS):
            await self._app(scope, receive, send)
        elif _is_foreign(headers):
            message = (
                "The request comes from a page of another origin: only the workbench's own page may change things."
            )
            await send_refusal(scope, send, 403, "foreign-origin", message, "Open the workbench itself.")
        elif is_http and _has_body(headers) and _media_type(headers) not in _media_types(scope["path"]):
            message = "The body is not declared to be JSON."
            advice = f"Send it with Content-Type: {_JSON}."
            await send_refusal(scope, send, 415, "unsupported-media-type", message, advice)
        else:
            await self._app(scope, receive, send)


def _media_types(path: str) -> tuple[str, ...]:
    """The types of the bodies that a path takes."""
    return (_JSON, _PROTOBUF) if path.endswith(OTLP) else (_JSON,)


def _is_foreign(headers: Headers) -> bool:
    """Whether the headers say that a page of another origin sends the request."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in _OWN_SITES
    origin = headers.get("origin")
    if origin is None:
        return False
    parts = web_address_of(origin)
    return parts is None or parts.authority.lower() != headers.get("host", "").lower()


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _media_type(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()
