"""HTTP for the people of a team, for who administers everything: adding them, their roles, and shutting them out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from fastapi import APIRouter

from piql_backend.people.endpoints import ThePeople
from piql_backend.people.schemas import MemberCreate, MemberRead, MemberUpdate, PasswordReset, RoleRead, RoleUpdate
from piql_backend.web.dependencies import Id, TheWorkbench
from piql_backend.web.errors import ApiError, NotFound, declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import everywhere, needs
from piql_backend.web.pages import Listing, Page, WishedPage
from piql_backend.web.visitor import EVERYWHERE

if TYPE_CHECKING:
    from piql_backend.people.accounts import Account
else:
    Account = Any  # the API document is made without SQLAlchemy and Argon2

router = APIRouter(route_class=GuardedRoute, prefix="/people", tags=["people"])
_MEMBERS = Listing[MemberRead, str]("people", str, lambda member: member.name)
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


@router.get("", responses=declared(404))
@needs(everywhere("administrator"))
async def list_people(wish: WishedPage, people: ThePeople) -> Page[MemberRead]:
    """All people with their roles, by name, also those who are shut out."""
    return _MEMBERS.page_of(wish, [_member(account) for account in await people.look(people.accounts.all)])


@router.post("", status_code=201, responses=declared(404, 409))
@needs(everywhere("administrator"))
async def add_person(wish: MemberCreate, people: ThePeople, workbench: TheWorkbench) -> MemberRead:
    """Add a person, with a role where one is named. They should choose a password of their own soon."""
    _refuse_unknown(workbench, wish.application)
    name = wish.name.strip().lower()
    if name in {account.name for account in await people.look(people.accounts.all)}:
        raise ApiError(409, "person-exists", f"There is a person {name} already.", "Choose another name.")
    await people.hash(_refusing(people.accounts.add), name, wish.password)
    if wish.role is not None:
        await people.look(people.accounts.set_role, name, wish.application or EVERYWHERE, wish.role)
    return await _read(people, name)


@router.patch("/{person}", responses=declared(404, 409))
@needs(everywhere("administrator"))
async def update_person(person: Id, change: MemberUpdate, people: ThePeople) -> MemberRead:
    """Shut a person out, whose sessions and tokens end, or let them in again; 409 for the last administrator."""
    await _read(people, person)
    await people.look(_keeping_one(people.accounts.set_disabled), person, change.is_disabled, keeps_one=True)
    return await _read(people, person)


@router.put("/{person}/role", responses=declared(404, 409))
@needs(everywhere("administrator"))
async def set_role(person: Id, change: RoleUpdate, people: ThePeople, workbench: TheWorkbench) -> MemberRead:
    """Give a person another role in an application, or take it away; 409 for the last administrator."""
    await _read(people, person)
    if change.role is not None:
        _refuse_unknown(workbench, change.application)
    place = change.application or EVERYWHERE
    await people.look(_keeping_one(people.accounts.set_role), person, place, change.role, keeps_one=True)
    return await _read(people, person)


@router.put("/{person}/password", status_code=204, responses=declared(404))
@needs(everywhere("administrator"))
async def reset_password(person: Id, reset: PasswordReset, people: ThePeople) -> None:
    """Give a person another password: their sessions and tokens end."""
    member = await _read(people, person)
    await people.hash(_refusing(people.accounts.set_password), member.name, reset.password)


@router.delete("/{person}/sessions", status_code=204, responses=declared(404))
@needs(everywhere("administrator"))
async def end_sessions_of(person: Id, people: ThePeople) -> None:
    """End all sessions of a person; their tokens stay."""
    await _read(people, person)
    await people.look(people.sessions.end_all, await people.look(people.accounts.id_of, person))


async def _read(people: ThePeople, name: str) -> MemberRead:
    """A person by name; ApiError 404 for nobody."""
    for account in await people.look(people.accounts.all):
        if account.name == name.lower():
            return _member(account)
    raise NotFound("unknown-person", f"There is no person {name[:60]}.", "The list of people has their names.")


def _member(account: Account) -> MemberRead:
    roles = [RoleRead(application=place or None, role=role) for place, role in sorted(account.roles.items())]
    seen_at = None if account.seen_at is None else datetime.fromtimestamp(account.seen_at, UTC)
    return MemberRead(name=account.name, is_disabled=account.is_disabled, roles=roles, seen_at=seen_at)


def _refuse_unknown(workbench: TheWorkbench, application: str | None) -> None:
    """Raise ApiError 404 for an application that there is not."""
    if application is not None:
        workbench.applications.refuse_unknown(application)


def _refusing(action: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """What is refused about a name or a password, as an ApiError 422."""
    return _answering(action, 422, "person-refused", "Choose another one.")


def _keeping_one(action: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """That nobody would be left who administers all, as an ApiError 409."""
    return _answering(
        action, 409, "last-administrator", "Make somebody else an administrator of all applications first."
    )


def _answering(action: Callable[Given, Answer], status: int, code: str, advice: str) -> Callable[Given, Answer]:
    def answered(*given: Given.args, **named: Given.kwargs) -> Answer:
        try:
            return action(*given, **named)
        except ValueError as error:
            raise ApiError(status, code, str(error), advice) from None

    return answered
