"""`people.db`: an SQLite file for its owner alone, since it holds the hashes of passwords."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError

from piql_backend.data_folder.disk import disk_full, disk_refused

log = logging.getLogger(__name__)

_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps beside a file
_PATIENCE_MS = 5_000  # how long a statement waits for another program that writes


def engine_of(path: Path) -> Engine:
    """Make the file private, or make it where there is none. ValueError where it is a link, or somebody else's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _keep_private(path)
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", _prepare)
    return engine


def disk_error_of(error: DBAPIError) -> OSError | None:
    """The error of a disk that takes nothing; None where the failure is another one."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_FULL:
        return disk_full(error.orig)
    if code is not None and code & 0xFF in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return disk_refused()
    return None


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
