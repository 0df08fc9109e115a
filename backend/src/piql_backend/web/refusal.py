"""A refusal that middleware sends by itself, in the same shape as every refusal of an endpoint."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import Scope, Send

from piql_backend.web.errors import ApiError


async def send_refusal(
    scope: Scope,
    send: Send,
    status: int,
    code: str,
    message: str,
    help: str | None = None,
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    """Send an `ErrorRead` of that status; a socket is closed before it is open."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    text = ApiError(status, code, message, help).body.model_dump_json().encode()
    length = str(len(text)).encode()
    all_headers = [(b"content-type", b"application/json"), (b"content-length", length), *headers]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": text})
