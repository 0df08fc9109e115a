"""Middleware that counts the answers by method and status, for the metrics."""

from __future__ import annotations

from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


class RequestCounts:
    """Counts into a counter of `(method, status)`, on the event loop alone; unknown methods are counted as `other`."""

    def __init__(self, app: ASGIApp, counts: Counter[tuple[str, int]]) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                method = scope["method"] if scope["method"] in _METHODS else "other"
                self._counts[method, message["status"]] += 1
            await send(message)

        await self._app(scope, receive, counted_send if scope["type"] == "http" else send)
