"""The threads of an application, in a SQLite file beside its `.piql` files.

    applications/shop/comments.db

It is opened for each request and closed after it, so it goes wherever the folder of the application goes. What was
committed is on the disk. Moments are milliseconds since 1970, in UTC.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from piql_backend.data_folder.disk import disk_full, disk_refused
from piql_backend.web.errors import ApiError

COMMENTS = "comments.db"
_VERSION = 2
_PATIENCE_SECONDS = 5.0  # while another program has the file
_SINCE_VERSION_2 = ("CREATE TABLE queries (name TEXT PRIMARY KEY, body TEXT NOT NULL)", "DELETE FROM settled")
_TABLES = """
    CREATE TABLE threads (
        number INTEGER PRIMARY KEY,
        change INTEGER NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        path TEXT,
        line INTEGER,                    -- where it is in the text of `texts`, or was last
        quote TEXT,                      -- the line when the thread began
        seen TEXT,                       -- the line when it was seen last
        is_lost INTEGER NOT NULL,        -- the line is not in the text of `texts`
        query TEXT,
        node TEXT,
        operator TEXT,
        node_table TEXT,
        is_outdated INTEGER NOT NULL,
        made_at INTEGER NOT NULL,
        changed_at INTEGER NOT NULL,
        resolved_by TEXT,
        resolved_at INTEGER
    );
    CREATE TABLE comments (
        thread INTEGER NOT NULL REFERENCES threads (number),
        number INTEGER NOT NULL,
        author TEXT,
        made_at INTEGER NOT NULL,
        text TEXT NOT NULL,
        revision INTEGER NOT NULL,
        edited_at INTEGER,
        removed_by TEXT,
        removed_at INTEGER,
        PRIMARY KEY (thread, number)
    ) WITHOUT ROWID;
    CREATE TABLE texts (path TEXT PRIMARY KEY, text TEXT NOT NULL);    -- in which the lines of threads stand
    CREATE TABLE queries (name TEXT PRIMARY KEY, body TEXT NOT NULL);  -- digests: a query that is renamed has the same
    CREATE TABLE settled (digest TEXT NOT NULL);                       -- of all texts, when threads were moved last
"""


@contextmanager
def read_threads(folder: Path) -> Iterator[sqlite3.Connection | None]:
    """The file of an application to read from; None where nobody has said anything yet."""
    if not (folder / COMMENTS).exists():
        yield None
        return
    with write_threads(folder) as connection:
        yield connection


@contextmanager
def write_threads(folder: Path) -> Iterator[sqlite3.Connection]:
    """The file of an application, made where it is missing, in a transaction: committed at the end, or rolled back.

    Raises ApiError 503 where it cannot be read, OSError where the disk takes nothing.
    """
    path = folder / COMMENTS
    try:
        with closing(_opened(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                _make_tables(connection, path)
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise disk_full(error) from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise disk_refused() from error
        raise _not_read(path, str(error)) from error


def _opened(path: Path) -> sqlite3.Connection:
    if path.is_symlink():
        raise _not_read(path, "it is a link")
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None)
    connection.row_factory = sqlite3.Row
    for pragma in ("synchronous=FULL", "secure_delete=ON"):  # what is removed is overwritten
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _make_tables(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > _VERSION:
        raise _not_read(path, "a newer workbench has written it")
    if version < _VERSION:
        for statement in _SINCE_VERSION_2 if version == 1 else _TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={_VERSION}")


def _not_read(path: Path, reason: str) -> ApiError:
    message = f"The comments in {COMMENTS} of {path.parent.name} cannot be read: {reason}."
    return ApiError(503, "comments-not-read", message[:500], "Put back a copy of the file, or move it away.")
