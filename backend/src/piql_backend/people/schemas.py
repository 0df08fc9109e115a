"""The shapes of sessions, tokens and the record of who did what."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from piql_backend.web.needs import Role
from piql_backend.web.schemas import Read, ShownLine, Write
from piql_backend.web.visitor import KnownBy

Password = Annotated[str, Field(max_length=1000)]
ApplicationId = Annotated[str, Field(min_length=1, max_length=100)]


class RoleRead(Read):
    """A role in an application; null stands for all applications."""

    application: str | None
    role: Role


class PersonRead(Read):
    """Who is signed in, with their roles, and by what they are known."""

    name: str
    roles: list[RoleRead]
    known_by: KnownBy


class SessionRead(Read):
    """Whether this workbench serves a team, and who of it asks; `person` is null where nobody is signed in."""

    is_team: bool
    person: PersonRead | None


class SessionCreate(Write):
    """A name and its password."""

    name: str = Field(max_length=200)
    password: Password


class PasswordUpdate(Write):
    """Another password, confirmed by the present one."""

    password: Password
    new_password: Password


class TokenCreate(Write):
    """A token with a role at most; a null application stands for all in which its person has a role."""

    title: ShownLine = Field(max_length=100)
    role: Role
    application: ApplicationId | None = None
    days: int = Field(ge=1, le=366, default=90)


class TokenRead(Read):
    """A token without its secret."""

    id: int
    title: str
    role: Role
    application: str | None
    made_at: datetime
    ends_at: datetime
    used_at: datetime | None  # to the minute; null: never


class TokenMadeRead(TokenRead):
    """A new token with its `secret`, which is shown this once."""

    secret: str


class LoginRead(Read):
    """A session: from where and when it was begun, when it was used last, and whether it is the one that asks.

    `browser` is the name that the browser gives itself, empty where it is not known; `provider` the OpenID provider by
    whose word it was begun, null where a password was shown.
    """

    id: str
    address: str
    browser: str
    provider: str | None
    begun_at: datetime
    seen_at: datetime
    is_this: bool


class MemberRead(Read):
    """A person of the team, as who administers everything sees them.

    `seen_at` is when they were last there, to the minute: by a session or token of theirs, or by the record; null for
    somebody who never was.
    """

    name: str
    is_disabled: bool
    roles: list[RoleRead]
    seen_at: datetime | None


class MemberCreate(Write):
    """A new person with a first password; without a role they may do nothing yet."""

    name: str = Field(max_length=200)
    password: Password
    role: Role | None = None
    application: ApplicationId | None = None


class MemberUpdate(Write):
    """Whether a person is shut out."""

    is_disabled: bool


class RoleUpdate(Write):
    """A role in an application; a null application stands for all, a null role takes it away."""

    application: ApplicationId | None
    role: Role | None


class PasswordReset(Write):
    """Another password, of somebody who may have forgotten theirs."""

    password: Password


class AuditRead(Read):
    """Who did what: `by` says how they were known, `status` how it was answered, 0 where it was broken off.

    `wish` has what the request asked for, such as the role that somebody was given: the fields of its body that say so,
    as JSON. It is empty where the path says it all, and where the request was refused before it was read.
    """

    id: int
    at: datetime
    person: str | None
    by: str
    address: str
    operation: str
    application: str
    path: str
    status: int
    wish: str
