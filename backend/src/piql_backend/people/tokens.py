"""API tokens: for programs that ask in the name of a person, for a while, with one role at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection, delete, func, insert, select, update

from piql_backend.people.access_revision import NOTE
from piql_backend.people.accounts import roles_of
from piql_backend.people.bearer import digest_of, new_secret
from piql_backend.people.clock import Clock
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.sessions import SECONDS_BETWEEN_NOTES
from piql_backend.people.tables import accounts, sessions, tokens
from piql_backend.web.errors import ApiError
from piql_backend.web.needs import Role
from piql_backend.web.visitor import TokenLimit, Visitor, login_needed

PREFIX = "piql_"
MOST_TOKENS = 100  # of a person


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret; EVERYWHERE as its application stands for all."""

    id: int
    title: str
    role: Role
    application: str
    made_at: int
    ends_at: int
    used_at: int | None = None


class Tokens:
    """The tokens of all people."""

    def __init__(self, database: PeopleDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def make(self, visitor: Visitor, limit: TokenLimit, seconds: int) -> tuple[Token, str]:
        """Make a token, and return it with its secret, which nobody can read again.

        Raises ApiError 401 where the visitor's session ended meanwhile, such as by another password, 409 where they
        have MOST_TOKENS.
        """
        secret, now = new_secret(PREFIX), self._clock()
        row = {
            "digest": digest_of(secret),
            "account_id": visitor.account_id,
            "title": limit.title,
            "role": limit.role,
            "application": limit.application,
            "made_at": now,
            "ends_at": now + seconds,
        }
        with self._database.begin_alone() as connection:
            token_id = connection.execute(insert(tokens).values(row).returning(tokens.c.id)).scalar_one()
            if not _is_signed_in(connection, visitor):  # looked at once nobody else can write: else it is rolled back
                raise login_needed()
            of_person = select(func.count()).select_from(tokens).where(tokens.c.account_id == visitor.account_id)
            if connection.execute(of_person).scalar_one() > MOST_TOKENS:
                raise ApiError(409, "too-many-tokens", f"You have {MOST_TOKENS} tokens.", "End one that is not needed.")
        return Token(token_id, limit.title, limit.role, limit.application, now, now + seconds), secret

    def of(self, account_id: int) -> Sequence[Token]:
        """The tokens of a person, also those that are over, the newest first."""
        kept = tokens.c
        columns = (kept.id, kept.title, kept.role, kept.application, kept.made_at, kept.ends_at, kept.used_at)
        of_person = select(*columns).where(kept.account_id == account_id).order_by(kept.id.desc())
        with self._database.begin() as connection:
            return [Token(*row) for row in connection.execute(of_person)]

    def end(self, account_id: int, token_id: int) -> bool:
        """End a token of a person; False where they have none of that id."""
        with self._database.begin() as connection:
            is_token = (tokens.c.id == token_id) & (tokens.c.account_id == account_id)
            return connection.execute(delete(tokens).where(is_token)).rowcount > 0

    def visitor(self, secret: str) -> Visitor | None:
        """In whose name a token asks, with its limit; None where it is none, or is over."""
        columns = (
            accounts.c.id,
            accounts.c.name,
            tokens.c.title,
            tokens.c.role,
            tokens.c.application,
            tokens.c.used_at,
            tokens.c.ends_at,
        )
        now, has_secret = self._clock(), tokens.c.digest == digest_of(secret)
        owner = (
            select(*columns)
            .select_from(accounts.join(tokens))
            .where(has_secret, tokens.c.ends_at > now, accounts.c.is_disabled.is_(False))
        )
        with self._database.begin() as connection:
            row = connection.execute(owner).first()
            if row is None:
                return None
            if row.used_at is None or now - row.used_at >= SECONDS_BETWEEN_NOTES:
                connection.execute(update(tokens).where(has_secret).values(used_at=now), execution_options=NOTE)
            limit = TokenLimit(row.title, cast(Role, row.role), row.application)
            return Visitor(row.id, row.name, roles_of(connection, row.id), limit, ends_at=row.ends_at)


def _is_signed_in(connection: Connection, visitor: Visitor) -> bool:
    """Whether the session of somebody still lasts, or whoever has none, since a proxy names them, may still ask."""
    if visitor.session is None:
        may_ask = (accounts.c.id == visitor.account_id) & accounts.c.is_disabled.is_(False)
        return connection.execute(select(accounts.c.id).where(may_ask)).first() is not None
    is_theirs = (sessions.c.digest == visitor.session) & (sessions.c.account_id == visitor.account_id)
    return connection.execute(select(sessions.c.digest).where(is_theirs)).first() is not None
