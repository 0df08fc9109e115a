"""Routes that ask, before anything of a request is read, whether whoever asks may have it.

`refuse_undeclared` walks all routes of the application when it is built, so that none is served without a declaration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Protocol, cast

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.routing import APIRoute, iter_route_contexts

from piql_backend.web.gone_clients import is_asked_for
from piql_backend.web.guarded_sockets import GuardedSocket, OpenPass, Pass
from piql_backend.web.needs import Need, Undeclared, declared_need
from piql_backend.web.wrong_methods import WrongMethods

Answering = Callable[[Request], Coroutine[Any, Any, Response]]
_APPLICATION = "{application}"
_CONVERTOR = re.compile(r":\w+}")  # of a parameter that holds slashes


class Gate(Protocol):
    """Lets requests through, or refuses them."""

    async def answer(self, request: Request, need: Need, operation: str, answering: Answering) -> Response:
        """What `answering` gives for the request; ApiError 401, 403 or 404 where whoever asks may not have it."""
        ...

    async def admit(self, socket: WebSocket, need: Need, operation: str) -> Pass:
        """Who opens a socket; ApiError 401, 403 or 404 where they may not have it."""
        ...


class OpenGate:
    """Lets everything through: the workbench of somebody who is alone on their machine."""

    async def answer(self, request: Request, need: Need, operation: str, answering: Answering) -> Response:
        return await answering(request)

    async def admit(self, socket: WebSocket, need: Need, operation: str) -> Pass:
        return OpenPass()


class GuardedRoute(APIRoute):
    """A route that passes each request through the gate of the application, by what its endpoint needs."""

    def get_route_handler(self) -> Answering:
        answering, need, operation = super().get_route_handler(), declared_need(self.endpoint), self.name
        if need is None:
            raise Undeclared(f"{operation} ({self.path}) does not say what it needs: add @needs(…)")

        async def guarded(request: Request) -> Response:
            is_asked_for(request)
            gate = cast(Gate, request.app.state.gate)
            return await gate.answer(request, need, operation, answering)

        return guarded


def refuse_undeclared(app: FastAPI) -> None:
    """Raise Undeclared unless all routes are guarded, and those about one application need a role in it, or in all."""
    for path, need in needs_of(app).items():
        is_about_one = _APPLICATION in path
        if is_about_one and need.place not in ("application", "everywhere"):
            raise Undeclared(f"{path} is about one application, and needs no role in it")
        if need.place == "application" and not is_about_one:
            raise Undeclared(f"{path} names no application, and needs a role in it")


def needs_of(app: FastAPI) -> dict[str, Need]:
    """What each operation needs, by method and path as in the document; Undeclared where a route is no guarded one.

    A socket has the method SOCKET.
    """
    return {f"{method} {path}": need for methods, path, need in _guarded(app) for method in methods}


def _guarded(app: FastAPI) -> Iterator[tuple[Sequence[str], str, Need]]:
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if isinstance(route, GuardedSocket):
            yield ("SOCKET",), _CONVERTOR.sub("}", route.path), route.need
            continue
        if isinstance(route, WrongMethods):  # it answers nothing but a refusal
            continue
        need = declared_need(route.endpoint) if isinstance(route, GuardedRoute) else None
        if not isinstance(route, GuardedRoute) or need is None:
            raise Undeclared(f"{getattr(context, 'path', None) or route} is not guarded: give its router GuardedRoute")
        yield sorted(route.methods or ()), _CONVERTOR.sub("}", str(context.path)), need
