"""HTTP/1.1 by httptools, with limits on how long a request takes to arrive, and on how large it is."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SECONDS_TO_ARRIVE = 30.0
MOST_BYTES = 2_000_000  # of one request: its head, and a body that is about to be refused


class PatientProtocol(HttpToolsProtocol):
    """Knows since when a request is awaited; `close_late` is called for all connections now and then."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._awaited_since: float | None = self.loop.time()
        self._bytes = 0

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        if self._bytes > MOST_BYTES:
            self.transport.close()
            return
        if self._awaited_since is None:
            self._awaited_since = self.loop.time()
        super().data_received(data)

    def on_message_complete(self) -> None:
        self._awaited_since = None
        self._bytes = 0
        super().on_message_complete()

    def close_late(self) -> None:
        """Close the connection if its request has not arrived in time."""
        since = self._awaited_since
        if since is not None and self.loop.time() - since > SECONDS_TO_ARRIVE:
            self.transport.close()


def close_late(connections: set[Any]) -> None:
    """Close all connections whose request does not arrive."""
    for connection in tuple(connections):
        if isinstance(connection, PatientProtocol):
            connection.close_late()


async def watch(connections: set[Any]) -> None:
    """Look at the connections every second, for ever."""
    while True:
        await asyncio.sleep(1.0)
        close_late(connections)
