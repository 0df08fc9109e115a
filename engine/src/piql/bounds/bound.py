"""The proven upper bound of a query, with the facts that prove it. A bound is a fact; nothing here is an estimate."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from piql.frozen import quick
from piql.source import Span


@quick
@dataclass(frozen=True, slots=True)
class Term:
    """A symbol of a formula: `subscriptions.owner` = 100, because of the text at `span`.

    `symbol` is `table.column[,column]` for a cardinality limit, the parameter's name for `LIMIT [p] MAX n` or a list
    parameter, and the number itself for a literal.
    """

    symbol: str
    value: int
    reason: str  # one sentence: "at most 100 subscriptions share one owner"
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def number_span(self) -> Span | None:
        """Give the number alone: the `100` of `CARDINALITY LIMIT 100 (owner)`."""
        found = re.search(rf"(?<![\w.]){self.value}(?![\w.])", self.span.text) if self.span is not None else None
        if self.span is None or found is None:
            return None
        return self.span.source.span(self.span.start + found.start(), self.span.start + found.end())


@quick
@dataclass(frozen=True, slots=True)
class OperatorBound:
    """What one operator of the plan adds; `path` is its place in the plan (child numbers from the root)."""

    path: tuple[int, ...]
    operator: str
    operations: int
    formula: str
    rows: int
    rows_formula: str
    bytes: int


@quick
@dataclass(frozen=True, slots=True)
class Bound:
    """The most that one execution can do: requests, round trips on the longest path, bytes fetched, rows returned."""

    operations: int
    round_trips: int
    rows: int
    bytes: int
    formula: str
    rows_formula: str
    rows_fetched: int
    terms: tuple[Term, ...] = ()
    by_operator: tuple[OperatorBound, ...] = ()
    puts: int = 0
    deletes: int = 0
    reads: int = 0
    counts: int = 0
