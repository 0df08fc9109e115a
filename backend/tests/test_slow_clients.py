"""A client that sends its request slowly does not keep a connection for long."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from typing import cast
from unittest.mock import Mock, create_autospec

import pytest
import uvicorn
from patience import PATIENCE
from piql_backend.web import slow_clients
from piql_backend.web.slow_clients import MOST_HEAD_BYTES, PatientHttp
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from uvicorn.server import ServerState
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, TextMessage
from wsproto.events import Request as SocketRequest

REQUEST = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        visitor = WebSocket(scope, receive, send)
        await visitor.accept()
        async for text in visitor.iter_text():
            await visitor.send_text(text)
        return
    body = await Request(scope, receive).body()
    await PlainTextResponse(body)(scope, receive, send)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(slow_clients, "SECONDS_TO_ARRIVE", 0.3)
    bound = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(echo, log_level="critical", lifespan="off", http=PatientHttp, ws="wsproto")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    yield bound.getsockname()[1]
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize("sent", [0, 1, 20, len(REQUEST) - 2])
def test_a_request_that_does_not_arrive_is_not_waited_for(port: int, sent: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(REQUEST[:sent])
        assert client.recv(1000) == b""  # closed, without an answer


def test_empty_lines_before_a_second_request_keep_no_connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(REQUEST)
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        client.sendall(b"\r\n")
        while client.recv(1000):
            pass


@pytest.mark.parametrize("pieces", [1, 10])
async def test_a_head_that_is_too_long_is_refused(pieces: int) -> None:
    config = uvicorn.Config(echo, log_level="critical", lifespan="off", http=PatientHttp)
    config.load()
    transport = wire()
    client = PatientHttp(config, ServerState(), {}, asyncio.get_running_loop())
    client.connection_made(transport)
    head = b"GET / HTTP/1.1\r\nhost: a\r\nx: " + b"y" * MOST_HEAD_BYTES + b"\r\n\r\n" * (pieces == 1)
    length = -(-len(head) // pieces)
    for at in range(0, len(head), length):
        client.data_received(head[at : at + length])
    assert "400 Bad Request" in str(transport.write.call_args_list)
    transport.close.assert_called()
    client.connection_lost(None)


def test_a_second_request_that_does_not_arrive_is_not_waited_for_either(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(REQUEST + REQUEST[:20])
        heard = b""
        while part := client.recv(1000):
            heard += part
        assert heard.startswith(b"HTTP/1.1 200")
        assert heard.endswith(b"abc")


def test_a_socket_has_arrived_with_its_request(port: int) -> None:
    with (
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client,
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as silent,
    ):
        protocol = WSConnection(ConnectionType.CLIENT)
        client.sendall(protocol.send(SocketRequest(host="a", target="/")))
        protocol.receive_data(client.recv(1000))
        assert isinstance(next(protocol.events()), AcceptConnection)
        assert silent.recv(1000) == b""  # the time in which a request has to arrive is over
        client.sendall(protocol.send(TextMessage("abc")))
        protocol.receive_data(client.recv(1000))
        assert next(protocol.events()) == TextMessage("abc")


class Deadlines:
    """An event loop that keeps the handles of what it is to call when a request has not arrived."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.handles: list[asyncio.TimerHandle] = []

    def call_later(self, seconds: float, call: Callable[..., object], *arguments: object) -> asyncio.TimerHandle:
        handle = self._loop.call_later(seconds, call, *arguments)
        if seconds == slow_clients.SECONDS_TO_ARRIVE:
            self.handles.append(handle)
        return handle

    def __getattr__(self, name: str) -> object:
        return getattr(self._loop, name)


def wire() -> Mock:
    """A connection that nobody listens to."""
    addresses = {"sockname": ("127.0.0.1", 80), "peername": ("127.0.0.1", 8000)}
    transport = create_autospec(asyncio.Transport, instance=True)
    transport.configure_mock(**{"get_extra_info.side_effect": addresses.get, "is_closing.return_value": False})
    return cast(Mock, transport)


async def test_a_request_that_is_answered_before_its_body_came_leaves_no_deadline_behind() -> None:
    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("no", 404)(scope, receive, send)

    config = uvicorn.Config(refuse, log_level="critical", lifespan="off", http=PatientHttp)
    config.load()
    deadlines, transport = Deadlines(asyncio.get_running_loop()), wire()
    client = PatientHttp(config, ServerState(), {}, deadlines)
    client.connection_made(transport)
    head, body = REQUEST[:-3], REQUEST[-3:]
    for answers in (1, 2, 3):
        client.data_received(head)
        while str(transport.write.call_args_list).count("404 Not Found") < answers:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not deadlines.handles[-1].cancelled()
        client.data_received(body)
        assert all(handle.cancelled() for handle in deadlines.handles)
    client.data_received(head[:10])
    assert not deadlines.handles[-1].cancelled()
    transport.close.assert_not_called()
    client.connection_lost(None)
    assert all(handle.cancelled() for handle in deadlines.handles)
