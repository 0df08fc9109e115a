"""An answer given before the application is asked: in the shape of every other refusal."""

from __future__ import annotations

import json
from collections.abc import Iterable

from starlette.types import Send


async def send_refusal(
    send: Send,
    status: int,
    code: str,
    message: str,
    help: str | None = None,
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    """Send an `ErrorRead` of that status."""
    body = {"code": code, "message": message, "help": help, "diagnostics": None, "current": None}
    text = json.dumps(body).encode()
    length = str(len(text)).encode()
    all_headers = [(b"content-type", b"application/json"), (b"content-length", length), *headers]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": text})
