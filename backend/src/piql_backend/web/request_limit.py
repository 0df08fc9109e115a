"""Refuses bodies that are too large, before anything reads them whole."""

from __future__ import annotations

import contextlib

from piql_service.web.bodies import discard, discard_declared, is_declared_longer
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from piql_backend.web.refusal import send_refusal

MAX_BODY_BYTES = 5_000_000


class _TooLarge(Exception):
    """The body has passed the limit."""


class RequestLimit:
    """Answers 413 by the declared length, or when more than the limit has arrived, behind the body's end."""

    def __init__(self, app: ASGIApp, max_bytes: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if is_declared_longer(headers, self._max_bytes):
            await discard_declared(receive, headers)
            await self._refuse(scope, send)
            return
        arrived, is_over = 0, False

        async def counted_receive() -> Message:
            nonlocal arrived, is_over
            message = await receive()
            arrived += len(message.get("body", b""))
            is_over = not message.get("more_body", False)
            if arrived > self._max_bytes:
                raise _TooLarge
            return message

        async def checked_send(message: Message) -> None:
            if arrived <= self._max_bytes:  # else the answer is about a body that was cut off
                await send(message)

        with contextlib.suppress(_TooLarge):
            await self._app(scope, counted_receive, checked_send)
        if arrived > self._max_bytes:
            if not is_over:
                await discard(receive)
            await self._refuse(scope, send)

    async def _refuse(self, scope: Scope, send: Send) -> None:
        message = f"The body is larger than {self._max_bytes // 1_000_000} MB."
        advice = "Send fewer or smaller files."
        await send_refusal(scope, send, 413, "body-too-large", message, advice, [(b"connection", b"close")])
