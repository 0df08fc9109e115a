"""What a server that hands on gives to the writer: what its client sent, and nothing of another client."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import httpx
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

        forwarding = Forwarding(address_of_writer)
        for cookie in ({}, {}, {"piql-session": "of-1"}):
            async with httpx.AsyncClient(transport=httpx.ASGITransport(forwarding), cookies=cookie) as client:
                answer = await client.post("http://follower/api/session")
            assert answer.headers["set-cookie"].startswith("piql-session=of-")
        await forwarding.close()
    assert _Writer.shown == [None, None, "piql-session=of-1"]


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
