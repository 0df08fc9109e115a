"""The database of people, whose tables Alembic makes and changes when it is opened: `people.db`, or one of PostgreSQL.

The server and `piql user` have it open at the same time, and so have several servers, if it is one of PostgreSQL.
SQLite's write-ahead log lets readers go on while one writes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Executable, Row
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from piql_backend.people.access_revision import (
    AccessRevision,
    NotifiedRevision,
    RevisionInFile,
    has_changed,
    watch_changes,
)
from piql_backend.people.postgresql import PostgresqlAddress, wait_until_alone
from piql_backend.people.sqlite_file import disk_error_of, engine_of
from piql_backend.web.errors import ApiError

_MIGRATIONS = Path(__file__).with_name("migrations")


class PeopleDatabase:
    """A database, opened.

    Raises ValueError where it does not answer, is damaged, was written by a newer workbench, or is not private.
    """

    def __init__(self, place: Path | PostgresqlAddress) -> None:
        self.name = place.name if isinstance(place, PostgresqlAddress) else str(place)
        self._engine = place.engine() if isinstance(place, PostgresqlAddress) else engine_of(place)
        self._is_shared = isinstance(place, PostgresqlAddress)
        try:
            with self._engine.begin() as connection:
                if self._is_shared:  # two servers may start at once
                    wait_until_alone(connection)
                _migrate(connection)
        except (SQLAlchemyError, ValueError) as error:
            self._engine.dispose()
            reason = str(getattr(error, "orig", None) or error).strip()
            raise ValueError(f"the accounts in {self.name} cannot be read: {reason}") from error
        self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        watch_changes(self._engine)
        self.revision: AccessRevision = (
            NotifiedRevision(self._engine) if isinstance(place, PostgresqlAddress) else RevisionInFile(place)
        )

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction: committed at the end, or rolled back by an error.

        Raises OSError if the disk takes nothing, ApiError 503 if the database does not answer.
        """
        try:
            with self._engine.begin() as connection:
                has_changed(connection)  # what was rolled back was no change
                yield connection
                is_changed = has_changed(connection)
                if is_changed:
                    self.revision.raise_in(connection)
            if is_changed:
                self.revision.raise_here()
        except DBAPIError as error:
            raise self._what_is_said_of(error) from error

    def read(self, statement: Executable) -> Sequence[Row[*tuple[Any, ...]]]:
        """The rows of one statement that only reads, outside of a transaction; ApiError 503 as `begin`.

        It is tried once more where its connection turns out to be gone.
        """
        try:
            try:
                return self._read(statement)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                return self._read(statement)
        except DBAPIError as error:
            raise self._what_is_said_of(error) from error

    def _read(self, statement: Executable) -> Sequence[Row[*tuple[Any, ...]]]:
        with self._reading.connect() as connection:
            return connection.execute(statement).all()

    def _what_is_said_of(self, error: DBAPIError) -> Exception:
        disk_error = disk_error_of(error)
        if disk_error is not None:
            return disk_error
        if self._is_shared and (error.connection_invalidated or _is_unreachable(error)):
            message = "The database of people does not answer."
            return ApiError(503, "people-unavailable", message, "Wait until it is back, then try again.")
        return error

    @contextmanager
    def begin_alone(self) -> Iterator[Connection]:
        """A transaction that changes what others rely on, such as who is the last administrator: one at a time."""
        with self.begin() as connection:
            if self._is_shared:  # SQLite lets one write at a time
                wait_until_alone(connection)
            yield connection

    def close(self) -> None:
        self.revision.close()
        self._engine.dispose()


def _is_unreachable(error: DBAPIError) -> bool:
    """Whether there is no connection, the server is on its way down or up, or it took too long."""
    state = getattr(error.orig, "sqlstate", None)
    names = {kind.__name__ for kind in type(error.orig).__mro__}  # without an import of the driver, which is an extra
    return "OperationalError" in names and (state is None or state[:2] in ("08", "55", "57"))


def _migrate(connection: Connection) -> None:
    """Make and change the tables. Raises SQLAlchemyError, ValueError where the file is newer than the workbench."""
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it tells how it works, also while it is imported
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    configuration = Config()
    configuration.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    configuration.attributes["connection"] = connection
    try:
        command.upgrade(configuration, "head")
    except CommandError as error:
        raise ValueError(str(error)) from error
