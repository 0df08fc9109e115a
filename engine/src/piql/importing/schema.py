"""What an import has read: tables with all that stands on them, and a note for each change and each omission."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

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
    """A column; `type` is PIQL's. `may_be_null` is None where the input says nothing."""

    name: str
    type: str
    line: int
    may_be_null: bool | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ImportedKey:
    """A UNIQUE of a table; its name is '' where the input gives none."""

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
class ImportedIndex:
    name: str
    columns: tuple[tuple[str, bool], ...]  # each with: is it descending?
    line: int


@dataclass(slots=True)
class ImportedTable:
    """A table as far as it has been read; statements after its own add to it."""

    schema: str
    name: str
    line: int
    columns: list[ImportedColumn] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    unique_keys: list[ImportedKey] = field(default_factory=list)
    references: list[ImportedReference] = field(default_factory=list)
    indexes: list[ImportedIndex] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    left_out_columns: dict[str, int] = field(default_factory=dict)  # folded name → line
    folded: dict[str, ImportedColumn] = field(default_factory=dict)
    key_line: int = 0

    def add_column(self, column: ImportedColumn) -> None:
        self.columns.append(column)
        self.folded.setdefault(column.name.lower(), column)

    def column(self, name: str) -> ImportedColumn | None:
        return self.folded.get(name.lower())
