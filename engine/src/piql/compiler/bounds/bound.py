"""The proven upper bound of a query, with the facts that prove it. A bound is a fact; nothing here is an estimate."""

from __future__ import annotations

from dataclasses import dataclass, field

from piql.text.source import Span


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
    number_span: Span | None = field(default=None, compare=False, repr=False)  # the number alone, where one is written


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
