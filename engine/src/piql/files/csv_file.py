"""CSV as DuckDB reads it, with the line of each row.

The header says the columns, all values are texts; nothing between two delimiters is NULL, `""` is an empty text.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

from piql.files.duck import csv_scan, duck_error, open_duck, refusing
from piql.files.problems import MOST_PROBLEMS, FileRefused, Problem

DELIMITERS = (",", ";", "\t", "|")  # of these, the one that the header holds most often is taken
_FETCHED = 2000  # rows that are held at a time
_READ_BYTES = 1 << 20  # at a time, to count lines
_SHOWN = 60  # characters of a line in a message
_MIXED = "a quote is not closed, or some lines end with CR LF and others with LF"


class CsvSource:
    """One CSV file with a header; a `Source`.

    Raises FileRefused where the header cannot be read.
    """

    def __init__(self, path: Path, delimiter: str | None = None) -> None:
        self._path = path
        self._duck = open_duck()
        try:
            with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
                first = file.readline()
                self._delimiter = delimiter or max(DELIMITERS, key=first.count)
                file.seek(0)
                reader = csv.reader(file, delimiter=self._delimiter, strict=True)
                self._columns = tuple(next(reader, ()))
                self._header_lines = reader.line_num
            "".join(self._columns).encode()
        except UnicodeEncodeError:
            raise FileRefused("its first line is not UTF-8: write the file with this encoding") from None
        except csv.Error as error:
            raise FileRefused(f"its first line cannot be read as names of columns: {error}") from None
        if not self._columns:
            raise FileRefused("its first line must name the columns, but is empty")
        self._row_count: int | None = None
        self._is_a_line_a_row = False

    @property
    def columns(self) -> tuple[str, ...]:
        return self._columns

    @property
    def row_count(self) -> int | None:
        return self._row_count

    def structure_problems(self) -> Sequence[Problem]:
        """Read the whole file once, quickly, and return the lines that are no rows; afterwards the rows are counted."""
        try:
            # Every column is counted: DuckDB would not look for faults in a column that is not asked for.
            column_counts = ", ".join(f"count(c{number})" for number in range(len(self._columns)))
            scan = self._scan(", store_rejects = true")
            counts = self._duck.execute(f"SELECT count(*), {column_counts} FROM {scan}", [str(self._path)]).fetchall()
            rejects = self._rejects()
        except Exception as failure:
            message = duck_error(failure)
            if message is None:
                raise
            if "invalid state" in message:
                message = _MIXED
            return [Problem(None, f"the file cannot be read as CSV: {message}")]
        self._row_count = counts[0][0]
        self._is_a_line_a_row = _line_count(self._path) == self._header_lines + counts[0][0]
        return [Problem(int(line), _in_words(kind, message, text)) for line, kind, message, text in rejects]

    def _rejects(self) -> list[tuple[Any, ...]]:
        """Return what the scan before refused, and forget it: line, kind of fault, message, text of the line."""
        tables = self._duck.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'reject_errors'").fetchall()
        if not tables:  # DuckDB makes the table only where it refuses something
            return []
        rejects = self._duck.execute(
            "SELECT line, error_type, error_message, csv_line FROM reject_errors ORDER BY line LIMIT ?", [MOST_PROBLEMS]
        ).fetchall()
        self._duck.execute("DROP TABLE reject_errors")
        self._duck.execute("DROP TABLE reject_scans")
        return rejects

    def rows(self) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield each row with the line in which it begins.

        DuckDB reads the rows; the lines of the file are counted beside it, since it does not tell them.
        """
        with closing(self._duck.cursor()) as cursor, refusing("it cannot be read as CSV"):
            cursor.execute(f"SELECT * FROM {self._scan()}", [str(self._path)])
            if self._is_a_line_a_row:
                line = self._header_lines
                while rows := cursor.fetchmany(_FETCHED):
                    yield from enumerate(rows, line + 1)
                    line += len(rows)
                return
            with self._path.open("rb") as file:
                lines = _Lines(file, skips_empty=len(self._columns) > 1)
                lines.skip(self._header_lines)
                while rows := cursor.fetchmany(_FETCHED):
                    for row in rows:
                        yield lines.next_row(), row
                        lines.skip(sum(value.count("\n") for value in row if value is not None))

    def _scan(self, more: str = "") -> str:
        return csv_scan(len(self._columns), self._delimiter, more)


def _line_count(path: Path) -> int:
    """Return how many lines a file has that end with a line feed, and one for what stands behind the last of them."""
    count, last = 0, b"\n"
    with path.open("rb") as file:
        while part := file.read(_READ_BYTES):
            count += part.count(b"\n")
            last = part[-1:]
    return count + (last != b"\n")


class _Lines:
    """Counts the lines of a file. A row of several columns cannot be empty: DuckDB passes over empty lines there."""

    def __init__(self, file: BinaryIO, *, skips_empty: bool) -> None:
        self._file = file
        self._skips_empty = skips_empty
        self._line = 0

    def next_row(self) -> int:
        """Go to the next row, and return the line in which it begins."""
        text = self._read()
        while self._skips_empty and text and not text.rstrip(b"\r\n"):
            text = self._read()
        return self._line

    def skip(self, count: int) -> None:
        """Go past some lines."""
        for _ in range(count):
            self._read()

    def _read(self) -> bytes:
        self._line += 1
        return self._file.readline()


def _in_words(kind: str, message: str, text: str) -> str:
    """Return what is wrong with a line, with the beginning of the line."""
    shown = text.strip("\r\n")
    shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
    if kind == "INVALID ENCODING":
        return f"it is not UTF-8: {shown}"
    if kind == "UNQUOTED VALUE":
        return f"a quote is not closed, or text follows a closing quote: {shown}"
    return f"{message.replace('Expected Number of Columns', 'expected columns').replace(' Found', ', found')}: {shown}"
