"""Lets the requests of a team through, or refuses them, and keeps a record of what was to change something."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable

from anyio import CancelScope
from fastapi import Request, Response, WebSocket
from starlette.requests import HTTPConnection
from starlette.responses import StreamingResponse

from piql_backend.people.audit import Deed
from piql_backend.people.cookie import address_of, shown_by
from piql_backend.people.service import People
from piql_backend.people.wishes import wish_of
from piql_backend.web.errors import ApiError, status_of
from piql_backend.web.guarded_routes import Answering
from piql_backend.web.needs import ANYBODY, IN_PERSON, Need, everywhere
from piql_backend.web.visitor import Visitor, refuse

Chunk = str | bytes | memoryview
_READ_ALONE = (IN_PERSON, everywhere("administrator"))  # asked for people's pages, which also read
_EVENTS = "text/event-stream"


class TeamPass:
    """Who has opened a socket of a team, asked again as often as they are; two of one person are two."""

    def __init__(self, people: People, socket: WebSocket, operation: str, visitor: Visitor | None) -> None:
        self._people = people
        self._operation = operation
        self._shown = shown_by(socket)
        self._application = socket.path_params.get("application")
        self._path = socket.url.path
        self._address = address_of(socket)
        self._visitor = visitor

    @property
    def name(self) -> str:
        return "" if self._visitor is None else self._visitor.name

    async def refusals(self, *needs: Need) -> list[ApiError | None]:
        visitor = await self._people.visitor(self._shown)
        return [_refusal(need, visitor, self._application) for need in needs]

    async def note(self, status: int) -> None:
        deed = Deed(self._operation, self._path, status, self._application or "", self._address)
        with CancelScope(shield=True):
            await self._people.note(self._visitor, deed)


class TeamGate:
    """The gate of a workbench whose people sign in."""

    def __init__(self, people: People) -> None:
        self._people = people

    async def answer(self, request: Request, need: Need, operation: str, answering: Answering) -> Response:
        """What `answering` gives, with who asks in `request.state.visitor`; ApiError 401, 403 or 404 as `refuse`."""
        if need == ANYBODY:
            return await answering(request)
        people, application = self._people, request.path_params.get("application")
        visitor = await self._visitor_of(request)
        request.state.visitor = visitor
        status = 0
        try:
            refuse(need, visitor, application)
            response = await answering(request)
            status = response.status_code
            if isinstance(response, StreamingResponse) and response.media_type == _EVENTS:
                response.body_iterator = self._while_allowed(request, need, application, response.body_iterator)
            return response
        except Exception as error:
            status = status_of(error)
            raise
        finally:
            if need.is_for_changes and visitor is None:
                people.strangers.refused(operation, address_of(request))
            elif need.is_for_changes and not _is_plain_reading(request, need, status):
                about = (application or "", address_of(request), wish_of(request))
                deed = Deed(operation, request.url.path, status, *about)
                with CancelScope(shield=True):
                    await people.note(visitor, deed)

    async def admit(self, socket: WebSocket, need: Need, operation: str) -> TeamPass:
        """The pass of whoever opens a socket; ApiError 401, 403 or 404 as `refuse`."""
        visitor = await self._visitor_of(socket)
        refuse(need, visitor, socket.path_params.get("application"))
        return TeamPass(self._people, socket, operation, visitor)

    async def _visitor_of(self, request: HTTPConnection) -> Visitor | None:
        return await self._people.visitor(shown_by(request))

    async def _while_allowed(
        self, request: Request, need: Need, application: str | None, events: AsyncIterable[Chunk]
    ) -> AsyncGenerator[Chunk]:
        """The events, until whoever follows them may no longer: a stream lasts longer than a session or a role."""
        async for event in events:
            try:
                refuse(need, await self._visitor_of(request), application)
            except ApiError:
                return
            yield event


def _is_plain_reading(request: Request, need: Need, status: int) -> bool:
    """Whether a request only read the lists of a page about people: it changed nothing, and was not refused."""
    return request.method == "GET" and status < 400 and need in _READ_ALONE


def _refusal(need: Need, visitor: Visitor | None, application: str | None) -> ApiError | None:
    try:
        refuse(need, visitor, application)
    except ApiError as error:
        return error
    return None
