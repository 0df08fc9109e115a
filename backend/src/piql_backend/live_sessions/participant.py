"""One socket of a live session: what it may send, what waits to be sent to it, and why it is closed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from starlette.websockets import WebSocket, WebSocketDisconnect

from piql_backend.web.allowances import Allowance, Allowances
from piql_backend.web.errors import ApiError
from piql_backend.web.guarded_sockets import Pass
from piql_backend.web.needs import in_application

log = logging.getLogger(__name__)

MOST_MESSAGE_BYTES = 4_000_000  # a text of the longest length, in UTF-8
MOST_WAITING_BYTES = 16_000_000  # for one client that does not read
MESSAGES = Allowance(at_once=600, seconds=0.01)  # of one client

READS, WRITES = in_application("viewer"), in_application("developer")

# Why a socket is closed: those of the protocol, and those that say what HTTP says by 4xx.
NOT_UNDERSTOOD, TOO_OFTEN, TOO_LARGE, RESTART, LATER = 1007, 1008, 1009, 1012, 1013
STATUS = 4000  # is added to a status of HTTP
GONE = STATUS + 404


class Participant:
    """Somebody who edits, or looks on."""

    def __init__(self, socket: WebSocket, passed: Pass) -> None:
        self.passed = passed
        self.may_write = False
        self.edits = 0  # messages with edits that were taken from it
        self._socket = socket
        self._messages = Allowances[None]()
        self._waiting: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._waiting_bytes = 0
        self._end: tuple[int, str] | None = None

    @property
    def is_over(self) -> bool:
        return self._end is not None

    async def check(self) -> None:
        """Find out what it may now; it is ended where it may not even read, or where nobody can tell."""
        try:
            no_reading, no_writing = await self.passed.refusals(READS, WRITES)
        except Exception:
            log.exception("what a participant may cannot be found out")
            self.end(LATER, "What you may cannot be found out now.")
            return
        if no_reading is not None:
            self.refuse(no_reading)
        self.may_write = no_writing is None

    def send(self, message: bytes) -> None:
        """Let a message be sent; a client that does not read is ended."""
        if self._end is not None:
            return
        self._waiting_bytes += len(message)
        if self._waiting_bytes > MOST_WAITING_BYTES:
            self.end(LATER, "This page reads too slowly.")
        else:
            self._waiting.put_nowait(message)

    def refuse(self, refusal: ApiError) -> None:
        """End it for a reason that HTTP has a status for."""
        self.end(STATUS + refusal.status, refusal.body.message)

    def end(self, code: int, reason: str) -> None:
        """Close the socket, once what waits was sent."""
        if self._end is None:
            self._end = code, reason.encode()[:120].decode("utf-8", "ignore")  # a close has room for 123 bytes
            self._waiting.put_nowait(None)

    async def take_part(self, receive: Callable[[bytes], None]) -> None:
        """Give each message to `receive`, and send what waits, until either side ends it."""
        tasks = {asyncio.create_task(self._deliver()), asyncio.create_task(self._listen(receive))}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # raises what is no end of a socket
        finally:
            self.end(LATER, "")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self, receive: Callable[[bytes], None]) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            content = message.get("bytes")
            if self._end is not None:
                continue
            if content is None:
                self.end(NOT_UNDERSTOOD, "Messages are bytes.")
            elif len(content) > MOST_MESSAGE_BYTES:
                self.end(TOO_LARGE, f"A message has at most {MOST_MESSAGE_BYTES:,} bytes.")
            elif self._messages.take({None: MESSAGES}):
                self.end(TOO_OFTEN, "Too many messages from this page.")
            else:
                receive(content)

    async def _deliver(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the client has gone
            while (message := await self._waiting.get()) is not None:
                await self._socket.send_bytes(message)
                self._waiting_bytes -= len(message)
            if self._end is not None:
                await self._socket.close(*self._end)
