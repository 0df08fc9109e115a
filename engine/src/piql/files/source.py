"""Files as rows with their lines: one class for each format, all alike to those who read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from piql.files.csv_file import CsvSource
from piql.files.formats import Format
from piql.files.json_lines import JsonLinesSource
from piql.files.parquet import ParquetSource
from piql.files.problems import Problem

SourceRow: TypeAlias = tuple[int, Sequence[Any]]
"""The line of a row, and its values in the order of the source's columns."""


class Source(Protocol):
    """A file that is read from its beginning, as often as wanted.

    `columns` are in the order of the file. `row_count` is None where it is not known without reading everything.
    """

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def row_count(self) -> int | None: ...

    def structure_problems(self) -> Sequence[Problem]:
        """Return what keeps the file from being read as rows at all."""
        ...

    def rows(self) -> Iterator[SourceRow]: ...


def open_source(path: Path, file_format: Format, delimiter: str | None = None) -> Source:
    """Open a file to read; raise FileRefused where it is none of that format, FilesUnavailable without DuckDB."""
    if file_format == "csv":
        return CsvSource(path, delimiter)
    return JsonLinesSource(path) if file_format == "jsonl" else ParquetSource(path)
