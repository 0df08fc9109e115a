"""Parquet as DuckDB reads it; a row's number stands for its line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from piql.files.duck import open_duck, refusing
from piql.files.problems import Problem

_FETCHED = 2000  # rows that are held at a time


class ParquetSource:
    """One Parquet file; a `Source`. Raises FileRefused where it cannot be read as Parquet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._duck = open_duck()
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file")
        with refusing("it cannot be read as Parquet"):
            described = self._duck.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
            count = self._duck.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchone()
            self._types = {str(row[0]): str(row[1]) for row in described}
            self._endless = self._columns_with_infinity()
        self._row_count: int | None = count[0] if count else 0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._types)

    @property
    def row_count(self) -> int | None:
        return self._row_count

    def structure_problems(self) -> Sequence[Problem]:
        return ()

    def _columns_with_infinity(self) -> frozenset[str]:
        """Return the columns of days and moments with an infinite one: Python would get the last that it has."""
        names = [name for name, kind in self._types.items() if kind == "DATE" or kind.startswith("TIMESTAMP")]
        if not names:
            return frozenset()
        asked = ", ".join(f"bool_or(isinf({_quoted(name)}))" for name in names)
        answers = self._duck.execute(f"SELECT {asked} FROM read_parquet(?)", [str(self._path)]).fetchall()[0]
        return frozenset(name for name, is_endless in zip(names, answers, strict=True) if is_endless)

    def rows(self) -> Iterator[tuple[int, Sequence[Any]]]:
        columns = ", ".join(
            f"CAST({_quoted(name)} AS VARCHAR)" if name in self._endless else _selected(name, kind)
            for name, kind in self._types.items()
        )
        with closing(self._duck.cursor()) as cursor, refusing("it cannot be read as Parquet"):
            cursor.execute(f"SELECT {columns} FROM read_parquet(?)", [str(self._path)])
            number = 0
            while rows := cursor.fetchmany(_FETCHED):
                for row in rows:
                    number += 1
                    yield number, row


def _selected(name: str, kind: str) -> str:
    """Return a column for the SELECT; a moment is read without its time zone, in UTC, so pytz is not needed."""
    quoted = _quoted(name)
    return f"make_timestamp(epoch_us({quoted}))" if kind == "TIMESTAMP WITH TIME ZONE" else quoted


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
