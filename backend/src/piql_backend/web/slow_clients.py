"""Closes connections whose request does not arrive in time: or a client that sends a byte a minute would keep one.

connection made, or first byte of the next request   →  a deadline is set
it has arrived, or asks for a socket                 →  it is cleared
the deadline is over                                 →  the connection is closed

The parser of httptools is that of Node. It takes a tenth of the time of one in Python, which was a third of what the
server did for a small request. It has no limit on the length of a head, so that is here, too.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from piql_backend.web.connection_limit import ConnectionLimit

SECONDS_TO_ARRIVE = 30.0
MOST_HEAD_BYTES = 65_536  # of the line and the headers of a request


class PatientHttp(HttpToolsProtocol):
    """HTTP/1.1 with a limit on the time in which a request arrives, and on how long its head is.

    Requests are refused while there are too many connections; idle ones are counted, too.
    """

    _deadline: asyncio.TimerHandle | None = None
    _is_arriving = True  # a request is awaited, or its body
    _is_in_head = True
    _head_bytes = 0
    _is_socket = False

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.app = ConnectionLimit(self.app, lambda: max(len(self.connections), len(self.tasks)))

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._update_deadline()

    def data_received(self, data: bytes) -> None:
        if not self._is_arriving:
            self._is_arriving = self._is_in_head = True
        super().data_received(data)
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")
        self._update_deadline()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_arriving = self._is_in_head = True

    def on_headers_complete(self) -> None:
        self._is_in_head, self._head_bytes = False, 0
        length = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if length > MOST_HEAD_BYTES:
            raise ValueError("the head of the request is too long")  # the parser lets it be answered with 400
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_arriving = False
        self._clear_deadline()

    def handle_websocket_upgrade(self) -> None:
        super().handle_websocket_upgrade()
        self._is_socket = True

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._clear_deadline()

    def _update_deadline(self) -> None:
        """Set the deadline while a request is awaited, once; clear it when the request has arrived.

        A request may be answered before its body has come: then the next one is awaited as soon as the body is there.
        """
        if self._is_socket or not self._is_arriving:
            self._clear_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(SECONDS_TO_ARRIVE, self._close)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        if self._is_arriving and not self._is_socket:
            self.transport.close()
