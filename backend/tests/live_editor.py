"""A workbench served in the loop of a test, and somebody who edits a file in it over a socket, as a page does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from piql_backend.app import create_app
from piql_backend.live_sessions import messages
from piql_backend.live_sessions.messages import Reader
from piql_backend.live_sessions.participant import MOST_MESSAGE_BYTES
from piql_backend.settings import Settings
from piql_backend.web.slow_clients import PatientHttp
from piql_backend.workbench import Workbench
from piql_backend.workers.pool import WorkerPool
from pycrdt import Doc, Text
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Ping, RejectConnection, Request

PATH = "queries/findUser.piql"


@asynccontextmanager
async def served(settings: Settings, workers: WorkerPool) -> AsyncIterator[int]:
    """The port of a workbench on this machine, as `piql serve` serves it."""
    app = create_app(settings, Workbench(settings, workers))
    config = uvicorn.Config(
        app,
        port=0,
        log_level="critical",
        lifespan="on",
        http=PatientHttp,
        ws="wsproto",
        ws_max_size=MOST_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        proxy_headers=False,
    )
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        await server.shutdown()


@dataclass
class Refused(Exception):
    """The socket was not opened."""

    status: int
    code: str | None


class LiveEditor:
    """One page: it keeps its document while it is offline, and brings what was typed when it is there again."""

    def __init__(
        self, path: str = PATH, application: str = "scadr", headers: Mapping[str, str] | None = None, root: str = ""
    ) -> None:
        self._url = f"{root}/api/applications/{application}/live/{path}"
        self._headers = headers or {}
        self._doc: Doc[Text] = Doc()
        self._doc["text"] = Text()
        self._asked = b""
        self._partial = b""
        self.sent = 0
        self.document: dict[str, Any] = {}
        self.saved: dict[str, Any] = {}
        self.present: dict[int, Any] = {}
        self.failure = ""
        self.is_synced = False
        self.closed: tuple[int, str] | None = None

    @property
    def text(self) -> str:
        return str(self._doc["text"])

    @property
    def is_saved(self) -> bool:
        """Whether all that was typed here is acknowledged, and nothing of others waits."""
        return bool(self.saved) and self.saved["messages"] == self.sent and bool(self.saved["is_current"])

    async def connect(self, port: int) -> LiveEditor:
        """Open the socket, and take part once both have what the other had. Raises Refused."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
        self._ws = WSConnection(ConnectionType.CLIENT)
        self.document, self.saved, self.sent, self.is_synced, self.closed = {}, {}, 0, False, None
        headers = [(name.encode(), value.encode()) for name, value in self._headers.items()]
        self._writer.write(self._ws.send(Request(host=f"127.0.0.1:{port}", target=self._url, extra_headers=headers)))
        self._is_open, self._partial, self._refused_with = False, b"", 0
        await self.until(lambda: self._is_open or self.closed is not None)
        if self._is_open:
            self.send(messages.asking(self._doc.get_state()))
            await self.until(lambda: self.is_synced or self.closed is not None)
        return self

    def type(self, at: int, text: str, removed: int = 0) -> None:
        """Edit here alone, at a byte of the text."""
        with self._doc.transaction():
            if removed:
                del self._doc["text"][at : at + removed]
            self._doc["text"].insert(at, text)

    def push(self) -> None:
        """Send what was typed."""
        self.send(messages.edits(self._doc.get_update(self._asked)))
        self.sent += 1

    def send(self, content: bytes) -> None:
        self._writer.write(self._ws.send(BytesMessage(data=content)))

    async def write(self, at: int, text: str, removed: int = 0) -> None:
        """Edit, and wait until it is saved."""
        self.type(at, text, removed)
        self.push()
        await self.until(lambda: self.is_saved)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Take what comes until something holds, or the socket is closed."""
        while not holds():
            if self.closed is not None:
                raise AssertionError(f"closed meanwhile: {self.closed}")
            self._take(await self._reader.read(65536))

    async def until_closed(self) -> tuple[int, str]:
        try:
            while self.closed is None:
                self._take(await self._reader.read(65536))
        except ConnectionError:
            self.closed = 0, ""
        self._writer.close()
        return self.closed

    def disconnect(self) -> None:
        """Go offline without a word."""
        self._writer.transport.abort()

    def _take(self, content: bytes) -> None:
        self._ws.receive_data(content or None)
        for event in self._ws.events():
            match event:
                case AcceptConnection():
                    self._is_open = True
                case RejectConnection():
                    self._refused_with = event.status_code  # the body may come later
                    if not event.has_body:
                        raise Refused(event.status_code, None)
                case BytesMessage():
                    self._partial += event.data
                    if event.message_finished:
                        whole, self._partial = self._partial, b""
                        self._message(whole)
                case CloseConnection():
                    self.closed = event.code, event.reason or ""
                case Ping():
                    self._writer.write(self._ws.send(event.response()))
                case _:
                    if self._refused_with:
                        body = bytes(event.data)  # type: ignore[attr-defined]
                        raise Refused(self._refused_with, json.loads(body)["code"] if body.startswith(b"{") else None)
        if not content and self.closed is None:
            self.closed = 0, ""

    def _message(self, content: bytes) -> None:
        reader = Reader(content)
        match reader.number():
            case messages.SYNC if reader.number() == messages.ASKS:
                self._asked = reader.content()
                update = self._doc.get_update(self._asked)
                if self.document["may_write"]:
                    self.send(messages.answering(update))
                    self.sent += 1
            case messages.SYNC:
                self._doc.apply_update(reader.content())
                self.is_synced = True
            case messages.PRESENCE:
                states = Reader(reader.content())
                for _ in range(states.number()):
                    client, _clock = states.number(), states.number()
                    self.present[client] = json.loads(states.content())
            case 100:
                self.document = json.loads(reader.content())
            case 101:
                self.saved = json.loads(reader.content())
            case 102:
                self.failure = json.loads(reader.content())["reason"]


def presence_of(client: int, clock: int, state: object) -> bytes:
    """What a page says of itself."""
    parts = (messages.number_as_bytes(1), messages.number_as_bytes(client), messages.number_as_bytes(clock))
    return messages.presence(b"".join(parts) + messages.with_length(json.dumps(state).encode()))
