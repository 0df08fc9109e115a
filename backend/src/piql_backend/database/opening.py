"""Opens the DuckDB file; one that is damaged is set aside, and what can be read of it is taken over.

What is live comes from the store, and profile runs are files of their own: a new file lacks nothing but the SLOs and
observations of blocks that cannot be read any more.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from piql_backend.database.connection import Database

log = logging.getLogger(__name__)

_TABLES = ("slos", "observations", "deployments")
_DAMAGE = ("not a valid DuckDB database", "Could not read enough bytes", "Corrupt database", "checksum")


@dataclass(frozen=True, slots=True)
class SetAside:
    """A damaged file under its new name, and the tables of which nothing could be read."""

    file: Path
    lost: Sequence[str]

    @property
    def message(self) -> str:
        lost = [name for name in ("slos", "observations") if name in self.lost]
        words = " and ".join("the SLOs" if name == "slos" else "the observations" for name in lost)
        rest = f"{words} are lost" if lost else "the SLOs and observations were taken over"
        return f"workbench.duckdb was damaged and is now {self.file.name}: the history was made from the store, {rest}"


def open_database(path: Path) -> tuple[Database, SetAside | None]:
    """Open a file, or a new one in place of a damaged one; duckdb.Error where it is in use, or of a newer DuckDB."""
    try:
        return _opened(path), None
    except duckdb.Error as error:
        if not _is_damage(error):
            raise
        damaged = _set_aside(path)
        log.error("%s is damaged and was set aside as %s: %s", path, damaged.name, error)
    database = Database(path)
    lost = [table for table in _TABLES if not _take_over(database, damaged, table)]
    return database, SetAside(damaged, lost)


def _opened(path: Path) -> Database:
    """Open a file whose every block can be read."""
    database = Database(path)
    try:
        with database.read() as cursor:
            for table in _TABLES:
                cursor.execute(f"SELECT sum(hash(each_row)) FROM {table} AS each_row").fetchone()
    except BaseException:
        database.close()
        raise
    return database


def _is_damage(error: duckdb.Error) -> bool:
    if isinstance(error, duckdb.SerializationException | duckdb.InternalException | duckdb.FatalException):
        return True
    return any(words in str(error) for words in _DAMAGE)


def _set_aside(path: Path) -> Path:
    at = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    damaged = path.with_name(f"{path.name}.damaged-{at}")
    path.rename(damaged)
    log_file = path.with_name(f"{path.name}.wal")
    if log_file.exists():
        log_file.rename(damaged.with_name(f"{damaged.name}.wal"))
    return damaged


def _take_over(database: Database, damaged: Path, table: str) -> bool:
    """Copy the rows of a table, all or none; say whether they could be read."""
    try:
        with duckdb.connect(str(damaged), read_only=True) as source:
            rows = source.sql(f"SELECT * FROM {table}").to_arrow_table()
        with database.write() as cursor:
            cursor.register("rows_read", rows)
            cursor.execute(f"INSERT INTO {table} BY NAME SELECT * FROM rows_read")
            cursor.unregister("rows_read")
    except duckdb.Error as error:
        log.error("the %s of %s cannot be read: %s", table, damaged.name, error)
        return False
    return True
