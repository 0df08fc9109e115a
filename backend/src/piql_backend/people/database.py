"""`people.db`: one SQLite file, whose tables Alembic makes and changes when it is opened.

The server and `piql user` have it open at the same time: SQLite's write-ahead log lets readers go on while one writes.
Nobody but its owner may read it: it holds the hashes of passwords.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from piql_backend.data_folder.disk import disk_full, disk_refused

log = logging.getLogger(__name__)

_MIGRATIONS = Path(__file__).with_name("migrations")
_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps beside a file
_PATIENCE_MS = 5_000  # how long a statement waits for another program that writes


class PeopleDatabase:
    """The file, opened. Raises ValueError where it is damaged, was written by a newer workbench, or is not private."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _keep_private(path)
        self._engine = create_engine(f"sqlite:///{path}")
        event.listen(self._engine, "connect", _prepare)
        try:
            _migrate(self._engine)
        except (SQLAlchemyError, ValueError) as error:
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


def _keep_private(path: Path) -> None:
    """Make the file where there is none, for its owner alone; make it private where it is not.

    Raises ValueError where it is a link, such as to a file that others may write, or no file, or somebody else's.
    """
    if not os.path.lexists(path):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return
    for file in (path, *(path.with_name(f"{path.name}{suffix}") for suffix in _BESIDE)):
        try:
            state = file.lstat()
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(state.st_mode):
            raise ValueError(f"the accounts in {file} are not read: it is a link, or no file. Put a file there")
        if not state.st_mode & 0o077:
            continue
        try:
            file.chmod(0o600)
        except PermissionError:
            raise ValueError(f"the accounts in {file} are not read: it is open to others, and not yours") from None
        log.warning("%s could be read by others, and is private now: passwords may have to be changed", file)


def _prepare(connection: Any, _: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={_PATIENCE_MS}"):
        connection.execute(f"PRAGMA {pragma}")


def _migrate(engine: Engine) -> None:
    """Make and change the tables. Raises SQLAlchemyError, ValueError where the file is newer than the workbench."""
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it tells how it works, also while it is imported
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    configuration = Config()
    configuration.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        configuration.attributes["connection"] = connection
        try:
            command.upgrade(configuration, "head")
        except CommandError as error:
            raise ValueError(str(error)) from error
