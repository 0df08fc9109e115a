"""Whose a SQLite file is, found out before anything is written to it.

    no file, an empty file, a database without a table     nobody's yet: the first write makes a store of it
    a database with the tables that this kind of store has a store
    a database with other tables                           another program's, or another kind's: refused, left as it is

A database without a log is read as one that nobody changes: reading it in any other way could leave files beside it.
With a log somebody has it open, or was killed: it is read with locks, by a connection that may not write.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from piql.errors import NotAStore, StoreForked
from piql.store.embedded.connections import Connection, Held, uri_of
from piql.store.embedded.fork import FORKS
from piql.store.embedded.waiting import not_opened, patiently
from piql.store.schemes import EMBEDDED, STEPWISE

SETTINGS = "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
CELLS = "CREATE TABLE cells (grp TEXT, key TEXT, value TEXT NOT NULL, PRIMARY KEY (grp, key)) WITHOUT ROWID"

OWN_TABLES: Mapping[str, Mapping[str, str]] = {
    EMBEDDED: {"settings": SETTINGS},
    STEPWISE: {"settings": SETTINGS, "cells": CELLS},
}
"""The tables that each kind of store makes first, as SQLite keeps their text."""

Schema = dict[str, str | None]  # the name of each table and view, and its text

_SCHEMA = (
    "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)


class _FileLookedAt:
    """A SQLite file opened to look at it alone; with locks if others may have it open."""

    def __init__(self, path: Path, is_in_use: bool) -> None:
        self._path = path
        self._options = "mode=ro" if is_in_use else "immutable=1"

    def open(self) -> Connection:
        FORKS.refuse_inherited(self._path)
        return sqlite3.connect(
            uri_of(self._path, self._options),
            uri=True,
            timeout=0.0,
            isolation_level=None,
            check_same_thread=False,
            factory=Connection,
        )


class _State(NamedTuple):
    """What may tell that a file was changed while it was read without locks."""

    size: int
    changed_at: int
    is_in_use: bool


def is_store(path: Path, kind: str, wait_seconds: float) -> bool:
    """Return whether a file is a store of a kind; false where it is to be made.

    Raises NotAStore where the file is something else, StoreUnavailable where it cannot be read.
    """
    try:
        schema = _schema_of(path, wait_seconds)
    except StoreForked:
        raise
    except (sqlite3.Error, OSError, ValueError) as failure:  # ValueError: what can be no path
        raise not_opened(path, failure, wait_seconds) from failure
    return is_own(schema, path, kind)


def is_own(schema: Schema, path: Path, kind: str) -> bool:
    """Return whether a schema is that of a store, false where it is empty; raise NotAStore where it is neither."""
    if not schema:
        return False
    for name, tables in sorted(OWN_TABLES.items(), key=lambda entry: -len(entry[1])):
        if all(schema.get(table) == text for table, text in tables.items()):
            if name == kind:
                return True
            raise NotAStore(f"{path} is a store of another kind: open it as {name}:{path}")
    raise NotAStore(f"{path} is a database of another program, which stays as it is: give the path of a new file")


def schema_in(connection: sqlite3.Connection) -> Schema:
    return dict(connection.execute(_SCHEMA))


def _schema_of(path: Path, wait_seconds: float) -> Schema:
    """Read the schema, again where the file was changed meanwhile."""
    for is_last in (False, False, False, True):
        state = _state_of(path)
        if state is None or not state.size:
            return {}
        try:
            schema = _look(_FileLookedAt(path, state.is_in_use), wait_seconds)
        except sqlite3.Error:
            if is_last or state == _state_of(path):
                raise
        else:
            if is_last or state.is_in_use or state == _state_of(path):
                return schema
    raise AssertionError


def _state_of(path: Path) -> _State | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    if not S_ISREG(status.st_mode):
        raise ValueError("it is no file")
    real = os.path.realpath(path)
    is_in_use = os.path.exists(real + "-shm") or _size_of(real + "-wal") > 0
    return _State(status.st_size, status.st_mtime_ns, is_in_use)


def _size_of(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _look(file: _FileLookedAt, wait_seconds: float) -> Schema:
    held = Held(file)
    FORKS.held.add(held)
    try:
        with held.used() as connection:
            return patiently(lambda: schema_in(connection), wait_seconds)
    finally:
        held.retire()
