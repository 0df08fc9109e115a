"""Sessions of browsers. The secret of a session is in a cookie. A session ends by itself when it is idle or old."""

from __future__ import annotations

from sqlalchemy import delete, insert, select, update

from piql_backend.people.accounts import Proof, roles_of
from piql_backend.people.bearer import digest_of, new_secret
from piql_backend.people.clock import Clock
from piql_backend.people.cookie import LONGEST_SECONDS
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.tables import accounts, sessions
from piql_backend.web.visitor import Visitor

IDLE_SECONDS = 8 * 3600
_SECONDS_BETWEEN_NOTES = 60  # of when a session was used, so that not every request writes


class Sessions:
    """The sessions of all people."""

    def __init__(self, database: PeopleDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def begin(self, account_id: int, replaced: str | None) -> str:
        """Begin a session, and return its secret, which is always a new one; the `replaced` session ends."""
        secret, now = new_secret(), self._clock()
        row = {"digest": digest_of(secret), "account_id": account_id, "begun_at": now, "seen_at": now}
        with self._database.begin() as connection:
            is_over = (sessions.c.seen_at < now - IDLE_SECONDS) | (sessions.c.begun_at < now - LONGEST_SECONDS)
            connection.execute(delete(sessions).where(is_over | (sessions.c.digest == digest_of(replaced or ""))))
            connection.execute(insert(sessions).values(row))
        return secret

    def begin_with(self, proof: Proof, replaced: str | None) -> str | None:
        """Begin a session for a person whose password was confirmed; None if the password has changed since."""
        secret = self.begin(proof.account_id, replaced)
        with self._database.begin() as connection:
            if connection.execute(select(accounts.c.id).where(proof.holds())).first() is not None:
                return secret
        self.end(secret)
        return None

    def visitor(self, secret: str) -> Visitor | None:
        """Who is signed in by a secret; None if no session has it, or the session has ended."""
        now, digest = self._clock(), digest_of(secret)
        has_secret = sessions.c.digest == digest
        is_alive = (sessions.c.seen_at >= now - IDLE_SECONDS) & (sessions.c.begun_at >= now - LONGEST_SECONDS)
        person = select(accounts.c.id, accounts.c.name, sessions.c.seen_at).join(sessions)
        with self._database.begin() as connection:
            row = connection.execute(person.where(has_secret, is_alive, accounts.c.is_disabled.is_(False))).first()
            if row is None:
                return None
            if now - row.seen_at >= _SECONDS_BETWEEN_NOTES:
                connection.execute(update(sessions).where(has_secret).values(seen_at=now))
            return Visitor(row.id, row.name, roles_of(connection, row.id), session=digest)

    def end(self, secret: str) -> None:
        """End one session."""
        with self._database.begin() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == digest_of(secret)))

    def end_all(self, account_id: int) -> None:
        """End all sessions of a person."""
        with self._database.begin() as connection:
            connection.execute(delete(sessions).where(sessions.c.account_id == account_id))
