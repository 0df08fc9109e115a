"""HTTP for people: who is signed in, signing in and out, API tokens, and the record of who did what."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from piql_backend.people.cookie import SESSION, origin_of, shown_by
from piql_backend.people.schemas import (
    AuditRead,
    PasswordUpdate,
    PersonRead,
    RoleRead,
    SessionCreate,
    SessionRead,
    TokenCreate,
    TokenMadeRead,
    TokenRead,
)
from piql_backend.web.dependencies import Id, TheVisitor, TheWorkbench
from piql_backend.web.errors import ApiError, NotFound, declared, unknown_application
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import ANYBODY, IN_PERSON, everywhere, needs
from piql_backend.web.pages import Page, WishedPage
from piql_backend.web.visitor import EVERYWHERE, TokenLimit, Visitor

if TYPE_CHECKING:
    from piql_backend.people.service import People
    from piql_backend.people.tokens import Token
else:
    People = Token = Any  # the API document is made without SQLAlchemy and Argon2

router = APIRouter(route_class=GuardedRoute, tags=["people"])

_SECONDS_OF_A_DAY = 86_400
_Name = Annotated[str | None, Query(max_length=100)]


async def people_of(workbench: TheWorkbench) -> People:
    """The people of this workbench; ApiError 404 where it serves somebody alone."""
    if workbench.team is None:
        message = "This workbench has no accounts: it was started without --team."
        raise NotFound("no-team", message, "Start it with --team.")
    return workbench.team


ThePeople = Annotated[People, Depends(people_of)]


@router.get("/session")
@needs(ANYBODY)
async def read_session(request: Request, workbench: TheWorkbench) -> SessionRead:
    """Who is signed in; nobody needs to be where the workbench serves no team."""
    people: People | None = workbench.team
    if people is None:
        return SessionRead(is_team=False, person=None)
    return _session(await people.look(people.visitor_of, shown_by(request)))


@router.post("/session", status_code=201, responses=declared(401, 404, 429))
@needs(ANYBODY)
async def log_in(login: SessionCreate, people: ThePeople, request: Request, response: Response) -> SessionRead:
    """Sign in by name and password: the answer sets a cookie with a new session. 429 after too many wrong ones."""
    secret = await people.log_in(login.name, login.password, origin_of(request), SESSION.of(request))
    SESSION.give(request, response, secret)
    return _session(await people.look(people.sessions.visitor, secret))


@router.delete("/session", status_code=204, responses=declared(404, 409))
@needs(IN_PERSON)
async def log_out(people: ThePeople, visitor: TheVisitor, request: Request, response: Response) -> None:
    """End this session."""
    _refuse_proxy(visitor)
    await people.look(people.sessions.end, SESSION.of(request) or "")
    SESSION.take(request, response)


@router.delete("/sessions", status_code=204, responses=declared(404, 409))
@needs(IN_PERSON)
async def log_out_everywhere(people: ThePeople, visitor: TheVisitor, request: Request, response: Response) -> None:
    """End all sessions of the person who is signed in; their tokens stay."""
    _refuse_proxy(visitor)
    await people.look(people.sessions.end_all, visitor.account_id)
    SESSION.take(request, response)


@router.put("/session/password", responses=declared(401, 404, 409, 429))
@needs(IN_PERSON)
async def change_password(
    change: PasswordUpdate, people: ThePeople, visitor: TheVisitor, request: Request, response: Response
) -> SessionRead:
    """Change one's password: all sessions and tokens of the person end, and this browser gets a new session."""
    _refuse_proxy(visitor)
    secret = await people.change_password(visitor, change.password, change.new_password, origin_of(request))
    SESSION.give(request, response, secret)
    return _session(await people.look(people.sessions.visitor, secret))


@router.get("/tokens", responses=declared(404))
@needs(IN_PERSON)
async def list_tokens(people: ThePeople, visitor: TheVisitor) -> list[TokenRead]:
    """One's API tokens, also those that are over, the newest first: a person has 100 at most."""
    return [TokenRead(**_fields(token)) for token in await people.look(people.tokens.of, visitor.account_id)]


@router.post("/tokens", status_code=201, responses=declared(404, 409))
@needs(IN_PERSON)
async def make_token(wish: TokenCreate, people: ThePeople, visitor: TheVisitor) -> TokenMadeRead:
    """Make an API token. It may what its person may, up to its role; its `secret` is in this answer alone."""
    if wish.application is not None and not visitor.sees(wish.application):
        raise unknown_application(wish.application)
    limit = TokenLimit(wish.title, wish.role, wish.application or EVERYWHERE)
    token, secret = await people.look(people.tokens.make, visitor, limit, wish.days * _SECONDS_OF_A_DAY)
    return TokenMadeRead(**_fields(token), secret=secret)


@router.delete("/tokens/{token_id}", status_code=204, responses=declared(404))
@needs(IN_PERSON)
async def end_token(token_id: Id, people: ThePeople, visitor: TheVisitor) -> None:
    """End one of one's tokens at once."""
    is_number = token_id.isascii() and token_id.isdigit() and len(token_id) < 16
    if not is_number or not await people.look(people.tokens.end, visitor.account_id, int(token_id)):
        raise NotFound("unknown-token", "You have no token with this id.", "The list of your tokens has their ids.")


@router.get("/audit", responses=declared(404))
@needs(everywhere("administrator"))
async def read_audit(
    wish: WishedPage,
    people: ThePeople,
    person: _Name = None,
    application: _Name = None,
    operation: _Name = None,
    day: date | None = None,
    path: Annotated[str | None, Query(max_length=500)] = None,
) -> Page[AuditRead]:
    """Who did what, the newest first: each request that was to change something, made or refused, and each login.

    `day` is in UTC. With a `path`, what was asked for there or below it.
    """
    wanted = {"person": person, "application": application, "operation": operation}
    return await people.look(people.audit.page, wish, day, path, **wanted)


def _refuse_proxy(visitor: Visitor) -> None:
    """Raise ApiError 409 where no session says who asks, but a proxy, which would say it again."""
    if visitor.session is None:
        message = "The proxy in front of this workbench signs you in, with every request."
        raise ApiError(409, "signed-in-by-proxy", message, "Sign out, or change your password, at the proxy.")


def _session(visitor: Visitor | None) -> SessionRead:
    if visitor is None:
        return SessionRead(is_team=True, person=None)
    roles = [RoleRead(application=place or None, role=role) for place, role in sorted(visitor.roles.items())]
    return SessionRead(is_team=True, person=PersonRead(name=visitor.name, roles=roles, known_by=visitor.known_by))


def _fields(token: Token) -> dict[str, Any]:
    moments = {name: datetime.fromtimestamp(getattr(token, name), UTC) for name in ("made_at", "ends_at")}
    return {
        "id": token.id,
        "title": token.title,
        "role": token.role,
        "application": token.application or None,
        "used_at": None if token.used_at is None else datetime.fromtimestamp(token.used_at, UTC),
        **moments,
    }
