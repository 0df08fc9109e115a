"""What a server that hands on gives to the writer: what its client sent, and nothing of another client."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import httpx
import pytest
from piql_backend.hosting import forwarding
from piql_backend.hosting.forwarding import Forwarding


class _Writer(BaseHTTPRequestHandler):
    """Gives each client a session, and notes the cookies that it is shown."""

    shown: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        self.shown.append(self.headers["Cookie"])
        self.send_response(201)
        self.send_header("Set-Cookie", f"piql-session=of-{len(self.shown)}; Path=/; HttpOnly")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


async def test_a_session_that_one_client_was_given_is_not_shown_for_the_next() -> None:
    with running_writer() as address:

        async def address_of_writer() -> str:
            return address

        handing_on = Forwarding(address_of_writer)
        for cookie in ({}, {}, {"piql-session": "of-1"}):
            async with httpx.AsyncClient(transport=httpx.ASGITransport(handing_on), cookies=cookie) as client:
                answer = await client.post("http://follower/api/session")
            assert answer.headers["set-cookie"].startswith("piql-session=of-")
        await handing_on.close()
    assert _Writer.shown == [None, None, "piql-session=of-1"]


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_writer_that_stands_still_is_said_to_and_one_that_is_slow_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(forwarding, "SECONDS_OF_SILENCE", 0.1)
    monkeypatch.setattr(forwarding, "SECONDS_TO_PROVE", 0.3)
    monkeypatch.setattr(forwarding, "_LEAST_SECONDS", 0.1)
    is_standing, may_answer = True, asyncio.Event()
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        asked.append(request.split(b"\r\n")[0])
        if is_standing:
            await reader.read()
        elif b"healthz" not in asked[-1]:
            await may_answer.wait()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"

        async def address_of_writer() -> str:
            return address

        handing_on = Forwarding(address_of_writer)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(handing_on)) as client:
            answer = await client.request(method, "http://follower/api/applications")
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            assert ("look whether this was carried out" in answer.text) == (method == "POST")
            assert asked.count(f"{method} /api/applications HTTP/1.1".encode()) == 1, "it is sent once"
            is_standing = False
            asking = asyncio.create_task(client.request(method, "http://follower/api/applications"))
            while asked[-2:].count(b"GET /healthz HTTP/1.1") < 2:  # it has said twice that it is there
                await asyncio.sleep(0.01)
            may_answer.set()
            assert (await asking).text == "ok"
        await handing_on.close()


@contextmanager
def running_writer() -> Iterator[str]:
    """The address of a writer that runs meanwhile."""
    _Writer.shown.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Writer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
