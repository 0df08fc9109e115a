"""DuckDB, which reads CSV and Parquet and writes Parquet; the only module of the engine that knows of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from piql.errors import PiqlError
from piql.files.problems import FileRefused

if TYPE_CHECKING:
    import duckdb

MEMORY = "256MB"  # that DuckDB may use at most
_LONGEST_LINE = 64 * 1024 * 1024  # bytes of one line of CSV


class FilesUnavailable(PiqlError):
    """What reads and writes files is not installed."""


def open_duck(scratch: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Return a connection in memory that reads in one thread, so that rows come in the order of the file.

    `scratch` is a folder for what does not fit into memory. Raises FilesUnavailable where DuckDB is not installed.
    """
    try:
        import duckdb
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "duckdb":
            raise
        raise FilesUnavailable("CSV and Parquet need DuckDB: pip install 'piql[files]'") from None
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "memory_limit": MEMORY,
        "autoinstall_known_extensions": False,
        "TimeZone": "UTC",
    }
    if scratch is not None:
        settings["temp_directory"] = str(scratch)
    return duckdb.connect(":memory:", config=settings)


def duck_error(failure: Exception) -> str | None:
    """Return the first line of what DuckDB says; None where the failure is not of DuckDB."""
    import duckdb

    return str(failure).split("\n", 1)[0] if isinstance(failure, duckdb.Error) else None


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """Raise FileRefused, with `what` and DuckDB's words, for what DuckDB refuses in this block."""
    try:
        yield
    except Exception as failure:
        message = duck_error(failure)
        if message is None:
            raise
        raise FileRefused(f"{what}: {message}") from None


def csv_scan(columns: int, delimiter: str = ",", more: str = "") -> str:
    """Return the table function, as SQL, that reads a CSV file with a header, all values as texts `c0`, `c1`, …

    The path of the file is the parameter `?` of the statement; `more` are further options, with a comma before them.
    """
    names = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(columns))
    return (
        "read_csv(?, auto_detect = false, header = true, quote = '\"', escape = '\"', nullstr = '', "
        f"allow_quoted_nulls = false, delim = {literal(delimiter)}, "
        f"max_line_size = {_LONGEST_LINE}, columns = {{{names}}}{more})"
    )


def literal(text: str) -> str:
    """Return a text in the quotes of SQL."""
    return "'" + text.replace("'", "''") + "'"
