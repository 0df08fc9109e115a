"""Refuses bodies that are too large, before anything reads them whole."""

from __future__ import annotations

import contextlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from piql_backend.web.refusal import send_refusal

MAX_BODY_BYTES = 5_000_000
_MOST_DISCARDED = 20_000_000  # bytes of a refused body: a client that sends still more may see its connection reset


class _TooLarge(Exception):
    """The body has passed the limit."""


class RequestLimit:
    """Answers 413 by the declared length, or when more than the limit has arrived.

    Before it answers, the rest of the body is taken from the connection and thrown away: many clients read an answer
    only after they have sent everything, and closing the connection before would reset it.
    """

    def __init__(self, app: ASGIApp, max_bytes: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self._max_bytes:
            if declared.isdigit() and int(declared) <= _MOST_DISCARDED and b"expect" not in headers:
                await _discard(receive)
            await self._refuse(send)
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
                await _discard(receive)
            await self._refuse(send)

    async def _refuse(self, send: Send) -> None:
        message = f"The body is larger than {self._max_bytes // 1_000_000} MB."
        advice = "Send fewer or smaller files."
        await send_refusal(send, 413, "body-too-large", message, advice, [(b"connection", b"close")])


async def _discard(receive: Receive) -> None:
    """Read a body to its end, up to `_MOST_DISCARDED` bytes, and keep nothing of it."""
    left = _MOST_DISCARDED
    while left > 0:
        message = await receive()
        if not message.get("more_body", False):  # its end, or the client is gone
            return
        left -= len(message.get("body", b""))
