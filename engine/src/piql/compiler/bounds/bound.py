"""The proven upper bound of a query, with the facts that prove it. A bound is a fact; nothing here is an estimate.

Data only, made by `queries.bound_of` and `writes.bound_of_write`; the command line, the backend and the predictor read
it. For a query over the 100 subscriptions of one owner and the thoughts of each, a bound is for example

    operations 101, formula "1 + subscriptions.owner", round_trips 2, rows 50, rows_formula "count"
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from piql.text.source import Span

MOST = 2**53 - 1  # of requests, rows or bytes in a bound: every reader of JSON has exact numbers up to here


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
    """What one operator of the plan adds; `path` leads to it from the root of the plan, by numbers of children."""

    path: tuple[int, ...]
    operator: str  # the name of its class
    operations: int  # requests that it makes
    formula: str  # of these requests
    rows: int  # that leave it
    rows_formula: str
    bytes: int  # that its requests fetch
    by_level: tuple[int, ...] = ()  # requests of each level, in the step of a recursive union


class OtherWay(NamedTuple):
    """How many more reads and writes an execution may make by another way than the one whose requests are counted.

    Of an INSERT with ON CONFLICT DO UPDATE the way with more requests is counted. The other one has no more of them
    altogether, but may have more reads or more writes, and so a higher price.
    """

    reads: int  # gets and counts
    writes: int  # puts and deletes


@dataclass(frozen=True, slots=True)
class Bound:
    """The most that one execution can do. `operations` is the sum of `reads`, `counts`, `puts` and `deletes`."""

    operations: int  # requests to the store
    round_trips: int  # requests on the longest path that wait for one another, with the strategy `parallel`
    rows: int  # rows returned
    bytes: int  # bytes that a query fetches; for a write, those of its row
    formula: str  # the requests in the names of the limits
    rows_formula: str  # the rows in the names of the limits
    rows_fetched: int
    terms: tuple[Term, ...] = ()  # each name with its value and the fact that proves it
    by_operator: tuple[OperatorBound, ...] = ()  # what each operator of the plan adds, in the order of their paths
    puts: int = 0
    deletes: int = 0
    reads: int = 0
    counts: int = 0  # requests that count a group for its limit
    other_ways: tuple[OtherWay, ...] = ()  # one for each INSERT with ON CONFLICT DO UPDATE
