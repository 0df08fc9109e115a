"""The changes of a schema. Names and types are as the user wrote them; tables and columns are named as declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


class SchemaEditRefused(Exception):
    """The change cannot be made; the message says why, and what to do instead."""


@dataclass(frozen=True, slots=True)
class NewColumn:
    """A column that does not exist yet; `is_required`: NOT NULL."""

    name: str
    type: str
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class AddTable:
    """A table behind the last one; `primary_key` names some of its columns, in the order of the key."""

    name: str
    columns: tuple[NewColumn, ...]
    primary_key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddColumn:
    """A column behind the last one of a table."""

    table: str
    column: NewColumn


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """Another name for a column, in all files."""

    table: str
    column: str
    new_name: str


@dataclass(frozen=True, slots=True)
class DropColumn:
    """A column leaves its table, with the constraints that are on it alone."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class AddReference:
    """The values of `columns` name rows of another table; at most `limit` rows share them, if it is given."""

    table: str
    columns: tuple[str, ...]
    referenced_table: str
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class SetLimit:
    """At most `limit` rows share one value of `columns`, or hold one word in them; None takes the limit away."""

    table: str
    columns: tuple[str, ...]
    limit: int | None
    is_token: bool = False


@dataclass(frozen=True, slots=True)
class AddIndex:
    """An index on columns of a table; those in `descending` are in descending order."""

    name: str
    table: str
    columns: tuple[str, ...]
    descending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetStripes:
    """Each group of a view has so many stripes, 1 for none; with `new_name` it is another view, filled beside it."""

    view: str
    stripes: int
    new_name: str | None = None


SchemaChange: TypeAlias = (
    AddTable | AddColumn | RenameColumn | DropColumn | AddReference | SetLimit | AddIndex | SetStripes
)
