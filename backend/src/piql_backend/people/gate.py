"""Lets the requests of a team through, or refuses them, and keeps a record of what was to change something."""

from __future__ import annotations

from anyio import CancelScope
from fastapi import Request, Response

from piql_backend.people.audit import Deed
from piql_backend.people.cookie import COOKIE, address_of
from piql_backend.people.service import People
from piql_backend.web.errors import status_of
from piql_backend.web.guarded_routes import Answering
from piql_backend.web.needs import ANYBODY, Need
from piql_backend.web.visitor import refuse


class TeamGate:
    """The gate of a workbench whose people sign in."""

    def __init__(self, people: People) -> None:
        self._people = people

    async def answer(self, request: Request, need: Need, operation: str, answering: Answering) -> Response:
        """What `answering` gives, with who asks in `request.state.visitor`; ApiError 401, 403 or 404 as `refuse`."""
        if need == ANYBODY:
            return await answering(request)
        people, application = self._people, request.path_params.get("application")
        headers, cookies = request.headers, request.cookies
        visitor = await people.look(people.visitor_of, headers.get("authorization"), cookies.get(COOKIE))
        request.state.visitor = visitor
        status = 0
        try:
            refuse(need, visitor, application)
            response = await answering(request)
            status = response.status_code
            return response
        except Exception as error:
            status = status_of(error)
            raise
        finally:
            if need.is_for_changes:
                deed = Deed(operation, request.url.path, status, application or "", address_of(request))
                with CancelScope(shield=True):
                    await people.look(people.audit.note, visitor, deed)
