"""Sockets that ask, before they are opened, whether whoever asks may have them, and again while they are open."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, cast

from fastapi.responses import JSONResponse
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from piql_backend.web.errors import ApiError
from piql_backend.web.needs import Need, Undeclared, declared_need


class Pass(Protocol):
    """Who has opened a socket, and what they may while it is open."""

    @property
    def name(self) -> str:
        """By which they are signed in; empty where the workbench serves somebody alone."""
        ...

    async def refusals(self, *needs: Need) -> list[ApiError | None]:
        """Why they may not have what is needed now, for each need; None where they may."""
        ...

    async def note(self, status: int) -> None:
        """Put into the record that they have changed something."""
        ...


class OpenPass:
    """The pass of somebody who is alone on their machine."""

    name = ""

    async def refusals(self, *needs: Need) -> list[ApiError | None]:
        return [None for _ in needs]

    async def note(self, status: int) -> None:
        """There is no record."""


class _Gate(Protocol):
    async def admit(self, socket: WebSocket, need: Need, operation: str) -> Pass: ...


SocketEndpoint = Callable[[WebSocket, Pass], Coroutine[Any, Any, None]]


class GuardedSocket(WebSocketRoute):
    """A route that passes each socket through the gate of the application; a refusal is an answer as of HTTP."""

    def __init__(self, path: str, endpoint: SocketEndpoint) -> None:
        need, operation = declared_need(endpoint), endpoint.__name__
        if need is None:
            raise Undeclared(f"{operation} ({path}) does not say what it needs: add @needs(…)")

        async def guarded(socket: WebSocket) -> None:
            try:
                passed = await cast(_Gate, socket.app.state.gate).admit(socket, need, operation)
                await endpoint(socket, passed)
            except ApiError as refusal:
                answer = JSONResponse(refusal.body.model_dump(mode="json"), refusal.status)
                await socket.send_denial_response(answer)

        super().__init__(path, guarded, name=operation)
        self.need = need
