"""Middleware that unpacks the bodies of reports, OTLP and load runs, compressed by gzip; others come as they are."""

from __future__ import annotations

import zlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from piql_backend.web.refusal import send_refusal
from piql_backend.web.same_origin import OTLP

MOST_BYTES = 20_000_000  # unpacked
_GZIP = zlib.MAX_WBITS | 16
_ENDS = (
    "/reports",
    OTLP,
    "/load-runs/reported",
    "/seconds",
    "/reported-result",
)  # of the paths of programs that report


class CompressedBodies:
    """Answers 400 to a body that is not gzip, 413 to one that is too large unpacked."""

    def __init__(self, app: ASGIApp, most_bytes: int = MOST_BYTES) -> None:
        self._app = app
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"]) if scope["type"] == "http" else {}
        if headers.get(b"content-encoding", b"").lower() != b"gzip" or not scope["path"].endswith(_ENDS):
            await self._app(scope, receive, send)
            return
        packed = b""
        while True:
            message = await receive()
            packed += message.get("body", b"")
            if not message.get("more_body", False):
                break
        unpacking = zlib.decompressobj(_GZIP)
        try:
            body = unpacking.decompress(packed, self._most_bytes)
        except zlib.error:
            await send_refusal(
                scope, send, 400, "invalid-json", "The body is not compressed by gzip, as its header says."
            )
            return
        if unpacking.unconsumed_tail:
            message_text = f"The body is larger than {self._most_bytes // 1_000_000} MB when it is unpacked."
            await send_refusal(scope, send, 413, "body-too-large", message_text, "Send it in parts.")
            return
        unwanted = (b"content-encoding", b"content-length")
        plain = [(name, value) for name, value in scope["headers"] if name not in unwanted]
        plain.append((b"content-length", str(len(body)).encode()))

        async def unpacked() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app({**scope, "headers": plain}, unpacked, send)
