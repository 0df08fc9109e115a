"""Hands requests on to the writer, and its answers back, piece by piece.

the writer does not answer yet      →  wait until there is one: nothing was sent
it is gone before it has answered   →  a request that only reads is sent to the next writer; of any other nobody knows
                                       whether it was carried out: 502 without a body of ours, as any proxy says it
it is there, and stands still       →  503, once it answers nobody: not even a question that it answers in no time
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from starlette.types import Message, Receive, Scope, Send

from piql_backend.hosting.forwarded_sockets import forward_socket
from piql_backend.hosting.writer_connections import Answer, Header, Lost, NotSent, WriterConnections
from piql_backend.web.trusted_proxies import PROXY_USER

SECONDS_OF_SILENCE = 8.0  # of the writer towards everybody, before it is asked whether it is there
SECONDS_TO_PROVE = 4.0  # that it is there
_LEAST_SECONDS = 1.0  # for which a request waits before that
SECONDS_TO_WAIT = 25.0  # for a writer: as long as one takes to open many environments
_PAUSE_SECONDS = 0.1
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OF_CONNECTION = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade"}
)
_OF_BODY = frozenset({b"content-length", b"expect"})
_PROOF = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
_STILL_READING = b"The server that has the data folder stands still. Ask again once it goes on or is ended.\n"
_STILL_WRITING = (
    b"The server that has the data folder stands still. Once it goes on or is ended, look whether this was carried out,"
    b" before you ask for it again.\n"
)
_REPLACED = frozenset({b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"forwarded"})

Address = Callable[[], Awaitable[str | None]]


class Forwarding:
    """An application that gives every request to the server at `address`, which is asked for each time.

    `user_header` is the header in which a proxy names people, if any.
    """

    def __init__(self, address: Address, user_header: str | None = None) -> None:
        self._address = address
        self._user_header = None if user_header is None else user_header.lower().encode()
        self._connections = WriterConnections()
        self._heard_at = 0.0  # in seconds of the event loop: when the writer said something to anybody
        self._proving: asyncio.Task[bool] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*self._passed(scope["headers"]), *self._of_client(scope)]
        if scope["type"] == "websocket":
            await forward_socket(scope, receive, send, self._wait_for_writer, headers)
            return
        body = await _body_of(receive)
        if body is None:
            return
        has_begun = False

        async def noted_send(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        answering = asyncio.ensure_future(self._answer(scope, headers, body, noted_send))
        leaving = asyncio.ensure_future(_end_of(receive))
        is_still = False
        try:
            while not (answering.done() or leaving.done() or is_still):
                await asyncio.wait(
                    (answering, leaving), timeout=self._seconds_to_wait(), return_when=asyncio.FIRST_COMPLETED
                )
                is_still = not (answering.done() or leaving.done()) and await self._stands_still()
            if answering.done():
                answering.result()
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)
        if is_still and not has_begun:
            await _send_away(send, 503, _STILL_READING if scope["method"] in _SAFE else _STILL_WRITING)
        elif is_still:
            raise Lost

    def _seconds_to_wait(self) -> float:
        """How long the writer may be silent from now on."""
        return max(_LEAST_SECONDS, self._heard_at + SECONDS_OF_SILENCE - asyncio.get_running_loop().time())

    async def _stands_still(self) -> bool:
        """Whether there is a writer that says nothing to anybody, though it is asked what it answers in no time."""
        if asyncio.get_running_loop().time() - self._heard_at < SECONDS_OF_SILENCE:
            return False
        if self._proving is None or self._proving.done():
            self._proving = asyncio.ensure_future(self._is_silent())
        return await asyncio.shield(self._proving)

    async def _is_silent(self) -> bool:
        address = await self._address()
        if address is None:  # there is none, which is waited for
            return False
        try:
            async with asyncio.timeout(SECONDS_TO_PROVE):
                answer = await self._connections.send(address, _PROOF, b"", is_head=False)
                answer.close()
        except TimeoutError:
            return True
        except (NotSent, Lost):  # it ends: whoever waits finds that out
            return False
        self._heard_at = asyncio.get_running_loop().time()
        return False

    async def close(self) -> None:
        await self._connections.close()

    async def _answer(self, scope: Scope, headers: list[Header], body: bytes, send: Send) -> None:
        """Send the answer of the writer, or of the next one where this one ends before it answers."""
        answer = await self._response(scope, headers, body)
        if answer is None:
            await _send_away(send, 502, b"No server has the data folder, or it ended before it answered.\n")
            return
        try:
            passed = [header for header in answer.headers if header[0] not in _OF_CONNECTION]
            await send({"type": "http.response.start", "status": answer.status, "headers": passed})
            rest = answer.length
            async for piece in answer.pieces():
                self._heard_at = asyncio.get_running_loop().time()
                rest = None if rest is None else rest - len(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": rest != 0})
            if rest != 0 or answer.length == 0:
                await send({"type": "http.response.body", "body": b""})
        finally:
            answer.close()

    async def _response(self, scope: Scope, headers: list[Header], body: bytes) -> Answer | None:
        """The answer of a writer, whose body is not read yet; None where there is none."""
        deadline = asyncio.get_running_loop().time() + SECONDS_TO_WAIT
        method, head = scope["method"], _head_of(scope, headers, body)
        while (address := await self._wait_for_writer(deadline)) is not None:
            try:
                answer = await self._connections.send(address, head, body, method == "HEAD")
                self._heard_at = asyncio.get_running_loop().time()
                return answer
            except NotSent:
                await asyncio.sleep(_PAUSE_SECONDS)
            except Lost:
                if method not in _SAFE:
                    return None
                await asyncio.sleep(_PAUSE_SECONDS)
        return None

    async def _wait_for_writer(self, deadline: float) -> str | None:
        """The address of the writer, once there is one; None at the deadline, in seconds of the event loop."""
        while asyncio.get_running_loop().time() < deadline:
            address = await self._address()
            if address is not None:
                return address
            await asyncio.sleep(_PAUSE_SECONDS)
        return None

    def _passed(self, headers: Iterable[Header]) -> list[Header]:
        left_out = _OF_CONNECTION | _REPLACED | ({self._user_header} if self._user_header else set())
        return [(name, value) for name, value in headers if name not in left_out]

    def _of_client(self, scope: Scope) -> list[Header]:
        """Who asks, as this server judges it: the writer believes it as of any proxy that it trusts."""
        scheme = str(scope["scheme"]).replace("ws", "http")
        added = [(b"x-forwarded-proto", scheme.encode())]
        if scope.get("client"):
            added.append((b"x-forwarded-for", str(scope["client"][0]).encode()))
        named: Any = scope.get("state", {}).get(PROXY_USER)
        if self._user_header is not None and named is not None:
            added.append((self._user_header, str(named).encode("latin-1", "replace")))
        return added


async def _body_of(receive: Receive) -> bytes | None:
    """The whole body of a request; None where its sender has gone."""
    pieces: list[bytes] = []
    while True:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(pieces)


async def _end_of(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _head_of(scope: Scope, headers: Iterable[Header], body: bytes) -> bytes:
    """The head of a request as it is sent: its body is whole by now, so it has a length."""
    query = scope["query_string"]
    path = (scope.get("raw_path") or quote(scope["path"]).encode()) + (b"?" + query if query else b"")
    lines = [scope["method"].encode() + b" " + path + b" HTTP/1.1"]
    lines += [name + b": " + value for name, value in headers if name not in _OF_BODY]
    if body or scope["method"] not in _SAFE:
        lines.append(b"content-length: %d" % len(body))
    return b"\r\n".join([*lines, b"", b""])


async def _send_away(send: Send, status: int, text: bytes) -> None:
    """Say what any proxy says of a server that is away: pages keep what was typed, and save it once it is back."""
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(text)).encode()),
        (b"retry-after", b"1"),
        (b"cache-control", b"no-store"),
    ]
    with suppress(OSError):
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": text})
