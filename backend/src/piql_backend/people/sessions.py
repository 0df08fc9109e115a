"""Sessions of browsers. The secret of a session is in a cookie. A session ends by itself when it is idle or old."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import ColumnElement, delete, func, insert, select, update

from piql_backend.people.access_revision import NOTE
from piql_backend.people.accounts import ROLE, roles_in
from piql_backend.people.bearer import digest_of, new_secret
from piql_backend.people.clock import Clock
from piql_backend.people.cookie import LONGEST_SECONDS, UNKNOWN_ORIGIN, ClientOrigin
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.tables import accounts, roles, sessions
from piql_backend.web.visitor import Visitor

IDLE_SECONDS = 8 * 3600
_ID_LENGTH = 16  # characters of the digest, which name a session to its person
SECONDS_BETWEEN_NOTES = 60  # of when a session was used, so that not every request writes


class Confirmed(Protocol):
    """Somebody who has shown who they are, by a password or a provider. It may be over when a session is begun."""

    @property
    def account_id(self) -> int: ...

    def holds(self) -> ColumnElement[bool]:
        """Selects the account while it is not over."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session without its secret: from where and when it was begun, and when it was used last, to the minute."""

    digest: str
    origin: ClientOrigin
    begun_at: int
    seen_at: int

    @property
    def id(self) -> str:
        return self.digest[:_ID_LENGTH]


class Sessions:
    """The sessions of all people."""

    def __init__(self, database: PeopleDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def begin(self, account_id: int, replaced: str | None, origin: ClientOrigin = UNKNOWN_ORIGIN) -> str:
        """Begin a session, and return its secret, which is always a new one; the `replaced` session ends."""
        secret, now = new_secret(), self._clock()
        row = {
            "digest": digest_of(secret),
            "account_id": account_id,
            "begun_at": now,
            "seen_at": now,
            "address": origin.address[:60],
            "browser": origin.browser[:60],
            "provider": origin.provider[:60],
        }
        with self._database.begin_alone() as connection:
            is_over = (sessions.c.seen_at < now - IDLE_SECONDS) | (sessions.c.begun_at < now - LONGEST_SECONDS)
            connection.execute(delete(sessions).where(is_over | (sessions.c.digest == digest_of(replaced or ""))))
            connection.execute(insert(sessions).values(row))
        return secret

    def begin_with(self, proof: Confirmed, replaced: str | None, origin: ClientOrigin = UNKNOWN_ORIGIN) -> str | None:
        """Begin a session for a person who was confirmed; None if that no longer holds."""
        secret = self.begin(proof.account_id, replaced, origin)
        with self._database.begin_alone() as connection:
            if connection.execute(select(accounts.c.id).where(proof.holds())).first() is not None:
                return secret
        self.end(secret)
        return None

    def visitor(self, secret: str) -> Visitor | None:
        """Who is signed in by a secret; None if no session has it, or the session has ended."""
        now, digest = self._clock(), digest_of(secret)
        has_secret, is_alive = sessions.c.digest == digest, _is_alive(now)
        columns = (accounts.c.id, accounts.c.name, sessions.c.begun_at, sessions.c.seen_at, sessions.c.provider)
        of_person = roles.c.account_id == accounts.c.id
        person = select(*columns, *ROLE).select_from(accounts.join(sessions).outerjoin(roles, of_person))
        rows = self._database.read(person.where(has_secret, is_alive, accounts.c.is_disabled.is_(False)))
        if not rows:
            return None
        row = rows[0]
        if now - row.seen_at >= SECONDS_BETWEEN_NOTES:
            with self._database.begin() as connection:
                connection.execute(update(sessions).where(has_secret).values(seen_at=now), execution_options=NOTE)
        ends_at = min(row.seen_at + IDLE_SECONDS, row.begun_at + LONGEST_SECONDS)
        provider = row.provider or None
        return Visitor(row.id, row.name, roles_in(rows), session=digest, provider=provider, ends_at=ends_at)

    def end(self, secret: str) -> None:
        """End one session."""
        with self._database.begin() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == digest_of(secret)))

    def of(self, account_id: int) -> Sequence[Session]:
        """The sessions of a person that have not ended, the last used first."""
        rows = select(sessions).where(sessions.c.account_id == account_id, _is_alive(self._clock()))
        with self._database.begin() as connection:
            ordered = connection.execute(rows.order_by(sessions.c.seen_at.desc(), sessions.c.digest))
            return [
                Session(row.digest, ClientOrigin(row.address, row.browser, row.provider), row.begun_at, row.seen_at)
                for row in ordered
            ]

    def end_one(self, account_id: int, session_id: str) -> bool:
        """End a session of a person, by its id; False where they have none of that id."""
        has_id = func.substr(sessions.c.digest, 1, _ID_LENGTH) == session_id
        with self._database.begin() as connection:
            return connection.execute(delete(sessions).where(sessions.c.account_id == account_id, has_id)).rowcount > 0

    def end_all(self, account_id: int, kept: str | None = None) -> None:
        """End all sessions of a person, but for the one whose secret is `kept`."""
        of_person = (sessions.c.account_id == account_id) & (sessions.c.digest != digest_of(kept or ""))
        with self._database.begin() as connection:
            connection.execute(delete(sessions).where(of_person))


def _is_alive(now: int) -> ColumnElement[bool]:
    """Selects the sessions that have not ended by themselves."""
    return (sessions.c.seen_at >= now - IDLE_SECONDS) & (sessions.c.begun_at >= now - LONGEST_SECONDS)
