"""Refuses requests while there are too many connections, or requests under way, in the shape of every other refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from starlette.types import ASGIApp, Receive, Scope, Send

from piql_backend.web.refusal import send_refusal
from piql_backend.web.retry_after import RETRY_AFTER, SECONDS

MOST_CONNECTIONS = 1000
_HEADERS = [(RETRY_AFTER.lower().encode(), str(SECONDS).encode()), (b"connection", b"close")]


class ConnectionLimit:
    """Middleware that answers 503 while `count` returns more than MOST_CONNECTIONS; the outermost of all."""

    def __init__(self, app: object, count: Callable[[], int]) -> None:
        self._app = cast(ASGIApp, app)
        self._count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._count() > MOST_CONNECTIONS:
            message = f"More than {MOST_CONNECTIONS:,} connections or requests are open."
            await send_refusal(scope, send, 503, "too-many-connections", message, "Try again in a moment.", _HEADERS)
        else:
            await self._app(scope, receive, send)
