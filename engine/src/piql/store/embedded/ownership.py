"""Finds out whether a SQLite file is a store, before anything is written to it.

    no file, an empty file, a database without a table     no store yet: the first write makes one of it
    a database with the tables of this kind of store       a store
    a database with other tables                           another program's, or another kind's: refused, left as it is

A database without a WAL file is read without locks, as one that nobody changes: any other way could leave files beside
it. A WAL file means that a process has the database open, or was killed: then it is read with locks, by a connection
that may not write.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from piql.errors import NotAStore, StoreForked
from piql.store.embedded.connections import Connection, ConnectionHandle, refuse_linked, uri_of
from piql.store.embedded.fork import FORKS
from piql.store.embedded.log_files import LogFiles
from piql.store.embedded.waiting import not_opened, patiently
from piql.store.schemes import EMBEDDED, STEPWISE

SETTINGS = "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
CELLS = "CREATE TABLE cells (grp TEXT, key TEXT, value TEXT NOT NULL, PRIMARY KEY (grp, key)) WITHOUT ROWID"

OWN_TABLES: Mapping[str, Mapping[str, str]] = {
    EMBEDDED: {"settings": SETTINGS},
    STEPWISE: {"settings": SETTINGS, "cells": CELLS},
}
"""The tables that each kind of store makes first: their names, and their texts as SQLite keeps them."""

Schema = dict[str, str | None]
"""The name of each table and view of a file, and its text."""

_SCHEMA = (
    "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)


class _ReadOnlyFile:
    """A SQLite file that is opened for reading only; with locks if others may have it open."""

    def __init__(self, path: Path, is_in_use: bool) -> None:
        self._path = path
        self._options = "mode=ro" if is_in_use else "immutable=1"
        self.log_files = LogFiles(path)

    def open(self) -> Connection:
        FORKS.refuse_inherited(self._path)
        self.log_files.refuse_known()
        return sqlite3.connect(
            uri_of(self._path, self._options),
            uri=True,
            timeout=0.0,
            isolation_level=None,
            check_same_thread=False,
            factory=Connection,
        )


class _State(NamedTuple):
    """What changes if a file is written while it is read without locks: size in bytes, time in ns, WAL file or not."""

    size: int
    changed_at: int
    is_in_use: bool


def is_store(path: Path, kind: str, wait_seconds: float) -> bool:
    """Return whether a file is a store of a kind; False if a store can be made of it.

    Raises NotAStore if it is something else, StoreUnavailable if it cannot be read.
    """
    try:
        schema = _schema_of(path, wait_seconds)
    except StoreForked:
        raise
    except (sqlite3.Error, OSError, ValueError) as failure:  # ValueError: the text can be no path
        raise not_opened(path, failure, wait_seconds) from failure
    return is_own(schema, path, kind)


def is_own(schema: Schema, path: Path, kind: str) -> bool:
    """Return whether a schema is that of a store, False if it is empty; raise NotAStore for any other."""
    if not schema:
        return False
    for name, tables in sorted(OWN_TABLES.items(), key=lambda entry: -len(entry[1])):
        if all(schema.get(table) == text for table, text in tables.items()):
            if name == kind:
                return True
            raise NotAStore(f"{path} is a store of another kind: open it as {name}:{path}")
    raise NotAStore(f"{path} is a database of another program and is not changed: give the path of a new file")


def schema_in(connection: sqlite3.Connection) -> Schema:
    """Read the schema of a file."""
    return dict(connection.execute(_SCHEMA))


def _schema_of(path: Path, wait_seconds: float) -> Schema:
    """Read the schema of a file, again if the file was changed meanwhile, four times at most."""
    for is_last in (False, False, False, True):
        state = _state_of(path)
        if state is None or not state.size:
            return {}
        try:
            schema = _read_schema(_ReadOnlyFile(path, state.is_in_use), wait_seconds)
        except sqlite3.Error:
            if is_last or state == _state_of(path):
                raise
        else:
            if is_last or state.is_in_use or state == _state_of(path):
                return schema
    raise AssertionError


def _state_of(path: Path) -> _State | None:
    """Return the state of a file; None if there is none. Raises ValueError for what is no file, such as a folder."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    if not S_ISREG(status.st_mode):
        raise ValueError("it is no file")
    refuse_linked(path, status)
    real = os.path.realpath(path)
    is_in_use = _size_of(real + "-wal") > 0 or (os.path.exists(real + "-shm") and os.path.exists(real + "-wal"))
    return _State(status.st_size, status.st_mtime_ns, is_in_use)


def _size_of(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _read_schema(file: _ReadOnlyFile, wait_seconds: float) -> Schema:
    """Read the schema by a connection that a fork knows of, as of all others."""
    handle = ConnectionHandle(file)
    FORKS.handles.add(handle)
    try:
        with handle.used() as connection:
            return patiently(lambda: schema_in(connection), wait_seconds)
    finally:
        handle.retire()
