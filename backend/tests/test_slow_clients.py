"""A client that sends its request slowly does not keep a connection for long."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from patience import PATIENCE
from piql_backend.web import slow_clients
from piql_backend.web.slow_clients import PatientHttp
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

REQUEST = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(body)(scope, receive, send)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(slow_clients, "SECONDS_TO_ARRIVE", 0.3)
    bound = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(echo, log_level="critical", lifespan="off", http=PatientHttp)
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


def test_a_second_request_that_does_not_arrive_is_not_waited_for_either(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(REQUEST + REQUEST[:20])
        heard = b""
        while part := client.recv(1000):
            heard += part
        assert heard.startswith(b"HTTP/1.1 200")
        assert heard.endswith(b"abc")
