"""What success does to an application: data, requests, nodes and p99 for more and more users.

    a mix of queries and rows of a user  ──▶  at 10³, 10⁴, … users: Stage, with what binds

A plan with a bound makes the same requests whatever the number of users; only more of them come. A plan without one, as
a cost-based optimizer may choose it, reads rows that grow with the users. Beyond what was measured its time is taken to
grow in proportion to its rows, which is no prediction but the least that it can be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from piql_profiler.capacity.limits import First, firsts_of, nodes_for, nodes_not_overloaded
from piql_profiler.capacity.mix import Mix
from piql_profiler.capacity.uncertain import Answer, Uncertain
from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import quantile_of_curve
from piql_profiler.predictor.model import Model

DATA = "the data"  # what needs more nodes than the load does
USERS = tuple(10**power for power in range(3, 10))


@dataclass(frozen=True, slots=True)
class TableGrowth:
    """A table: how many rows of it one user has, and how many bytes one row takes with all copies and indexes."""

    name: str
    rows_of_user: Uncertain
    stored_bytes: int


@dataclass(frozen=True, slots=True)
class Unbounded:
    """The plan without a bound of a query: it scans rows that grow with the users."""

    query: str
    rows_of_user: float
    row_bytes: int


@dataclass(frozen=True)
class Stage:
    """One number of users.

    `nodes` is the larger of what the load and the data need (None: no number keeps the SLOs). `utilisation`, `shares`
    and `p99_ms` are at its middle, or where no number keeps the SLOs, at as many nodes as are not overloaded. `p99_ms`
    has the quantile of each query's SLO, or its p99. `unbounded_ms` has one latency for each plan without a bound, on
    nodes at rest.
    """

    users: int
    requests_per_second: float
    bytes_of_tables: tuple[Answer, ...]
    nodes: Answer | None
    binding: str
    utilisation: Answer
    shares: tuple[float, ...]
    p99_ms: tuple[Answer, ...]
    unbounded_ms: tuple[float, ...]

    @property
    def stored_bytes(self) -> float:
        """The middle of all tables together."""
        return sum(answer.mid for answer in self.bytes_of_tables)


@dataclass(frozen=True, slots=True)
class Growing:
    """An application as it grows: its queries at the rates of so many users, its tables, and plans without bounds.

    `is_one_node`: its store has no more nodes.
    """

    mix: Mix
    users: float
    tables: tuple[TableGrowth, ...] = ()
    unbounded: tuple[Unbounded, ...] = ()
    node_bytes: float = math.inf
    is_one_node: bool = False


def stages(growing: Growing, model: Model, users: Sequence[int] = USERS) -> tuple[Stage, ...]:
    """The application at each number of users; the nodes that were profiled are the fewest answered."""
    return tuple(_stage(growing, model, count) for count in users)


def users_of_one_node(growing: Growing, users_of_load: Answer) -> Answer:
    """How many users a store of one node takes: those whose load it takes, if their data fits into it."""
    users = []
    for end, of_bytes in zip(_ENDS, reversed(_ENDS), strict=True):  # few bytes of each user leave room for many users
        bytes_of_user = sum(_at(_bytes_of(table, 1), of_bytes) for table in growing.tables)
        of_data = growing.node_bytes / bytes_of_user if bytes_of_user else math.inf
        users.append(min(_at(users_of_load, end), of_data))
    return Answer(*users)


def users_until(unbounded: Unbounded, model: Model, threshold_ms: float, quantile: float = 0.99) -> float:
    """From how many users on a plan without a bound takes longer than a threshold, even at rest."""
    low, high = 1.0, 1e12
    while high / low > 1.01:
        middle = math.sqrt(low * high)
        if scan_ms(unbounded, model, middle, quantile) > threshold_ms:
            high = middle
        else:
            low = middle
    return low


def scan_ms(unbounded: Unbounded, model: Model, users: float, quantile: float = 0.99) -> float:
    """How long the plan without a bound takes at rest, in the median interval."""
    rows = max(1, math.ceil(unbounded.rows_of_user * users))
    point = Point(Operator.INDEX_SCAN, 1, rows, unbounded.row_bytes)
    excess = max(1.0, model.excess(point))
    measured = replace(point, rows=max(1, math.floor(rows / excess)))
    latencies = sorted(quantile_of_curve(model.curves(measured), quantile))
    return float(latencies[(len(latencies) - 1) // 2]) / 1000 * rows / measured.rows


def _stage(growing: Growing, model: Model, users: int) -> Stage:
    mix, growth = growing.mix, users / growing.users
    of_tables = tuple(_bytes_of(table, users) for table in growing.tables)
    nodes, binding, at = _nodes(growing, growth, of_tables)
    drawn = mix.on(at)
    return Stage(
        users,
        sum(
            query.per_second.mid * growth * sum(operator.point.child_rows for operator in query.work.operators)
            for query in mix.queries
        ),
        of_tables,
        nodes,
        binding,
        Answer.of(drawn.utilisation * growth),
        tuple(float(share) * growth for share in drawn.load.shares),
        tuple(drawn.latency_ms(query, growth) for query in range(len(mix.queries))),
        tuple(scan_ms(plan, model, users) for plan in growing.unbounded),
    )


def _nodes(growing: Growing, growth: float, of_tables: Sequence[Answer]) -> tuple[Answer | None, str, int]:
    """The nodes that load and data need together, what needs them, and the number that latencies are told at."""
    of_data = Answer(
        *(_nodes_of_bytes([_at(answer, end) for answer in of_tables], growing.node_bytes) for end in _ENDS)
    )
    if growing.is_one_node:
        first = firsts_of(growing.mix.on(1))[0]
        return Answer(1.0, 1.0, 1.0), DATA if of_data.mid > 1 else first.name, 1
    needed = nodes_for(growing.mix, growth)
    nodes, binding = _larger(needed.answer, of_data, needed.because)
    if nodes is None or not math.isfinite(nodes.mid):
        return nodes, binding, nodes_not_overloaded(growing.mix, growth)
    return nodes, binding, int(nodes.mid)


_ENDS = ("low", "mid", "high")


def _at(answer: Answer, end: str) -> float:
    return float(getattr(answer, end))


def _times(quantity: Uncertain, factor: float) -> Uncertain:
    return Uncertain(quantity.low * factor, quantity.mid * factor, quantity.high * factor)


def _bytes_of(table: TableGrowth, users: int) -> Answer:
    rows = _times(table.rows_of_user, users * table.stored_bytes)
    return Answer(rows.low, rows.mid, rows.high)


def _nodes_of_bytes(of_tables: Sequence[float], node_bytes: float) -> float:
    """The nodes that hold so many bytes; tables at their ends together, which is wider than chance would have it."""
    return math.ceil(sum(of_tables) / node_bytes)


def _larger(of_load: Answer | None, of_data: Answer, because: First) -> tuple[Answer | None, str]:
    """The nodes that both need, and what needs them: data, or the query that breaks first."""
    if of_load is None:
        return None, because.name
    nodes = Answer(*(max(_at(of_load, end), _at(of_data, end)) for end in _ENDS))
    return nodes, DATA if of_data.mid > of_load.mid else because.name
