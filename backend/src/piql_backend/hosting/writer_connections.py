"""Connections to the writer, in HTTP/1.1: a request goes out whole, and its answer comes back piece by piece.

A server that hands on passes on half of all requests, and a client for all of the web takes as long for one as the
writer takes to answer it. This one knows one server, which is of its own kind. It follows no redirect, keeps no cookie
and unpacks nothing.

    no connection           →  NotSent: the request may be sent again
    it ends too early       →  Lost: nobody knows whether it was carried out
    the answer was read     →  the connection waits for the next request; else it is closed
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

IDLE_SECONDS = 2.0  # a connection is kept for less time than the writer keeps it
_CONNECT_SECONDS = 2.0
_MOST_IDLE = 100
_HEAD_BYTES = 65_536  # of an answer at most
_PIECE_BYTES = 65_536
_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-5]\d\d)(?: .*)?")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*")
_NUMBER = re.compile(rb"\d{1,18}")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r\n")

Header = tuple[bytes, bytes]
_CLOSE: Header = (b"connection", b"close")


class NotSent(Exception):
    """Nothing of the request has reached a server."""


class Lost(Exception):
    """The request was sent, and its answer did not come whole."""


@dataclass(slots=True)
class _Connection:
    address: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    idle_since: float = 0.0

    @property
    def is_open(self) -> bool:
        return not self.reader.at_eof() and not self.writer.is_closing()


class WriterConnections:
    """Sends requests; used by one event loop alone. Connections that are not used wait for `IDLE_SECONDS`."""

    def __init__(self) -> None:
        self._idle: list[_Connection] = []  # the one that was used last is the last

    async def send(self, address: str, head: bytes, body: bytes, is_head: bool) -> Answer:
        """The answer of the server at `address` to a request, whose body is not read yet. Raises NotSent, Lost.

        `head` is that of the request, up to its empty line; `is_head` where the method is HEAD.
        """
        connection = self._waiting(address) or await _opened(address)
        try:
            connection.writer.write(head + body)
            await connection.writer.drain()
            status, headers = await _head_of(connection.reader)
            while status < 200:  # such as 100 Continue
                status, headers = await _head_of(connection.reader)
            return Answer(self, connection, status, headers, is_head)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
            connection.writer.close()
            raise Lost from error
        except BaseException:
            connection.writer.close()
            raise

    def keep(self, connection: _Connection) -> None:
        """Let a connection wait for the next request: all that was asked on it was answered."""
        now = time.monotonic()
        while self._idle and (len(self._idle) >= _MOST_IDLE or now - self._idle[0].idle_since > IDLE_SECONDS):
            self._idle.pop(0).writer.close()
        connection.idle_since = now
        self._idle.append(connection)

    async def close(self) -> None:
        """Close the connections that wait."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.writer.close()
        for connection in idle:
            with suppress(OSError):
                await connection.writer.wait_closed()

    def _waiting(self, address: str) -> _Connection | None:
        while self._idle:
            connection = self._idle.pop()
            is_fresh = time.monotonic() - connection.idle_since <= IDLE_SECONDS
            if is_fresh and connection.address == address and connection.is_open:
                return connection
            connection.writer.close()
        return None


class Answer:
    """The answer of the writer: its status, its headers, and its body in pieces as they come."""

    def __init__(
        self, connections: WriterConnections, connection: _Connection, status: int, headers: list[Header], is_head: bool
    ) -> None:
        """Raises ValueError for an answer whose end is not clear."""
        self.status, self.headers = status, headers
        self._connections, self._connection = connections, connection
        self._is_whole = False
        values = {name: value for name, value in headers if name in (b"content-length", b"transfer-encoding")}
        lengths = {value for name, value in headers if name == b"content-length"}
        self._is_chunked = values.get(b"transfer-encoding", b"").lower() == b"chunked"
        length = values.get(b"content-length")
        if len(lengths) > 1 or (length is not None and not _NUMBER.fullmatch(length)):
            raise ValueError("the length of an answer is not clear")
        is_empty = is_head or status in (204, 304)
        self.length = 0 if is_empty else None if self._is_chunked or length is None else int(length)
        is_closed_behind = self.length is None and not self._is_chunked
        self._is_kept = not is_closed_behind and _CLOSE not in ((name, value.lower()) for name, value in headers)

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body. Raises Lost where it ends too early."""
        try:
            body = self._chunks() if self.length is None and self._is_chunked else self._plain()
            async for piece in body:
                yield piece
        except (OSError, EOFError, ValueError) as error:
            raise Lost from error
        self._is_whole = True

    def close(self) -> None:
        """Let the connection wait for the next request, unless the answer was not read to its end."""
        if self._is_whole and self._is_kept:
            self._connections.keep(self._connection)
        else:
            self._connection.writer.close()

    async def _plain(self) -> AsyncIterator[bytes]:
        """The body by its length; up to the end of the connection where it has none."""
        reader, rest = self._connection.reader, self.length
        while rest is None or rest > 0:
            piece = await reader.read(_PIECE_BYTES if rest is None else min(rest, _PIECE_BYTES))
            if not piece:
                if rest is None:
                    return
                raise EOFError
            rest = None if rest is None else rest - len(piece)
            yield piece

    async def _chunks(self) -> AsyncIterator[bytes]:
        reader = self._connection.reader
        while True:
            begin = _CHUNK.fullmatch(await reader.readline())
            if begin is None:
                raise EOFError
            rest = int(begin[1], 16)
            if rest == 0:
                break
            while rest > 0:
                piece = await reader.read(min(rest, _PIECE_BYTES))
                if not piece:
                    raise EOFError
                rest -= len(piece)
                yield piece
            if await reader.readexactly(2) != b"\r\n":
                raise ValueError("a chunk is longer than it says")
        while (line := await reader.readline()) != b"\r\n":  # trailers are of the connection
            if not line:
                raise EOFError


async def _opened(address: str) -> _Connection:
    host, _, port = address.rpartition(":")
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):  # `wait_for` loses that it is cancelled at the moment it ends
            reader, writer = await asyncio.open_connection(host.strip("[]"), int(port), limit=_HEAD_BYTES)
    except (OSError, TimeoutError, ValueError) as error:
        raise NotSent from error
    return _Connection(address, reader, writer)


async def _head_of(reader: asyncio.StreamReader) -> tuple[int, list[Header]]:
    """The status and the headers of an answer, their names in lower case. Raises ValueError where it is none."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n"))[:-4].split(b"\r\n")
    status = _STATUS.fullmatch(first)
    fields = [_FIELD.fullmatch(line) for line in lines]
    if status is None or None in fields:
        raise ValueError("no answer of HTTP/1.1")
    headers = [(field[1].lower(), field[2]) for field in fields if field is not None]
    return int(status[2]), [*headers, _CLOSE] if status[1] == b"0" else headers
