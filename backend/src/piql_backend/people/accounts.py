"""People, their passwords, and their roles by application."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from piql_backend.people.clock import Clock
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.passwords import hash_of, is_right, problem_of
from piql_backend.people.tables import accounts, audit, roles, sessions, tokens
from piql_backend.web.needs import Role
from piql_backend.web.visitor import EVERYWHERE, Visitor

ROLE = (roles.c.application, roles.c.role)  # of each row of a person that is joined with their roles
NO_PASSWORD = ""  # in place of a hash: no password is right
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,59}")


@dataclass(frozen=True, slots=True)
class Account:
    """A person, with their roles by application; EVERYWHERE stands for all. `seen_at` is None for one never seen."""

    id: int
    name: str
    is_disabled: bool
    roles: Mapping[str, Role]
    seen_at: int | None


@dataclass(frozen=True, slots=True)
class Proof:
    """That somebody showed the password whose hash was kept then. It takes a while, and may be over when it is used."""

    account_id: int
    password_hash: str

    def holds(self) -> ColumnElement[bool]:
        """Selects the account while it has that password, and is not disabled."""
        is_same = (accounts.c.id == self.account_id) & (accounts.c.password_hash == self.password_hash)
        return is_same & accounts.c.is_disabled.is_(False)


class Accounts:
    """The people of a team. Whatever cannot be done raises ValueError with a sentence that says why."""

    def __init__(self, database: PeopleDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, name: str, password: str | None) -> None:
        """Add a person, who has no role yet; without a password, only a proxy can say that it is them."""
        name = proper_name(name)
        if password is not None:
            refuse_password(password, name)
        hashed = NO_PASSWORD if password is None else hash_of(password)
        try:
            self._insert(name, hashed)
        except IntegrityError:
            raise ValueError(f"There is already a person {name}.") from None

    def welcome(self, name: str) -> bool:
        """Add a person of that name, without a password and a role, where there is none yet; whether one was added."""
        name = proper_name(name)
        if self.known_name(name) is not None:
            return False
        try:
            self._insert(name, NO_PASSWORD)
        except IntegrityError:  # another request of theirs was faster
            return False
        return True

    def visitor(self, name: str) -> Visitor | None:
        """The person of that name, as a proxy says; None for nobody, and for somebody who is shut out."""
        is_it = (accounts.c.name == name.lower()) & accounts.c.is_disabled.is_(False)
        with self._database.begin() as connection:
            row = connection.execute(select(accounts.c.id, accounts.c.name).where(is_it)).first()
            return None if row is None else Visitor(row.id, row.name, roles_of(connection, row.id))

    def all(self) -> Sequence[Account]:
        """All people, by name."""
        with self._database.begin() as connection:
            rows = connection.execute(select(accounts.c.id, accounts.c.name, accounts.c.is_disabled)).all()
            by_name = sorted(
                rows, key=lambda row: str(row.name)
            )  # as pages do, whatever the database takes for an order
            return [
                Account(
                    row.id,
                    row.name,
                    row.is_disabled,
                    roles_of(connection, row.id),
                    _seen_at(connection, row.id, row.name),
                )
                for row in by_name
            ]

    def id_of(self, name: str) -> int:
        """The id of a person; ValueError for nobody."""
        with self._database.begin() as connection:
            account_id = connection.execute(select(accounts.c.id).where(accounts.c.name == name.lower())).scalar()
        if account_id is None:
            raise ValueError(f"There is no person {name[:60]}.")
        return int(account_id)

    def known_name(self, name: str) -> str | None:
        """The name where it is one; None where it may be anything, such as a password in the wrong field."""
        with self._database.begin() as connection:
            return connection.execute(select(accounts.c.name).where(accounts.c.name == name.lower())).scalar()

    def with_password(self, name: str, password: str) -> Proof | None:
        """Who has that name and password; None for a wrong one, as slow as for a right one."""
        with self._database.begin() as connection:
            row = connection.execute(
                select(accounts.c.id, accounts.c.password_hash).where(
                    accounts.c.name == name.lower(), accounts.c.is_disabled.is_(False)
                )
            ).first()
        right = is_right(None if row is None else row.password_hash, password)
        return Proof(row.id, row.password_hash) if right and row is not None else None

    def set_password(self, name: str, password: str, proof: Proof | None = None) -> Proof | None:
        """Give a person another password; all their sessions and tokens end. None where `proof` no longer holds."""
        account_id = self.id_of(name)
        refuse_password(password, name)
        hashed = hash_of(password)
        has_account = accounts.c.id == account_id if proof is None else proof.holds()
        with self._database.begin_alone() as connection:
            if connection.execute(update(accounts).where(has_account).values(password_hash=hashed)).rowcount == 0:
                return None
            _end_all(connection, account_id)
        return Proof(account_id, hashed)

    def set_role(self, name: str, application: str, role: Role | None, *, keeps_one: bool = False) -> None:
        """Give a person a role in an application, or with EVERYWHERE in all; None takes it away.

        With `keeps_one`, raises ValueError rather than leave nobody who may administer all applications.
        """
        account_id = self.id_of(name)
        with self._database.begin_alone() as connection:
            of_person = (roles.c.account_id == account_id) & (roles.c.application == application)
            connection.execute(delete(roles).where(of_person))
            if role is not None:
                connection.execute(insert(roles).values(account_id=account_id, application=application, role=role))
            if keeps_one:
                _refuse_without_administrator(connection, name)

    def set_disabled(self, name: str, is_disabled: bool, *, keeps_one: bool = False) -> None:
        """Shut a person out, whose sessions and tokens end, or let them in again; `keeps_one` as in `set_role`."""
        account_id = self.id_of(name)
        with self._database.begin_alone() as connection:
            connection.execute(update(accounts).where(accounts.c.id == account_id).values(is_disabled=is_disabled))
            if is_disabled:
                _end_all(connection, account_id)
            if keeps_one:
                _refuse_without_administrator(connection, name)

    def forget_application(self, application: str) -> None:
        """Take away all roles and tokens of an application, so that a later one of its id does not inherit them."""
        with self._database.begin_alone() as connection:
            connection.execute(delete(roles).where(roles.c.application == application))
            connection.execute(delete(tokens).where(tokens.c.application == application))

    def _insert(self, name: str, password_hash: str) -> None:
        row = {"name": name, "password_hash": password_hash, "made_at": self._clock(), "is_disabled": False}
        with self._database.begin_alone() as connection:
            connection.execute(insert(accounts).values(row))

    def has_administrator(self) -> bool:
        """Whether anybody may administer all applications."""
        with self._database.begin() as connection:
            return _has_administrator(connection)


def proper_name(name: str) -> str:
    """A name as it is kept; ValueError for a text that cannot be one."""
    name = name.lower()
    if _NAME.fullmatch(name) is None:
        raise ValueError(
            f"{name[:60]} cannot be a name: it has letters a to z, figures, and . _ @ - inside, 60 at most."
        )
    return name


def refuse_password(password: str, name: str) -> None:
    """Raise ValueError for a password that cannot be taken."""
    problem = problem_of(password, name)
    if problem is not None:
        raise ValueError(problem)


def roles_in(rows: Sequence[Row[*tuple[Any, ...]]]) -> Mapping[str, Role]:
    """The roles of a person whose rows were joined with them; of somebody without a role, one row without any."""
    return {row.application: cast(Role, row.role) for row in rows if row.role is not None}


def roles_of(connection: Connection, account_id: int) -> Mapping[str, Role]:
    """The roles of a person by application."""
    rows = connection.execute(select(roles.c.application, roles.c.role).where(roles.c.account_id == account_id))
    return {application: cast(Role, role) for application, role in rows}


def _seen_at(connection: Connection, account_id: int, name: str) -> int | None:
    """When a person was last there: by a session or a token that they have, or by what the record has of them."""
    moments = (
        select(func.max(sessions.c.seen_at)).where(sessions.c.account_id == account_id),
        select(func.max(tokens.c.used_at)).where(tokens.c.account_id == account_id),
        select(audit.c.at).where(audit.c.person == name, audit.c.by != "").order_by(audit.c.id.desc()).limit(1),
    )
    return max((at for moment in moments if (at := connection.execute(moment).scalar()) is not None), default=None)


def _has_administrator(connection: Connection) -> bool:
    everywhere = (roles.c.application == EVERYWHERE) & (roles.c.role == "administrator")
    able = select(accounts.c.id).join(roles).where(everywhere, accounts.c.is_disabled.is_(False))
    return connection.execute(able.limit(1)).first() is not None


def _refuse_without_administrator(connection: Connection, name: str) -> None:
    """Raise ValueError where nobody is left who administers all: looked at after the change, which is rolled back."""
    if not _has_administrator(connection):
        raise ValueError(f"{name[:60].lower()} is the last who administers all applications.")


def _end_all(connection: Connection, account_id: int) -> None:
    for table in (sessions, tokens):
        connection.execute(delete(table).where(table.c.account_id == account_id))
