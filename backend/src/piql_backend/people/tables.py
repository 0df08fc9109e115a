"""The tables of people. Moments are whole seconds since 1970, in UTC."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, ForeignKey, Integer, MetaData, Table, TypeDecorator
from sqlalchemy import String as SqlString

metadata = MetaData()


class String(TypeDecorator[str]):
    """A text as PostgreSQL takes it: without NUL, which a stranger may send for a name."""

    impl = SqlString
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        return None if value is None else value.replace("\0", "\ufffd")


def _account() -> Column[int]:
    return Column("account_id", Integer, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True)


accounts = Table(
    "accounts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(60), nullable=False, unique=True),  # in small letters
    Column("password_hash", String(300), nullable=False),  # empty: they have none, and sign in otherwise
    Column("made_at", Integer, nullable=False),
    Column("is_disabled", Boolean, nullable=False),
)

roles = Table(
    "roles",
    metadata,
    Column("account_id", Integer, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("application", String(200), primary_key=True),  # empty: all applications
    Column("role", String(20), nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    _account(),
    Column("begun_at", Integer, nullable=False),
    Column("seen_at", Integer, nullable=False),
    Column("address", String(60), nullable=False, server_default=""),  # where it was begun; empty: not known
    Column("browser", String(60), nullable=False, server_default=""),  # the name of the browser; empty: not known
    Column("provider", String(60), nullable=False, server_default=""),  # by whose word it was begun; empty: a password
)

identities = Table(  # people of OpenID providers
    "identities",
    metadata,
    Column("issuer", String(300), primary_key=True),
    Column("subject", String(255), primary_key=True),
    _account(),
    Column("made_at", Integer, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    _account(),
    Column("title", String(100), nullable=False),
    Column("role", String(20), nullable=False),
    Column("application", String(200), nullable=False),  # empty: all applications
    Column("made_at", Integer, nullable=False),
    Column("ends_at", Integer, nullable=False),
    Column("used_at", Integer),  # NULL: never
)

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Integer, nullable=False, index=True),
    Column("person", String(60), index=True),  # NULL: nobody who is known
    Column("by", String(110), nullable=False),  # `session`, `password`, `provider`, `proxy`, `token: …`, or empty
    Column("address", String(60), nullable=False),
    Column("operation", String(60), nullable=False),
    Column("application", String(200), nullable=False, index=True),  # empty where it is about none
    Column("path", String(500), nullable=False),
    Column("status", Integer, nullable=False),  # of the answer; 0 where the request was broken off
    Column("wish", String(500), nullable=False, server_default=""),  # what the body asked for, as JSON; empty: nothing
    sqlite_autoincrement=True,
)

writer = Table(  # which of several servers has the data folder: one row, or none
    "writer",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("folder", String(64), nullable=False),  # the id of the data folder
    Column("address", String(200), nullable=False),  # HOST:PORT
    Column("began_at", Integer, nullable=False),
)
