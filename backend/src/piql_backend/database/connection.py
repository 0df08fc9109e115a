"""The DuckDB file: opened by this process alone, migrated at the start, one cursor for each use."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from piql_backend.data_folder.disk import disk_error_in
from piql_backend.database.told_versions import ToldVersions
from piql_backend.web.errors import ApiError

Cursor = duckdb.DuckDBPyConnection
_SECONDS_BETWEEN_INTERRUPTS = 0.05


class Database:
    """One DuckDB file. Reads run side by side; writes take turns, so that no transaction meets a conflict.

    Opening it applies the migrations that the file lacks. Raises duckdb.Error where it is damaged or in use.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        settings: dict[str, Any] = {
            "threads": 2,
            "memory_limit": "512MB",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        self._connection = duckdb.connect(str(path), config=settings)
        self._writing = threading.Lock()
        self._changing = threading.Condition()  # a DuckDB connection refuses to be used by two threads at once
        self._cursors: set[Cursor] = set()  # those in use
        self._is_closed = False
        self._changes = self._observed = 0
        self._told = ToldVersions()
        self.opening = secrets.token_hex(4)  # tells the counts of this process from those of another one
        try:
            self._migrate()
        except BaseException:
            self._connection.close()  # or DuckDB would hand out this connection again for the same path
            raise

    def version(self, seconds: float | None = None) -> str:
        """Another text once anything was committed, which pages are told (`ToldVersions`).

        What was observed of executions comes all the time: it is told `seconds` after the last time at the soonest.
        Without `seconds`, those of the last time hold.
        """
        return f"{self.opening} {self._changes} {self._told.told(self.opening, str(self._observed), seconds)}"

    @property
    def is_told_later(self) -> bool:
        """Whether pages would not be told now that more was observed."""
        return self._told.is_held(self.opening)

    @contextmanager
    def read(self) -> Iterator[Cursor]:
        """A cursor of this thread's own; ApiError 503 once the file is closed, also while the cursor is used."""
        with self._changing:
            if self._is_closed:
                raise _closed_meanwhile()
            cursor = self._connection.cursor()
            self._cursors.add(cursor)
        try:
            yield cursor
        except duckdb.Error as error:
            if not self._is_closed:
                raise
            raise _closed_meanwhile() from error
        finally:
            with self._changing:
                cursor.close()
                self._cursors.remove(cursor)
                self._changing.notify_all()

    @contextmanager
    def write(self, *, is_observed: bool = False) -> Iterator[Cursor]:
        """A cursor in a transaction: committed at the end, or rolled back. OSError if the disk takes nothing.

        `is_observed`: what is written was observed of executions.
        """
        with self._writing, self.read() as cursor:
            try:
                cursor.begin()
                try:
                    yield cursor
                except BaseException:
                    cursor.rollback()
                    raise
                cursor.commit()
                if is_observed:  # counted by whoever has the turn to write
                    self._observed += 1
                else:
                    self._changes += 1
            except duckdb.Error as error:
                of_disk = disk_error_in(error)
                if of_disk is None:
                    raise
                raise of_disk from error

    def append(self, table: str, columns: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Append a batch of observed rows, given as one array for each column in the table's order."""
        batch = dict(columns)
        with self.write(is_observed=True) as cursor:
            cursor.register("batch", batch)
            cursor.execute(f"INSERT INTO {table} SELECT * FROM batch")
            cursor.unregister("batch")

    def close(self) -> None:
        """Close the file when the write under way is over. Reads under way are ended, and the next ones refused."""
        with self._writing, self._changing:
            self._is_closed = True
            while self._cursors:  # one may begin its statement just after it was interrupted
                for cursor in self._cursors:
                    cursor.interrupt()
                self._changing.wait(_SECONDS_BETWEEN_INTERRUPTS)
            self._connection.close()

    def _migrate(self) -> None:
        """Apply the files of `migrations/` that the table of that name does not list, in the order of their numbers."""
        files = sorted(
            (entry for entry in resources.files(f"{__package__}.migrations").iterdir() if entry.name.endswith(".sql")),
            key=lambda entry: entry.name,
        )
        with self.write() as cursor:
            cursor.execute("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, applied_at TIMESTAMP)")
            done = {number for (number,) in cursor.execute("SELECT number FROM migrations").fetchall()}
            for file in files:
                number = int(file.name.split("_")[0])
                if number not in done:
                    cursor.execute(file.read_text())
                    cursor.execute("INSERT INTO migrations VALUES (?, ?)", [number, now()])


def _closed_meanwhile() -> ApiError:
    return ApiError(503, "environment-closed", "The environment was closed meanwhile.", "Ask again.")


def now() -> datetime:
    """The time as it is stored: UTC, without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)


def aware(stored: datetime) -> datetime:
    """A stored time with its zone, UTC, which DuckDB leaves out."""
    return stored.replace(tzinfo=UTC)
