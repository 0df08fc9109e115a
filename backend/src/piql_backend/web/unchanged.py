"""Middleware that sends no answer twice: a client names the one it has in `If-None-Match`, and 304 says it is the same.

    GET /api/applications/scadr                           200   ETag: "8a5f…"   Cache-Control: private, no-cache
    GET /api/applications/scadr  If-None-Match: "8a5f…"   304   no body

Browsers do this by themselves, so a page that asks every few seconds whether something has changed costs a few headers.
Only JSON answers to GET that come in one piece are compared: the digest of a stream would be known too late.
"""

from __future__ import annotations

import hashlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_DIGEST_BYTES = 16


class Unchanged:
    """Puts an `ETag` on every JSON answer to GET, and answers 304 where the client has it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        client_tags = Headers(scope=scope).get("if-none-match", "")
        held_back: Message | None = None  # the start of the answer, until its body is known

        async def send_once(message: Message) -> None:
            nonlocal held_back
            if message["type"] == "http.response.start" and _may_be_kept(message):
                held_back = message
                return
            if held_back is not None:
                start, held_back = held_back, None
                if not message.get("more_body", False):
                    message = _tagged(start, message, client_tags)
                await send(start)
            await send(message)

        await self._app(scope, receive, send_once)


def _may_be_kept(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    is_json = headers.get("content-type", "").partition(";")[0] == "application/json"
    return start["status"] == 200 and is_json and "cache-control" not in headers


def _tagged(start: Message, body: Message, client_tags: str) -> Message:
    """Add the tag to the headers of `start`; return the body, empty if the client has this tag already."""
    headers = MutableHeaders(raw=start["headers"])
    tag = f'"{hashlib.blake2b(body.get("body", b""), digest_size=_DIGEST_BYTES).hexdigest()}"'
    headers["ETag"] = tag
    headers["Cache-Control"] = "private, no-cache"  # to be kept, and asked about each time
    if tag in (part.strip().removeprefix("W/") for part in client_tags.split(",")):
        start["status"] = 304
        del headers["content-length"]
        del headers["content-type"]
        body = {**body, "body": b""}
    start["headers"] = headers.raw
    return body
