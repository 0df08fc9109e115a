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
    body: ast.AstNode | None = None  # its text as a tree


@dataclass(frozen=True, slots=True)
class LimitLine:
    """A line to add to a CREATE TABLE; lines of one table are added together."""

    table: str
    text: str


@dataclass(frozen=True, slots=True)
class NewTest:
    """A test to add to the WHERE of a SELECT or FETCH; tests of one are added together."""

    select: ast.Select | ast.Fetch
    text: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """A title, and a line for a table, a test for a WHERE or an edit of the query.

    Two remedies that exclude the same thing are not tried together: a query has one LIMIT or PAGINATE.
    """

    title: str
    line: LimitLine | None = None
    test: NewTest | None = None
    edit: Edit | None = None
    excludes: str = ""

    @property
    def kind(self) -> str:
        """Give what only one remedy of a set may do."""
        return self.excludes or self.title


Remedies: TypeAlias = Callable[[Patient], list[Remedy]]
