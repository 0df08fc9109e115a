"""Hands a socket on to the writer: messages go both ways until one side closes, which closes the other one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from piql_backend.live_sessions.participant import MOST_MESSAGE_BYTES

SECONDS_TO_OPEN = 10.0
_AWAY = 1012  # the service restarts: a page opens another socket
_UNSENT = frozenset({1005, 1006, 1015})  # codes that no side may send
_OWN = frozenset(
    {b"host", b"sec-websocket-key", b"sec-websocket-version", b"sec-websocket-extensions", b"sec-websocket-protocol"}
)

Header = tuple[bytes, bytes]
Waiting = Callable[[float], Awaitable[str | None]]


async def forward_socket(
    scope: Scope, receive: Receive, send: Send, writer: Waiting, headers: Sequence[Header]
) -> None:
    """Open the same socket at the writer, whose address `writer` gives before a time of the event loop."""
    await receive()  # websocket.connect
    address = await writer(asyncio.get_running_loop().time() + SECONDS_TO_OPEN)
    if address is None:
        await send({"type": "websocket.close", "code": _AWAY})
        return
    host, _, port = address.rpartition(":")
    named = dict(scope["headers"]).get(b"host", address.encode()).decode("latin-1")
    path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    passed = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers if name not in _OWN]
    try:
        upstream = await connect(
            f"ws://{named}{path}{query and '?'}{query}",
            host=host.strip("[]"),
            port=int(port),
            additional_headers=passed,
            subprotocols=scope.get("subprotocols") or None,
            user_agent_header=None,
            compression=None,
            max_size=MOST_MESSAGE_BYTES,
            open_timeout=SECONDS_TO_OPEN,
            proxy=None,
        )
    except InvalidStatus as refusal:
        answer = refusal.response
        raw = [(b"content-type", answer.headers.get("content-type", "application/json").encode())]
        await send({"type": "websocket.http.response.start", "status": answer.status_code, "headers": raw})
        await send({"type": "websocket.http.response.body", "body": answer.body or b""})
        return
    except (OSError, InvalidHandshake, TimeoutError):
        await send({"type": "websocket.close", "code": _AWAY})
        return
    async with upstream:
        await send({"type": "websocket.accept", "subprotocol": upstream.subprotocol})
        await _exchange(receive, send, upstream)


async def _exchange(receive: Receive, send: Send, upstream: ClientConnection) -> None:
    """Pass messages on until one side closes."""
    tasks = [asyncio.ensure_future(_to_writer(receive, upstream)), asyncio.ensure_future(_from_writer(send, upstream))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _to_writer(receive: Receive, upstream: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        while (message := await receive())["type"] == "websocket.receive":
            content = message.get("bytes")
            await upstream.send(content if content is not None else message["text"])


async def _from_writer(send: Send, upstream: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        async for content in upstream:
            kind = "text" if isinstance(content, str) else "bytes"
            await send({"type": "websocket.send", kind: content})
    code = upstream.close_code
    sendable = code if code is not None and code not in _UNSENT else _AWAY
    with suppress(OSError, RuntimeError):
        await send({"type": "websocket.close", "code": sendable, "reason": upstream.close_reason or ""})
