"""What success does to an application: data, requests, nodes and p99 for more and more users.

    rates and rows of a user  ──▶  at 10³, 10⁴, … users: Stage, with what binds, and a plan without a bound beside it

A plan with a bound makes the same requests whatever the number of users; only more of them come. A plan without one, as
a cost-based optimizer may choose it, reads rows that grow with the users. Beyond what was measured its time is taken to
grow in proportion to its rows, which is no prediction but the least that it can be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from piql_profiler.capacity.demand import Demands
from piql_profiler.capacity.limits import First, nodes_for
from piql_profiler.capacity.load import Cluster, LoadModel, QueryLoad
from piql_profiler.capacity.uncertain import Answer, Uncertain
from piql_profiler.capacity.waiting import FULLEST
from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import quantile_of_curve
from piql_profiler.predictor.model import Model

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

    `nodes` is the larger of what the load and the data need (None: no number keeps the SLOs). `p99_ms` has one value a
    query at the middle number of nodes, and `unbounded_ms` one for each plan without a bound, on nodes at rest.
    """

    users: int
    requests_per_second: float
    bytes_of_tables: tuple[Answer, ...]
    nodes: Answer | None
    binding: str
    p99_ms: tuple[float, ...]
    unbounded_ms: tuple[float, ...]

    @property
    def stored_bytes(self) -> float:
        """The middle of all tables together."""
        return sum(answer.mid for answer in self.bytes_of_tables)


@dataclass(frozen=True, slots=True)
class Growing:
    """An application as it grows: the queries at the rates of one user, its tables, and plans without bounds."""

    queries_of_user: tuple[QueryLoad, ...]
    tables: tuple[TableGrowth, ...] = ()
    unbounded: tuple[Unbounded, ...] = ()
    node_bytes: float = math.inf


def stages(
    growing: Growing, model: Model, demands: Demands, cluster: Cluster, users: Sequence[int] = USERS
) -> tuple[Stage, ...]:
    """The application at each number of users; `cluster` is the one that was profiled, and the smallest answered."""
    return tuple(_stage(growing, model, demands, cluster, count) for count in users)


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


def _stage(growing: Growing, model: Model, demands: Demands, cluster: Cluster, users: int) -> Stage:
    queries = [replace(query, per_second=_times(query.per_second, users)) for query in growing.queries_of_user]
    needed = nodes_for(queries, model, demands, cores=cluster.cores, measured_nodes=cluster.nodes)
    of_tables = tuple(_bytes_of(table, users) for table in growing.tables)
    of_data = Answer(
        *(_nodes_of_bytes([_at(answer, end) for answer in of_tables], growing.node_bytes) for end in _ENDS)
    )
    nodes, binding = _larger(needed.answer, of_data, needed.because)
    at = cluster.nodes if nodes is None or not math.isfinite(nodes.mid) else int(nodes.mid)
    load = LoadModel(queries, model, demands, Cluster(at, cluster.cores))
    utilisation = min(FULLEST, float(load.shares.sum()))
    p99s = []
    for query in range(len(queries)):
        latencies = sorted(load.latency_ms(query, 0.99, utilisation))
        p99s.append(float(latencies[(len(latencies) - 1) // 2]))
    return Stage(
        users,
        sum(
            query.per_second.mid * sum(operator.point.child_rows for operator in query.work.operators)
            for query in queries
        ),
        of_tables,
        nodes,
        binding,
        tuple(p99s),
        tuple(scan_ms(plan, model, users) for plan in growing.unbounded),
    )


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
    return nodes, "data" if of_data.mid > of_load.mid else because.name
