"""One change that may help a refused query (`Remedy`), and what every file of `remedies` is given (`RefusedQuery`).

Data only. A remedy is one line for a table, one test for a WHERE, or one edit; `edits` makes edits of all three.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from piql.compiler.physical.planner.unbounded import Gap
from piql.compiler.syntax import ast
from piql.schema.catalog import Table
from piql.text.diagnostics.diagnostic import Edit
from piql.text.source import Span


@dataclass(frozen=True, slots=True)
class RefusedQuery:
    """A refused query: what nothing bounds in it, and the texts in which edits may be made."""

    gaps: Sequence[Gap]  # the reads that nothing bounds
    body_span: Span
    has_stop: bool  # it ends with LIMIT or PAGINATE
    files: Sequence[ast.ParsedFile]  # those that define tables
    body: ast.AstNode | None = None  # its text as a tree; of a write the SELECT of its rows
    is_write: bool = False
    tables: Mapping[str, Table] = field(default_factory=dict)  # all tables of the schema, by name


class Change(IntEnum):
    """What a remedy changes, the least first: fixes are offered in this order."""

    NOTHING = 0  # the same rows are read in another way
    FEWER_PARAMETERS = 1  # the same rows where callers gave a range of that width
    DANGLING_WRITES = 2  # writes are refused that name no row by a reference
    WRITES_OF_AN_OWNER = 3  # writes are refused that go beyond a limit on a key or a reference
    WRITES = 4  # writes are refused that go beyond a limit on other columns
    DEARER_WRITES = 5  # the same rows, which each write keeps ready
    PAGES = 6  # the same rows, some at a time
    FEWER_ROWS = 7
    OTHER_ROWS = 8  # or the same in another order
    PART_OF_THE_DATA = 9  # an aggregate or sort sees some rows only
    ONE_ROW = 10  # of a table, where many were asked for


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
    """A title, what it changes, and one of: a line for a table, a test for a WHERE, an edit of the query, or several.

    Two remedies with the same text in `excludes` are not tried together: a query has one LIMIT or PAGINATE.
    """

    title: str
    consequence: str
    change: Change
    line: LimitLine | None = None
    test: NewTest | None = None
    edit: Edit | None = None
    edits: tuple[Edit, ...] = ()
    excludes: str = ""

    @property
    def kind(self) -> str:
        """What no two remedies of a set may have in common."""
        return self.excludes or self.title


Remedies: TypeAlias = Callable[[RefusedQuery], list[Remedy]]
"""One kind of remedy: a function in `remedies`."""
