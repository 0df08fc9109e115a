"""Where several servers keep the people of a team: a PostgreSQL database, whose URL is a secret named by reference.

env:VARIABLE            the URL is the value of a variable of the environment
file:PATH               the URL is the first line of a file
postgresql://HOST/NAME  the URL itself, if it has no password: arguments are seen by everybody on the machine
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

_DRIVER = "postgresql+psycopg"
_SCHEMES = ("postgresql", "postgres", _DRIVER)
_MOST_CHARACTERS = 4_000  # of a URL
_CONNECTIONS = 11  # that are kept: those of the threads that look, of the one that notes, and of those that hash
_SECONDS_TO_CONNECT = 5
_SECONDS_TRUSTED = 1.0  # that a connection is taken to work after its last use
_USED_AT = "piql_used_at"  # in the info of a connection
_LOCK = 0x7069716C  # the number of the lock of who changes what others rely on
_OPTIONS = {  # a database that is gone without a word is noticed within half a minute
    "connect_timeout": _SECONDS_TO_CONNECT,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "options": "-c statement_timeout=15s -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s",
    "application_name": "piql-workbench",
}


@dataclass(frozen=True, slots=True)
class PostgresqlAddress:
    """A database of people: `url` is a secret, and `name` may be shown."""

    url: str = field(repr=False)
    name: str

    def engine(self) -> Engine:
        """Connects when it is first used. ImportError where the driver is not installed."""
        url = make_url(self.url).set(drivername=_DRIVER)
        given = {option: value for option, value in _OPTIONS.items() if option not in url.query}
        # The connection that was used last is used next, so that few are in use, and need not be tried before each use.
        options: dict[str, Any] = {"pool_size": _CONNECTIONS, "max_overflow": 2, "pool_use_lifo": True}
        engine = create_engine(url, connect_args=given, hide_parameters=True, **options)
        event.listen(engine, "checkout", _try_rested)
        event.listen(engine, "checkin", _note_use)
        return engine


def address_of(url: str) -> PostgresqlAddress:
    """Read the URL of a database; ValueError, which does not repeat it, where it is none of PostgreSQL."""
    try:
        parts = make_url(url)
    except (ArgumentError, ValueError):
        raise ValueError("the database of people is named by no URL: give postgresql://USER@HOST/NAME") from None
    if parts.drivername not in _SCHEMES:
        raise ValueError(f"people are kept in PostgreSQL, not in {parts.drivername[:30]}: give postgresql://…")
    if not parts.database:
        raise ValueError("the URL of the database of people names no database: give postgresql://USER@HOST/NAME")
    port = "" if parts.port is None else f":{parts.port}"
    return PostgresqlAddress(url, f"postgresql://{parts.host or ''}{port}/{parts.database}")


def address_from(reference: str) -> PostgresqlAddress:
    """The database that an argument refers to. ValueError where it refers to nothing, or holds a password itself."""
    kind, _, name = reference.partition(":")
    if kind == "env":
        url = os.environ.get(name, "")
        if not url:
            raise ValueError(f"the variable {name[:60]}, which is to hold the URL of the database of people, is empty")
        return address_of(url)
    if kind == "file":
        try:
            with Path(name).open(encoding="utf-8") as file:
                return address_of(file.readline(_MOST_CHARACTERS).strip())
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise ValueError(
                f"{name}, which is to hold the URL of the database of people, is not read: {reason}"
            ) from None
    address = address_of(reference)
    if make_url(reference).password is not None:
        raise ValueError(
            "the URL has a password, and everybody on this machine sees arguments: give env:VARIABLE or file:PATH"
        )
    return address


def _note_use(_: object, record: ConnectionPoolEntry) -> None:
    record.info[_USED_AT] = time.monotonic()


def _try_rested(driver: Any, record: ConnectionPoolEntry, _: object) -> None:
    """Let a connection that has rested be replaced where it no longer works, before anything is asked on it."""
    used_at = record.info.get(_USED_AT)
    if used_at is not None and time.monotonic() - used_at > _SECONDS_TRUSTED:
        try:
            driver.execute("")
            driver.rollback()
        except Exception as error:
            raise DisconnectionError from error


def wait_until_alone(connection: Connection) -> None:
    """Wait until no other transaction that asks for this is under way, and let later ones wait for this one."""
    connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
