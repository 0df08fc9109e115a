"""Answers only to names that are this workbench's, so that no other name can be led to its address (DNS rebinding)."""

from __future__ import annotations

from collections.abc import Iterable

from piql_service.web.hosts import Hosts
from starlette.types import ASGIApp, Receive, Scope, Send

from piql_backend.web.refusal import send_refusal


class AllowedHosts:
    """Answers 400 to a request whose Host is neither an address, nor localhost, nor one of the names given."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._hosts = Hosts(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._hosts.allows(_host(scope)):
            await self._app(scope, receive, send)
        else:
            advice = "Use its address, or start it with --allowed-host and that name."
            await send_refusal(
                scope, send, 400, "unknown-host", "This workbench does not answer to that host name.", advice
            )


def _host(scope: Scope) -> bytes:
    """The Host header of a request, empty where it has none."""
    return next((value for name, value in scope["headers"] if name == b"host"), b"")
