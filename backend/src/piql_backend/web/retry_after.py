"""Middleware that tells a client when to ask again: every answer 429 and 503 has a `Retry-After`."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

RETRY_AFTER = "Retry-After"
SECONDS = 1  # where the answer names no other time: a store that is away is tried again every second
PASSING_STATUSES = frozenset({429, 503})  # refusals of a state that passes by itself


class RetryAfter:
    """Adds the header to every answer of these statuses that does not have it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_header(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in PASSING_STATUSES:
                MutableHeaders(scope=message).setdefault(RETRY_AFTER, str(SECONDS))
            await send(message)

        await self._app(scope, receive, send_with_header)
