"""Logs people in, confirms passwords, and tells whose token or cookie a request carries.

`People` opens the database and holds what reads and writes it: accounts, sessions, tokens and the audit record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

from piql_backend.people.accounts import Accounts, Proof
from piql_backend.people.attempts import Attempts
from piql_backend.people.audit import Audit, Deed
from piql_backend.people.clock import Clock, wall_clock
from piql_backend.people.cookie import ClientOrigin, Shown
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.known_visitors import KnownVisitors
from piql_backend.people.postgresql import PostgresqlAddress
from piql_backend.people.record_writer import RecordWriter
from piql_backend.people.sessions import Confirmed, Sessions
from piql_backend.people.strangers import Strangers
from piql_backend.people.tokens import PREFIX, Tokens
from piql_backend.web.errors import ApiError
from piql_backend.web.rates import client_of
from piql_backend.web.visitor import Visitor

_BEARER = "bearer "
_LOOKS = 8  # threads that use the database
_HASHES = 2  # threads that hash a password

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class People:
    """Accounts, sessions, tokens and the record. Raises ValueError where the database cannot be read."""

    def __init__(self, place: Path | PostgresqlAddress, clock: Clock = wall_clock) -> None:
        self.database = PeopleDatabase(place)
        self.accounts = Accounts(self.database, clock)
        self.sessions = Sessions(self.database, clock)
        self.tokens = Tokens(self.database, clock)
        self.audit = Audit(self.database, clock)
        self.attempts = Attempts()
        self.strangers = Strangers()
        self._known = KnownVisitors(self.database.revision.current, clock)
        self._looks = CapacityLimiter(_LOOKS)
        self._record = RecordWriter(self.audit)
        self._hashes = CapacityLimiter(_HASHES)

    def close(self) -> None:
        self.database.close()

    async def look(self, action: Callable[Given, Answer], *given: Given.args, **named: Given.kwargs) -> Answer:
        """Call a function that uses the database in a thread, so that the event loop does not wait for the disk."""
        return await to_thread.run_sync(lambda: action(*given, **named), limiter=self._looks)

    async def note(self, visitor: Visitor | None, deed: Deed) -> None:
        """Add to the record what somebody did, or tried to do; with all that is noted at that time."""
        await self._record.add(self.audit.entry(visitor, deed))

    async def hash(self, action: Callable[Given, Answer], *given: Given.args, **named: Given.kwargs) -> Answer:
        """Call a function that hashes a password in a thread; at most two run at once, because each takes 64 MiB."""
        return await to_thread.run_sync(lambda: action(*given, **named), limiter=self._hashes)

    async def log_in(self, name: str, password: str, origin: ClientOrigin, replaced: str | None) -> str:
        """Begin a session for a name and its password, and return its secret; the `replaced` one ends.

        Raises ApiError 401 for a wrong name or password, 429 where too many were tried.
        """
        name = name.lower()
        proof = await self.confirmed(name, password, origin.address, "log_in")
        return await self.begin(proof, replaced, origin)

    async def change_password(self, visitor: Visitor, password: str, new_password: str, origin: ClientOrigin) -> str:
        """Change a password, confirmed by the present one: all sessions and tokens end, and a new session begins.

        Raises ApiError 401 and 429 as `log_in`, 422 for a password that cannot be taken.
        """
        proof = await self.confirmed(visitor.name, password, origin.address, "change_password")
        try:
            renewed = await self.hash(self.accounts.set_password, visitor.name, new_password, proof)
        except ValueError as error:
            raise ApiError(
                422, "password-refused", str(error), "Choose another one.", parameter="new_password"
            ) from None
        if renewed is None:
            raise _wrong_login()
        return await self.begin(renewed, None, origin)

    async def confirmed(self, name: str, password: str, address: str, operation: str) -> Proof:
        """Who has that name and password, with a row in the record; ApiError 401 and 429 as `log_in`.

        What is refused for being too often gets no row, nor does a wrong password beyond what the record takes.
        """
        client = client_of(address)
        wait = self.attempts.take(name, client)
        if wait:
            self.strangers.refused(operation, address)
            message = "Too many wrong passwords were tried."
            raise ApiError(429, "too-many-logins", message, f"Try again in {math.ceil(wait)} s.")
        proof = await self.hash(self.accounts.with_password, name, password)
        if proof is not None or self.strangers.may_be_recorded():
            person = await self.look(self.accounts.known_name, name)
            deed = Deed(operation, "/api/session", 401 if proof is None else 200, address=address)
            await self.look(self.audit.note_of, person, "password", deed)
        else:
            self.strangers.refused(operation, address)
        if proof is None:
            raise _wrong_login()
        self.attempts.give_back(name, client)
        return proof

    async def begin(self, proof: Confirmed, replaced: str | None, origin: ClientOrigin) -> str:
        """Begin a session for somebody confirmed; the `replaced` one ends. ApiError 401 if that no longer holds."""
        secret = await self.look(self.sessions.begin_with, proof, replaced, origin)
        if secret is None:
            raise _wrong_login()
        return secret

    async def visitor(self, shown: Shown) -> Visitor | None:
        """Who shows these, as `visitor_of` finds out; for a moment it is remembered."""
        known = self._known.who_shows(shown)
        return known or await self.look(self._known.look, shown, self.visitor_of)

    def visitor_of(self, shown: Shown) -> Visitor | None:
        """Who shows these: a token decides where one is sent, else whom the proxy names, else the cookie of a session.

        Raises ApiError 403 for a name from the proxy that cannot be one.
        """
        authorization, is_from_proxy = shown.authorization or "", shown.proxy_user is not None
        is_bearer = authorization[: len(_BEARER)].lower() == _BEARER
        secret = authorization[len(_BEARER) :].strip() if is_bearer else ""
        if shown.authorization is not None and not (is_from_proxy and not secret.startswith(PREFIX)):
            return self.tokens.visitor(secret) if is_bearer else None
        if shown.proxy_user is not None:
            return self._named_by_proxy(shown.proxy_user)
        return None if shown.session is None else self.sessions.visitor(shown.session)

    def _named_by_proxy(self, name: str) -> Visitor | None:
        """Whom the proxy names; somebody new gets an account without a password and without a role."""
        visitor = self.accounts.visitor(name)
        if visitor is not None:
            return visitor
        try:
            is_new = self.accounts.welcome(name)
        except ValueError as error:
            raise ApiError(403, "name-refused", str(error), "The proxy has to send another one.") from None
        if is_new:
            self.audit.note_of(name.lower(), "proxy", Deed("add_person", "/api/session", 201))
        return self.accounts.visitor(name)


def _wrong_login() -> ApiError:
    return ApiError(401, "wrong-login", "The name or the password is wrong.", "Look at both, and try again.")
