"""How one set of files differs from another: tables, queries, indexes, bounds."""

from __future__ import annotations

from typing import Literal

from piql_backend.compilations.schemas import IndexRead
from piql_backend.web.schemas import Read, SourceFiles, Write


class ComparisonCreate(Write):
    """Two sets of files, such as an earlier save and the text of now; either may be empty."""

    before: SourceFiles
    after: SourceFiles


class ShortBoundRead(Read):
    """The requests of a bound, and the formula that they were computed by."""

    operations: int
    formula: str


class BoundChangeRead(Read):
    """A query on both sides whose bound differs; null where it has none."""

    query: str
    before: ShortBoundRead | None
    after: ShortBoundRead | None


class TableChangeRead(Read):
    """A table or view that is added, changed or removed.

    One that comes `back` is in the store, with rows of earlier versions.
    `checked` are the constraints that its existing rows are checked against first. `refusal` says why the change cannot
    be made whatever the rows are.
    """

    table: str
    kind: Literal["table", "view"]
    change: Literal["added", "back", "changed", "removed"]
    details: list[str]
    checked: list[str]
    refusal: str | None


class ChangesRead(Read):
    """What is different after: tables, queries by their names, indexes and bounds; `unchanged` are the same queries."""

    tables: list[TableChangeRead]
    added: list[str]
    changed: list[str]
    removed: list[str]
    unchanged: list[str]
    indexes_added: list[IndexRead]
    indexes_removed: list[str]
    bounds_changed: list[BoundChangeRead]
