"""`people.db`: one SQLite file, whose tables Alembic makes and changes when it is opened.

The server and `piql user` have it open at the same time: SQLite's write-ahead log lets readers go on while one writes.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from piql_backend.data_folder.disk import disk_full, disk_refused

FILE = "people.db"
_MIGRATIONS = Path(__file__).with_name("migrations")
_PATIENCE_MS = 5_000  # how long a statement waits for another program that writes


class PeopleDatabase:
    """The file, opened. Raises ValueError where it is damaged, or was written by a newer workbench."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._engine = create_engine(f"sqlite:///{path}")
        event.listen(self._engine, "connect", _prepare)
        try:
            _migrate(self._engine)
        except (SQLAlchemyError, CommandError) as error:
            self._engine.dispose()
            reason = str(getattr(error, "orig", None) or error)
            raise ValueError(f"the accounts in {path} cannot be read: {reason}") from error

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction: committed at the end, or rolled back by an error. OSError if the disk takes nothing."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except OperationalError as error:
            code = getattr(error.orig, "sqlite_errorcode", None)
            if code == sqlite3.SQLITE_FULL:
                raise disk_full(error.orig) from error
            if code is not None and code & 0xFF in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                raise disk_refused() from error
            raise

    def close(self) -> None:
        self._engine.dispose()


def _prepare(connection: Any, _: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={_PATIENCE_MS}"):
        connection.execute(f"PRAGMA {pragma}")


def _migrate(engine: Engine) -> None:
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it tells how it works, which nobody asked
    configuration = Config()
    configuration.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        configuration.attributes["connection"] = connection
        command.upgrade(configuration, "head")
