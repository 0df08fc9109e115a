"""Which column of a file goes into which column of a table, and the values that come of a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from piql.files.problems import FileRefused, Problem
from piql.files.values import BytesForm, Reader, as_written, reader_of
from piql.schema.catalog import Column, SqlType, Table
from piql.schema.types import convert
from piql.schema.values import ValueMismatch
from piql.trees.cached_property import cached_property


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """A column of the file at a position, and the column of the table that its values go into."""

    position: int
    file_name: str
    column: Column
    read: Callable[[Any], Any]


@dataclass(frozen=True)
class ColumnMapping:
    """All columns that are taken; columns of the table that have none get their DEFAULT, else NULL."""

    table: Table
    columns: tuple[MappedColumn, ...]
    left_out: tuple[str, ...]  # columns of the file that are not taken

    def in_words_of_the_file(self, problem: Problem, values: Sequence[Any]) -> Problem:
        """Return a problem of a column of the table as one of the file's column, with the value that stands there."""
        mapped = next((mapped for mapped in self.columns if mapped.column.name == problem.column), None)
        if mapped is None:
            return replace(problem, column=None)
        return replace(problem, column=mapped.file_name, value=as_written(values[mapped.position]))

    def row(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the values by the table's columns; raise ValueMismatch where one is not written as its type is."""
        return {
            name: None if (value := values[position]) is None else read(value) for name, position, read in self._readers
        }

    def take_key(self, row: dict[str, Any]) -> tuple[Any, ...]:
        """Return the primary key of a row, whose values of it are converted; raise ValueMismatch where it is none."""
        key = []
        for name, of in self._key_types:
            row[name] = value = convert(row.get(name), of)
            key.append(value)
        return tuple(key)

    @cached_property
    def key_positions(self) -> tuple[int, ...]:
        """Return where a row of the file has the columns of the primary key, in their order, those it has."""
        positions = {mapped.column.name: mapped.position for mapped in self.columns}
        return tuple(positions[name] for name in self.table.primary_key if name in positions)

    @cached_property
    def _readers(self) -> tuple[tuple[str, int, Reader], ...]:
        return tuple((mapped.column.name, mapped.position, mapped.read) for mapped in self.columns)

    @cached_property
    def _key_types(self) -> tuple[tuple[str, SqlType], ...]:
        types = {column.name: column.type for column in self.table.columns}
        return tuple((name, types[name]) for name in self.table.primary_key)

    def problems(self, line: int, values: Sequence[Any]) -> list[Problem]:
        """Return what is wrong with the values of one row, each for itself."""
        problems = []
        for mapped in self.columns:
            value = values[mapped.position]
            why = self._fault(mapped, value)
            if why is not None:
                problems.append(Problem(line, why, mapped.file_name, as_written(value)))
        return problems

    def _fault(self, mapped: MappedColumn, value: Any) -> str | None:
        column = mapped.column
        if value is None:
            if column.name in self.table.primary_key:
                return f"NULL cannot be part of the primary key ({column.name})"
            return None if column.nullable else f"{column.name} is NOT NULL"
        try:
            convert(mapped.read(value), column.type)
        except ValueMismatch as mismatch:
            return str(mismatch)
        return None


def map_columns(
    table: Table, file_columns: Sequence[str], renamed: Mapping[str, str] | None = None, form: BytesForm = "base64"
) -> ColumnMapping:
    """Map columns of a file to those of a table: as `renamed` says, the others by equal names.

    A renamed column with the name "" is left out. Raises FileRefused where a name is unknown or stands twice, or where
    a column that cannot be NULL has no values.
    """
    renamed = dict(renamed or {})
    problems = [
        Problem(None, f"two columns of the file have the name {name!r}")
        for name in dict.fromkeys(name for name in file_columns if list(file_columns).count(name) > 1)
    ]
    problems += [
        Problem(None, f"the file has no column {name!r}; it has {_listed(file_columns)}")
        for name in renamed
        if name not in file_columns
    ]
    by_name = {column.name: column for column in table.columns}
    problems += [
        Problem(None, f"{table.name} has no column {name!r}; it has {_listed(by_name)}")
        for name in renamed.values()
        if name and name not in by_name
    ]
    taken: dict[str, MappedColumn] = {}
    left_out: list[str] = []
    for position, name in enumerate(file_columns):
        column = by_name.get(renamed.get(name, name))
        if column is None or (name not in renamed and column.name in renamed.values()):
            left_out.append(name)
        elif column.name in taken:
            problems.append(Problem(None, f"{taken[column.name].file_name} and {name} both go into {column.name}"))
        else:
            taken[column.name] = MappedColumn(position, name, column, reader_of(column.type, form))
    if not problems:
        problems = [
            Problem(None, f"no column of the file goes into {table.name}.{column.name}, which cannot be NULL")
            for column in table.columns
            if column.name not in taken
            and (column.name in table.primary_key or not (column.nullable or column.has_default))
        ]
    if problems:
        raise FileRefused(f"the columns do not fit {table.name}", problems)
    return ColumnMapping(table, tuple(taken.values()), tuple(left_out))


def _listed(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(names) or "none"
