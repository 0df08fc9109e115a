"""One change that may help a refused query, and the question that all kinds of remedies are asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from piql.diagnostics.diagnostic import Edit
from piql.physical.unbounded import Gap
from piql.source import Span
from piql.syntax import ast


@dataclass(frozen=True, slots=True)
class Patient:
    """A refused query: what nothing bounds in it, and the texts in which edits may be made."""

    gaps: Sequence[Gap]
    body_span: Span
    has_stop: bool
    files: Sequence[ast.ParsedFile]


@dataclass(frozen=True, slots=True)
class LimitLine:
    """A line to add to a CREATE TABLE; lines of one table are added together."""

    table: str
    text: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """A title, and either a line for a table or an edit of the query."""

    title: str
    line: LimitLine | None = None
    edit: Edit | None = None

    @property
    def excludes(self) -> str:
        """Two remedies that exclude the same thing are not tried together: a query has one LIMIT or PAGINATE."""
        return f"line {self.line.table} {self.line.text}" if self.line is not None else "stop"


Remedies: TypeAlias = Callable[[Patient], list[Remedy]]
