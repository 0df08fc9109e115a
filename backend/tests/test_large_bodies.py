"""A client that sends a body that is too large reads the refusal, not the reset of its connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from patience import PATIENCE
from piql_backend.web.request_limit import RequestLimit
from piql_backend.web.slow_clients import PatientHttp
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

MORE_THAN_BUFFERS_HOLD = 16_000_000  # bytes


async def read_whole(scope: Scope, receive: Receive, send: Send) -> None:
    await Request(scope, receive).body()
    await PlainTextResponse("")(scope, receive, send)


@pytest.fixture
def port() -> Iterator[int]:
    bound = socket.create_server(("127.0.0.1", 0))
    app = RequestLimit(read_whole)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", http=PatientHttp))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    yield bound.getsockname()[1]
    server.should_exit = True
    thread.join()


DECLARED = b"content-length: %d\r\n\r\n" % MORE_THAN_BUFFERS_HOLD
IN_CHUNKS = b"transfer-encoding: chunked\r\n\r\n%x\r\n" % MORE_THAN_BUFFERS_HOLD


@pytest.mark.parametrize(("length", "end"), [(DECLARED, b""), (IN_CHUNKS, b"\r\n0\r\n\r\n")])
def test_the_refusal_of_a_large_body_reaches_a_client_that_sends_everything_first(
    port: int, length: bytes, end: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(b"POST / HTTP/1.1\r\nhost: a\r\n" + length + bytes(MORE_THAN_BUFFERS_HOLD) + end)
        answer = b""
        while part := client.recv(1000):
            answer += part
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"body-too-large" in answer
