"""Answers only to names that are this workbench's, so that no other name can be led to its address (DNS rebinding).

An address in figures needs no list: no page of somebody else's can have it as its name.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from piql_backend.web.addresses import is_address
from piql_backend.web.refusal import send_refusal


class AllowedHosts:
    """Answers 400 to a request whose Host is neither an address, nor localhost, nor one of the names given."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset({"localhost", *(name.lower().rstrip(".") for name in names)})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._allows(Headers(scope=scope).get("host", "")):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            advice = "Use its address, or start it with --allowed-host and that name."
            await send_refusal(send, 400, "unknown-host", "This workbench does not answer to that host name.", advice)

    def _allows(self, host: str) -> bool:
        name = host_name(host)
        return name in self._names or is_address(name)


def host_name(host: str) -> str:
    """The name of a Host header, in small letters, without its port."""
    if host.startswith("["):
        address, _, rest = host[1:].partition("]")
        return host if rest and not rest.startswith(":") else address  # `[::1].example` is a name
    return host.partition(":")[0].lower().rstrip(".")
