"""Refuses bodies that are too large, before anything reads them whole."""

from __future__ import annotations

import contextlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from piql_backend.web.refusal import send_refusal

MAX_BODY_BYTES = 5_000_000


class _TooLarge(Exception):
    """The body has passed the limit."""


class RequestLimit:
    """Answers 413 by the declared length, or as soon as more than the limit has arrived."""

    def __init__(self, app: ASGIApp, max_bytes: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self._max_bytes:
            await self._refuse(send)
            return
        arrived = 0

        async def counted_receive() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > self._max_bytes:
                raise _TooLarge
            return message

        async def checked_send(message: Message) -> None:
            if arrived <= self._max_bytes:  # else the answer is about a body that was cut off
                await send(message)

        with contextlib.suppress(_TooLarge):
            await self._app(scope, counted_receive, checked_send)
        if arrived > self._max_bytes:
            await self._refuse(send)

    async def _refuse(self, send: Send) -> None:
        message = f"The body is larger than {self._max_bytes // 1_000_000} MB."
        advice = "Send fewer or smaller files."
        await send_refusal(send, 413, "body-too-large", message, advice, [(b"connection", b"close")])
