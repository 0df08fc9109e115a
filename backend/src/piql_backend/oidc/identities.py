"""Which account belongs to a person of a provider: linked once, by issuer and subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, exists, insert, select
from sqlalchemy.exc import IntegrityError

from piql_backend.oidc.candidate import Candidate
from piql_backend.oidc.refusals import Code, Refused
from piql_backend.oidc.registration import Registration
from piql_backend.people.accounts import NO_PASSWORD, proper_name
from piql_backend.people.clock import Clock
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.tables import accounts, identities, roles
from piql_backend.web.visitor import EVERYWHERE

_Account = Row[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Admitted:
    """Somebody whom a provider has named, and who has an account; `is_new` where it was made just now."""

    account_id: int
    name: str
    is_new: bool

    def holds(self) -> ColumnElement[bool]:
        """Selects the account while it is not shut out."""
        return (accounts.c.id == self.account_id) & accounts.c.is_disabled.is_(False)


class Identities:
    """The links from people of providers to accounts."""

    def __init__(self, database: PeopleDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def admit(self, candidate: Candidate, registration: Registration) -> Admitted:
        """Whose account it is: the one that is linked; else one without a password that was made under the confirmed
        e-mail address, which is linked now; else a new one, if the address is of a listed domain. Raises Refused.
        """
        try:
            return self._admit(candidate, registration)
        except IntegrityError:  # another request of theirs was faster: their account is there now
            return self._admit(candidate, registration)

    def link(self, name: str, issuer: str, subject: str) -> None:
        """Link an account by hand; ValueError for nobody, and where one of the two is linked already."""
        with self._database.begin_alone() as connection:
            account = _named(connection, name.lower())
            if account is None:
                raise ValueError(f"There is no person {name[:60]}.")
            taken = connection.execute(_linked(issuer, subject)).first()
            if taken is not None:
                raise ValueError(f"That person of {issuer} is linked to {taken.name}.")
            if _is_linked(connection, account.id):
                raise ValueError(f"{account.name} is linked already. `piql user unlink {account.name}` ends that.")
            self._link(connection, account.id, issuer, subject)

    def unlink(self, name: str) -> bool:
        """End the links of an account; False where there is none."""
        with self._database.begin() as connection:
            of_account = select(accounts.c.id).where(accounts.c.name == name.lower()).scalar_subquery()
            return connection.execute(delete(identities).where(identities.c.account_id == of_account)).rowcount > 0

    def _admit(self, candidate: Candidate, registration: Registration) -> Admitted:
        with self._database.begin_alone() as connection:
            account = connection.execute(_linked(candidate.issuer, candidate.subject)).first()
            if account is None:
                account = _waiting(connection, candidate)
                if account is None:
                    return self._add(connection, candidate, registration)
                if not account.is_disabled:
                    self._link(connection, account.id, candidate.issuer, candidate.subject)
            if account.is_disabled:
                raise Refused("shut-out", person=account.name)
            return Admitted(account.id, account.name, is_new=False)

    def _add(self, connection: Connection, candidate: Candidate, registration: Registration) -> Admitted:
        """Give somebody new an account with the role of new people."""
        if candidate.domain is None or candidate.domain not in registration.domains:
            is_unconfirmed = candidate.email is None and candidate.has_email
            code: Code = "email-unconfirmed" if is_unconfirmed else "unknown-person"
            raise Refused(code, f"the subject is {candidate.subject!r}")
        try:
            name = proper_name(candidate.name or "")
        except ValueError as error:
            raise Refused("name-refused", f"{registration.name_claim}: {error}") from None
        if _named(connection, name) is not None:
            raise Refused("name-taken", f"there is an account {name}; the subject is {candidate.subject!r}")
        row = {"name": name, "password_hash": NO_PASSWORD, "made_at": self._clock(), "is_disabled": False}
        account_id = connection.execute(insert(accounts).values(row).returning(accounts.c.id)).scalar_one()
        if registration.role is not None:
            role = {"account_id": account_id, "application": EVERYWHERE, "role": registration.role}
            connection.execute(insert(roles).values(role))
        self._link(connection, account_id, candidate.issuer, candidate.subject)
        return Admitted(account_id, name, is_new=True)

    def _link(self, connection: Connection, account_id: int, issuer: str, subject: str) -> None:
        row = {"issuer": issuer, "subject": subject, "account_id": account_id, "made_at": self._clock()}
        connection.execute(insert(identities).values(row))


def _linked(issuer: str, subject: str) -> Select[Any, Any, Any]:
    is_it = (identities.c.issuer == issuer) & (identities.c.subject == subject)
    return select(accounts.c.id, accounts.c.name, accounts.c.is_disabled).join(identities).where(is_it)


def _named(connection: Connection, name: str) -> _Account | None:
    columns = (accounts.c.id, accounts.c.name, accounts.c.is_disabled)
    return connection.execute(select(*columns).where(accounts.c.name == name)).first()


def _is_linked(connection: Connection, account_id: int) -> bool:
    return bool(connection.execute(select(exists().where(identities.c.account_id == account_id))).scalar())


def _waiting(connection: Connection, candidate: Candidate) -> _Account | None:
    """The account that was made for a confirmed e-mail address, while nobody has it: no password, and no link."""
    columns = (accounts.c.id, accounts.c.name, accounts.c.is_disabled)
    is_free = (accounts.c.password_hash == NO_PASSWORD) & ~exists().where(identities.c.account_id == accounts.c.id)
    is_theirs = accounts.c.name == candidate.email
    return None if candidate.email is None else connection.execute(select(*columns).where(is_theirs, is_free)).first()
