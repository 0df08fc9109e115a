"""Requests that are handed on reach the writer whole, and what comes back is its answer and no other's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from piql_backend.hosting.writer_connections import Lost, NotSent, WriterConnections

HEAD = b"GET / HTTP/1.1\r\nhost: piql\r\n\r\n"


class Writer:
    """Answers each request by the next of these texts; one that ends with nothing more is a connection that closes."""

    def __init__(self, answers: Sequence[bytes]) -> None:
        self.answers = [*answers]
        self.connections = 0
        self.asked: list[bytes] = []
        self.address = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while self.answers:
            try:
                self.asked.append(await reader.readuntil(b"\r\n\r\n"))
            except EOFError:
                break
            text = self.answers.pop(0)
            for byte in text.split(b"|"):  # what arrives apart is read apart
                writer.write(byte)
                await asyncio.sleep(0)
            if text.endswith(b"END"):
                break
        writer.close()


@asynccontextmanager
async def running(*answers: bytes) -> AsyncIterator[tuple[Writer, WriterConnections]]:
    writer, connections = Writer(answers), WriterConnections()
    server = await asyncio.start_server(writer.answer, "127.0.0.1", 0)
    writer.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield writer, connections
    finally:
        await connections.close()
        server.close()


async def asked(writer: Writer, connections: WriterConnections, is_head: bool = False) -> tuple[int, bytes]:
    answer = await connections.send(writer.address, HEAD, b"", is_head)
    try:
        return answer.status, b"".join([piece async for piece in answer.pieces()])
    finally:
        answer.close()


async def test_answers_by_length_and_in_chunks_come_on_one_connection() -> None:
    answers = (
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfi|rst",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nse|c\r\n4;x\r\nond\n\r\n0\r\nof: it\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\ncontent-length: 9\r\n\r\n',
        b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    )
    async with running(*answers) as (writer, connections):
        came = [await asked(writer, connections) for _ in answers]
    assert came == [(200, b"first"), (200, b"second\n"), (204, b""), (304, b""), (200, b"")]
    assert (writer.connections, writer.asked) == (1, [HEAD] * 5)


async def test_a_head_has_the_length_of_a_body_that_does_not_come() -> None:
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"
    async with running(answer, answer) as (writer, connections):
        assert [await asked(writer, connections, is_head=True) for _ in range(2)] == [(200, b"")] * 2
    assert writer.connections == 1


@pytest.mark.parametrize(
    "first",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nConnection: Close\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\n\r\nok to its END",
    ],
)
async def test_a_connection_that_ends_is_not_used_again(first: bytes) -> None:
    async with running(first, b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n") as (writer, connections):
        assert (await asked(writer, connections))[1].startswith(b"ok")
        assert await asked(writer, connections) == (200, b"")
    assert writer.connections == 2


async def test_an_answer_that_was_not_read_is_no_answer_to_the_next_request() -> None:
    whole = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirst"
    async with running(whole, b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond") as (writer, connections):
        answer = await connections.send(writer.address, HEAD, b"", is_head=False)
        answer.close()
        assert await asked(writer, connections) == (200, b"second")


@pytest.mark.parametrize(
    "broken",
    [
        b"END",
        b"HTTP/1.1 200 OK\r\ncontent-le END",
        b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhalf of it END",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n50\r\nhalf of it END",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno length\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\ntoo long\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\n folded: 1\r\n\r\n",
        b"nothing of HTTP\r\n\r\n",
    ],
)
async def test_an_answer_that_is_not_whole_or_not_clear_is_lost(broken: bytes) -> None:
    async with running(broken) as (writer, connections):
        with pytest.raises(Lost):
            await asked(writer, connections)


async def test_where_nobody_listens_nothing_is_sent() -> None:
    async with running() as (writer, connections):
        pass
    with pytest.raises(NotSent):
        await connections.send(writer.address, HEAD, b"", is_head=False)
    with pytest.raises(NotSent):
        await connections.send("nowhere", HEAD, b"", is_head=False)
