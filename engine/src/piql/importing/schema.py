"""What an import has read: tables with all that belongs to them, and a note for each change and each omission.

Names of tables and columns are compared without case: where a name is a key of a dict, it is in lower case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from piql.importing.tokens import ForeignToken

Outcome = Literal["taken", "changed", "left out"]


@dataclass(frozen=True, slots=True)
class Note:
    """One change or omission: of what (`users.email`), why, and the line where it stands in the input."""

    line: int
    outcome: Outcome
    subject: str
    reason: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """Statements of the input that follow each other and have one outcome, `count` of them; usually one.

    `words` are the beginning of the statement. `reason` says why it is left out, '' where it is taken.
    """

    line: int
    last_line: int
    words: str
    outcome: Outcome
    reason: str = ""
    count: int = 1


@dataclass(slots=True)
class ImportedColumn:
    """A column; `type` is PIQL's, as it is written there. `may_be_null` is None where the input says nothing.

    `default` is its DEFAULT as PIQL writes it, '' where it has none.
    """

    name: str
    type: str
    line: int
    may_be_null: bool | None = None
    comment: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True)
class ImportedKey:
    """A UNIQUE constraint or unique index of a table; its name is '' where the input gives none."""

    columns: tuple[str, ...]
    line: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class ImportedReference:
    """A foreign key. `referenced` is empty where the input means the primary key; `table` is the input's name."""

    columns: tuple[str, ...]
    schema: str
    table: str
    referenced: tuple[str, ...]
    line: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class ImportedCheck:
    """A CHECK: what stands between its brackets. `subject` is what notes call its table or column.

    `text` is the test as PIQL writes it, '' as long as it is only read.
    """

    tokens: tuple[ForeignToken, ...]
    line: int
    subject: str
    name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One column of a key or an index, with its direction."""

    name: str
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class ImportedIndex:
    """An index that is not unique; its name is '' where the input gives none."""

    name: str
    columns: tuple[KeyColumn, ...]
    line: int


@dataclass(slots=True)
class ImportedTable:
    """A table as far as it has been read; statements after its CREATE TABLE add to it.

    Columns are added and removed by the methods, which keep `folded` in step with `columns`.
    """

    schema: str
    name: str
    line: int
    columns: list[ImportedColumn] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    unique_keys: list[ImportedKey] = field(default_factory=list)
    references: list[ImportedReference] = field(default_factory=list)
    indexes: list[ImportedIndex] = field(default_factory=list)
    checks: list[ImportedCheck] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    left_out_columns: dict[str, int] = field(default_factory=dict)  # name in lower case → line
    spared_columns: set[str] = field(default_factory=set)  # of these, those without which a row says as much as before
    folded: dict[str, ImportedColumn] = field(default_factory=dict)  # name in lower case → column
    key_line: int = 0  # of the primary key, 0 while there is none

    def add_column(self, column: ImportedColumn) -> None:
        self.columns.append(column)
        self.folded.setdefault(column.name.lower(), column)

    def remove_column(self, column: ImportedColumn) -> None:
        self.columns.remove(column)
        del self.folded[column.name.lower()]

    def leave_column_out(self, column: ImportedColumn, line: int) -> None:
        """Remove a column that is dropped or is no part of a row, and remember the line, for what names it."""
        self.remove_column(column)
        self.left_out_columns[column.name.lower()] = line
        self.spared_columns.add(column.name.lower())

    def column(self, name: str) -> ImportedColumn | None:
        return self.folded.get(name.lower())
