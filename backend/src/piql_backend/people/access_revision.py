"""Counts the changes of who may do what, by whichever process they are made: while none comes, visitors are remembered.

people.db      the count is in the header of the file, and is raised in the transaction that makes the change
PostgreSQL     the transaction notifies; each server listens, and knows no revision while it cannot

What changes access are statements that write into accounts, roles, sessions or tokens, but for those that only note
when something was used (`NOTE`).
"""

from __future__ import annotations

import contextlib
import logging
import select
import socket
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, event
from sqlalchemy.sql.dml import UpdateBase

from piql_backend.people.tables import accounts, roles, sessions, tokens

log = logging.getLogger(__name__)

NOTE = {"piql_is_note": True}  # the execution option of a statement that changes nobody's access
_TABLES = (accounts, roles, sessions, tokens)
_CHANGED = "piql_access_changed"  # in the info of a connection whose transaction changes access
_CHANNEL = "piql_access"
_SECONDS_BETWEEN_ATTEMPTS = 1.0
_SECONDS_OF_WAITING = 10.0


class AccessRevision(Protocol):
    """A number that another one follows whenever somebody's access has changed."""

    def current(self) -> int | None:
        """The number; None while nobody knows it."""
        ...

    def raise_in(self, connection: Connection) -> None:
        """Tell all processes, once the transaction is committed."""
        ...

    def raise_here(self) -> None:
        """Tell this process, now that the transaction is committed."""
        ...

    def close(self) -> None: ...


def watch_changes(engine: Engine) -> None:
    """Mark the transactions that change access."""
    event.listen(engine, "after_execute", _mark)


def has_changed(connection: Connection) -> bool:
    """Whether the transaction of a connection changes access; asked once, before it is committed."""
    return bool(connection.info.pop(_CHANGED, False))


def _mark(
    connection: Connection, statement: Any, _many: Any, _one: Any, options: Mapping[str, Any], _result: Any
) -> None:
    if isinstance(statement, UpdateBase) and statement.table in _TABLES and not options.get("piql_is_note"):
        connection.info[_CHANGED] = True


class RevisionInFile:
    """The count in `people.db`; to read it takes some microseconds, also on the event loop."""

    def __init__(self, path: Path) -> None:
        self._reading = threading.Lock()
        self._file = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)

    def current(self) -> int | None:
        with self._reading:
            try:
                row = self._file.execute("PRAGMA user_version").fetchone()
            except sqlite3.Error:  # it is locked for a moment, damaged or closed
                return None
        return int(row[0])

    def raise_in(self, connection: Connection) -> None:
        count = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        connection.exec_driver_sql(f"PRAGMA user_version={(count + 1) % 2**31}")

    def raise_here(self) -> None:
        """It is read from the file each time."""

    def close(self) -> None:
        with self._reading:
            self._file.close()


class NotifiedRevision:
    """The count of the changes that this process has made or was told of, on a connection of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._counting = threading.Lock()
        self._count = 0
        self._is_listening = False
        self._is_closed = False
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._listen, name="access", daemon=True)
        self._thread.start()

    def current(self) -> int | None:
        return self._count if self._is_listening else None

    def raise_in(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"NOTIFY {_CHANNEL}")

    def raise_here(self) -> None:
        with self._counting:
            self._count += 1

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._wake.send(b".")
        self._thread.join()
        self._wake.close()
        self._woken.close()

    def _listen(self) -> None:
        while not self._is_closed:
            try:
                self._follow()
            except Exception as error:  # whatever it is, the database is asked about each request until it is over
                if self._is_listening:
                    log.warning("changes of the accounts are not heard of, so each request looks: %s", error)
            self._is_listening = False
            if not self._is_closed:
                wait_for_any([self._woken], _SECONDS_BETWEEN_ATTEMPTS)

    def _follow(self) -> None:
        """Count the notifications, until the connection or the workbench ends."""
        pooled = self._engine.raw_connection()
        connection: Any = pooled.driver_connection
        pooled.detach()  # its place in the pool is free
        with contextlib.closing(connection):
            connection.rollback()
            connection.set_autocommit(True)
            connection.execute(f"LISTEN {_CHANNEL}")
            self.raise_here()  # what came before was not heard
            self._is_listening = True
            while not self._is_closed:
                wait_for_any([connection, self._woken], _SECONDS_OF_WAITING)
                for _ in connection.notifies(timeout=0):
                    self.raise_here()
                if connection.closed:
                    return


def wait_for_any(files: Sequence[Any], seconds: float) -> None:
    """Wait until one of these can be read; `select` refuses files that are numbered from 1,024 on."""
    polled = select.poll()
    for file in files:
        polled.register(file, select.POLLIN)
    polled.poll(seconds * 1000)
