"""Opens the DuckDB file; one that is damaged is set aside, and what can be read of it is taken over.

What is live comes from the store, and profile runs are files of their own. So a new file lacks only SLOs, observations
and deploy requests: those in blocks that cannot be read any more, or all of them where the file is gone. Where
observations are lost, it notes when observing began anew. A new file is made in four steps:

    1  workbench.duckdb.part   is written: the rows that can be read, and when observing began anew
    2  workbench.duckdb.part   is complete, and becomes workbench.duckdb.new
    3  workbench.duckdb        becomes workbench.duckdb.damaged-…, and so does its write-ahead log
    4  workbench.duckdb.new    becomes workbench.duckdb

A process may be killed between any two steps: the next one begins again, or from step 2 on goes on with the new file.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from piql_backend.database.connection import Database, now

log = logging.getLogger(__name__)

_REQUESTS = (
    "deploy_requests",
    "deploy_request_revisions",
    "deploy_request_reviews",
    "deploy_request_comments",
)
_TABLES = ("slos", "observations", "deployments", "beginnings", *_REQUESTS)
_DAMAGE = ("not a valid DuckDB database", "Could not read enough bytes", "Corrupt database", "checksum")


@dataclass(frozen=True, slots=True)
class NewFile:
    """Why a file was made anew, for the health check.

    `aside` is where the damaged file is now, None where the file was gone. `lost` are the tables that could not be
    read. `began` is when the new file was made, UTC without a zone.
    """

    aside: Path | None
    lost: Sequence[str]
    began: datetime

    @property
    def message(self) -> str:
        names = {"slos": "the SLOs", "observations": "the observations", "deploy_requests": "the deploy requests"}
        lost = [words for table, words in names.items() if table in self.lost]
        outcome = f"{', '.join(lost)} are lost" if lost else "the SLOs and observations were taken over"
        if "observations" in self.lost:
            outcome += f", and observing begins anew at {self.began:%Y-%m-%d %H:%M} UTC"
        cause = "was gone" if self.aside is None else f"was damaged and is now {self.aside.name}"
        return f"workbench.duckdb {cause}: the history was made from the store, {outcome}"

    @property
    def advice(self) -> str:
        if self.aside is None:
            return "Put a copy of the file back while the workbench is stopped, if there is one."
        return "Remove the file that was set aside when you no longer need it."


def open_database(path: Path, *, is_expected: bool = False) -> tuple[Database, NewFile | None]:
    """Open the file, or a new one in its place where it is damaged, or where it `is_expected` and gone.

    The second value says why a new file was made, and is None where the file was opened as it is. Raises duckdb.Error
    where the file is in use, or was written by a newer DuckDB.
    """
    new = _beside(path, "new")
    if path.exists():
        _remove(new)
    elif new.exists():
        _put_in_place(new, path, _name_aside(path))
    elif is_expected:
        log.error("%s is gone: a new one is made", path)
        return _rebuilt(path, None)
    try:
        return _opened(path), None
    except duckdb.Error as error:
        if not _is_damage(error):
            raise
        damaged = _name_aside(path)
        log.error("%s is damaged and is set aside as %s: %s", path, damaged.name, error)
    return _rebuilt(path, damaged)


def _opened(path: Path) -> Database:
    """Open a file and read every block of its tables; duckdb.Error where one cannot be read."""
    database = Database(path)
    try:
        with database.read() as cursor:
            for table in _TABLES:
                cursor.execute(f"SELECT sum(hash(table_row)) FROM {table} AS table_row").fetchone()
    except BaseException:
        database.close()
        raise
    return database


def _is_damage(error: duckdb.Error) -> bool:
    if isinstance(error, duckdb.SerializationException | duckdb.InternalException | duckdb.FatalException):
        return True
    return any(words in str(error) for words in _DAMAGE)


def _rebuilt(path: Path, damaged: Path | None) -> tuple[Database, NewFile]:
    """Write a new file with what can be read of a damaged one, and put it in its place."""
    part, new = _beside(path, "part"), _beside(path, "new")
    _remove(part)
    database, began = Database(part), now()
    lost = [table for table in _TABLES if damaged is None or not _take_over(database, path, table)]
    if "observations" in lost:
        with database.write() as cursor:
            cursor.execute("INSERT INTO beginnings VALUES (?)", [began])
    with database.read() as cursor:
        cursor.execute("CHECKPOINT")
    database.close()
    part.rename(new)
    if damaged is not None:
        path.rename(damaged)
    _put_in_place(new, path, damaged or _name_aside(path))
    return Database(path), NewFile(damaged, lost, began)


def _put_in_place(new: Path, path: Path, aside: Path) -> None:
    """Rename a new file to `path`; the write-ahead log of the damaged file goes with that file."""
    if _write_ahead_log(path).exists():
        _write_ahead_log(path).rename(_write_ahead_log(aside))
    new.rename(path)


def _take_over(database: Database, damaged: Path, table: str) -> bool:
    """Copy the rows of a table, all or none; return whether they could be read."""
    try:
        with duckdb.connect(str(damaged), read_only=True) as source:
            rows = source.sql(f"SELECT * FROM {table}").to_arrow_table()
        with database.write() as cursor:
            cursor.register("rows_read", rows)
            cursor.execute(f"INSERT INTO {table} BY NAME SELECT * FROM rows_read")
            cursor.unregister("rows_read")
    except duckdb.CatalogException:
        return table in _REQUESTS  # a file of before there were any
    except duckdb.Error as error:
        log.error("the %s of %s cannot be read: %s", table, damaged.name, error)
        return False
    return True


def _beside(path: Path, end: str) -> Path:
    return path.with_name(f"{path.name}.{end}")


def _name_aside(path: Path) -> Path:
    """A name for a damaged file that no other has."""
    return _beside(path, f"damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}")


def _write_ahead_log(file: Path) -> Path:
    return _beside(file, "wal")


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    _write_ahead_log(file).unlink(missing_ok=True)
