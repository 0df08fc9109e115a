"""Who asks, and whether they may: pure, from roles and what an endpoint needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from piql_backend.web.errors import ApiError, unknown_application
from piql_backend.web.needs import ROLES, Need, Role, suffices

Sees = Callable[[str], bool]  # whether an application exists for whoever asks
KnownBy = Literal["password", "provider", "proxy", "token"]
EVERYWHERE = ""  # in place of the id of an application: all of them


@dataclass(frozen=True, slots=True)
class TokenLimit:
    """What a token may at most: a role, in one application or, with EVERYWHERE, wherever its person has one."""

    title: str
    role: Role
    application: str


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is known by a `token`, a `session`, whose digest that is, or, without either, by a proxy's word.

    `roles` are by application; `provider` is the OpenID provider by whose word the session was begun. At `ends_at`, in
    seconds since 1970, the session or the token ends by itself, unless it is used meanwhile; None: never.
    """

    account_id: int
    name: str
    roles: Mapping[str, Role]
    token: TokenLimit | None = None
    session: str | None = None
    provider: str | None = None
    ends_at: int | None = field(default=None, compare=False)

    @property
    def by(self) -> str:
        """How they are known, in the words of the record."""
        if self.token is not None:
            return f"token: {self.token.title}"
        return "proxy" if self.session is None else "session"

    @property
    def known_by(self) -> KnownBy:
        """How they have shown who they are."""
        if self.token is not None:
            return "token"
        if self.session is None:
            return "proxy"
        return "password" if self.provider is None else "provider"

    def role_in(self, application: str) -> Role | None:
        """The role in an application, or with EVERYWHERE in all of them; None for none."""
        held = [self.roles[place] for place in {application, EVERYWHERE} if place in self.roles]
        if not held:
            return None
        role = max(held, key=ROLES.index)
        if self.token is None:
            return role
        if self.token.application not in (EVERYWHERE, application):
            return None
        return min(role, self.token.role, key=ROLES.index)

    def sees(self, application: str) -> bool:
        """Whether the application exists for them."""
        return self.role_in(application) is not None


def sight_of(visitor: Visitor | None) -> Sees:
    """What a visitor sees; all applications, where the workbench serves somebody alone."""
    return (lambda application: True) if visitor is None else visitor.sees


def login_needed() -> ApiError:
    """Nobody is known to ask."""
    return ApiError(401, "login-needed", "Nobody is signed in.", "Sign in, or send an API token.")


def refuse(need: Need, visitor: Visitor | None, application: str | None) -> None:
    """Raise ApiError 401, 403 or 404 unless the visitor has what is needed; `application` is the one of the path."""
    if need.place == "anybody":
        return
    if visitor is None:
        raise login_needed()
    if application is not None and not visitor.sees(application):
        raise unknown_application(application)
    if need.place == "in-person" and visitor.token is not None:
        message = "An API token changes no passwords, sessions or tokens."
        raise ApiError(403, "in-person", message, "Sign in with your password.")
    if need.role is None:
        return
    where = (application or EVERYWHERE) if need.place == "application" else EVERYWHERE
    role = visitor.role_in(where)
    if role is None or not suffices(role, need.role):
        place = f"in {where[:60]}" if where else "in all applications"
        has = "" if role is None else f", and not only {role}"
        message = f"This needs the role {need.role} {place}{has}."
        raise ApiError(403, "role-needed", message, "Ask an administrator for it, or sign in as somebody who has it.")
