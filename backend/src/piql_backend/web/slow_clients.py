"""Closes connections whose request does not arrive in time: or a client that sends a byte a minute would keep one.

connection made, or first byte of the next request   →  a deadline is set
it has arrived, or asks for a socket                 →  it is cleared
the deadline is over                                 →  the connection is closed
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from piql_backend.web.connection_limit import ConnectionLimit

SECONDS_TO_ARRIVE = 30.0


class PatientHttp(H11Protocol):
    """HTTP/1.1 with a limit on the time in which a request arrives.

    Requests are refused while there are too many connections; idle ones are counted, too.
    """

    _deadline: asyncio.TimerHandle | None = None
    _of_body: RequestResponseCycle | None = None  # the request whose body is awaited
    _is_socket = False

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.app = ConnectionLimit(self.app, lambda: max(len(self.connections), len(self.tasks)))

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._update_deadline()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update_deadline()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        super().handle_websocket_upgrade(event)
        self._is_socket = True

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._clear_deadline()

    def _update_deadline(self) -> None:
        """Set the deadline while a request is awaited, once; clear it when the request has arrived.

        A request may be answered before its body has come: then the next one is awaited as soon as the body is there.
        """
        is_in_body = self.conn.their_state is h11.SEND_BODY
        if self._of_body is not None and not (is_in_body and self.cycle is self._of_body):
            self._of_body = None
            self._clear_deadline()
            if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
                return
        if is_in_body:
            self._of_body = self.cycle
        if self._is_socket or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._clear_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(SECONDS_TO_ARRIVE, self._close)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.close()
