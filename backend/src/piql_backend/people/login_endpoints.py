"""HTTP for one's sessions: where one is signed in, and ending that."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, Request

from piql_backend.people.cookie import SESSION
from piql_backend.people.endpoints import ThePeople
from piql_backend.people.schemas import LoginRead
from piql_backend.web.dependencies import Id, TheVisitor
from piql_backend.web.errors import NotFound, declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import IN_PERSON, needs
from piql_backend.web.pages import Listing, Page, WishedPage

router = APIRouter(route_class=GuardedRoute, prefix="/sessions", tags=["people"])
_LOGINS = Listing[LoginRead, str]("sessions", str, lambda login: f"{login.seen_at} {login.id}", is_descending=True)


@router.get("", responses=declared(404))
@needs(IN_PERSON)
async def list_sessions(wish: WishedPage, people: ThePeople, visitor: TheVisitor) -> Page[LoginRead]:
    """One's sessions that have not ended, the last used first."""
    logins = [
        LoginRead(
            id=session.id,
            address=session.origin.address,
            browser=session.origin.browser,
            provider=session.origin.provider or None,
            begun_at=datetime.fromtimestamp(session.begun_at, UTC),
            seen_at=datetime.fromtimestamp(session.seen_at, UTC),
            is_this=session.digest == visitor.session,
        )
        for session in await people.look(people.sessions.of, visitor.account_id)
    ]
    return _LOGINS.page_of(wish, logins)


@router.delete("/others", status_code=204, responses=declared(404))
@needs(IN_PERSON)
async def end_other_sessions(people: ThePeople, visitor: TheVisitor, request: Request) -> None:
    """End all sessions of the person who is signed in but for this one; their tokens stay."""
    await people.look(people.sessions.end_all, visitor.account_id, SESSION.of(request))


@router.delete("/{session_id}", status_code=204, responses=declared(404))
@needs(IN_PERSON)
async def end_session(session_id: Id, people: ThePeople, visitor: TheVisitor) -> None:
    """End one of one's sessions at once."""
    if not await people.look(people.sessions.end_one, visitor.account_id, session_id):
        raise NotFound("unknown-session", "You have no session of that id.", "The list of your sessions has their ids.")
