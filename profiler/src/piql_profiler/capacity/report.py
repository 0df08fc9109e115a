"""What is asked about the capacity of a store, and the whole answer; the command and the workbench's server share it.

Asked, Compilation, Model  ──▶  `report_of`  ──▶  Report
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from piql.compiler.result import Compilation
from piql.schema.catalog import Table

from piql_profiler.capacity.demand import AssumedDemands, Demands, DemandsInTurn
from piql_profiler.capacity.limits import Capacity, Nodes, capacity_in, nodes_for
from piql_profiler.capacity.load import Cluster, LoadModel, QueryLoad, Slo
from piql_profiler.capacity.mix import Mix
from piql_profiler.capacity.refusals import (
    DataMissing,
    IsOneNode,
    LimitOfNoQuery,
    NoBound,
    NoRates,
    PartTooLarge,
    SizeMissing,
    SloWithoutRate,
    UsersMissing,
)
from piql_profiler.capacity.success import (
    USERS,
    Growing,
    Stage,
    TableGrowth,
    Unbounded,
    stages,
    users_of_one_node,
    users_until,
)
from piql_profiler.capacity.uncertain import Answer, Uncertain
from piql_profiler.predictor.cardinalities import Work, bytes_of, limits_of, work_of
from piql_profiler.predictor.model import Model, NotMeasured
from piql_profiler.predictor.names import query_named, unknown
from piql_profiler.predictor.predict import refuse_what_is_too_far

ASSUMED_BUSY = Uncertain(0.2, 0.5, 1.0)  # the part of a single request's time that keeps a core of a cluster busy
_BYTES_OF_UNBOUNDED = 200  # of a row, where the query has no bound that would tell


@dataclass(frozen=True)
class Asked:
    """A question: executions a second by query, what is promised, and how the application grows with its users.

    `slos` are those of single queries, `slo` that of all others; `limits` are set to other numbers than in the text.
    The rates are those of `users`; without it, nothing is told of more. `rows_of_user` is by table, `unbounded` the
    rows that a plan without a bound scans for each user, by query. `nodes`, `cores` and `busy` are of the cluster that
    was profiled, and stay None for an embedded store.
    """

    rates: Mapping[str, Uncertain]
    slos: Mapping[str, Slo] = field(default_factory=dict)
    slo: Slo | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    users: float | None = None
    rows_of_user: Mapping[str, Uncertain] = field(default_factory=dict)
    copies: int = 1
    node_bytes: float = math.inf
    unbounded: Mapping[str, Uncertain] = field(default_factory=dict)
    nodes: int | None = None
    cores: int | None = None
    busy: Uncertain | None = None

    def slo_of(self, query: str) -> Slo | None:
        """What is promised of a query."""
        return self.slos.get(query, self.slo)


@dataclass(frozen=True)
class Success:
    """The application from few to many users.

    `of_load` are the users that the nodes which were profiled take, and `of_queries` those at which each query breaks
    its SLO on them: None without an SLO, without end where the nodes are full before. `breaks_at` has the number of
    users from which on each plan without a bound breaks its SLO, or None without an SLO. `of_one_node` are the users
    that a store of one node takes; `is_full_of_data`: it is their data that ends them.
    """

    growing: Growing
    of_load: Answer
    of_queries: tuple[Answer | None, ...]
    stages: tuple[Stage, ...]
    breaks_at: tuple[float | None, ...]
    of_one_node: Answer | None
    is_full_of_data: bool


@dataclass(frozen=True)
class Report:
    """What was asked and answered.

    `nodes` is None for a store that is one node, and `success` where no users were given.
    """

    load: LoadModel
    capacity: Capacity
    nodes: Nodes | None
    success: Success | None
    origin: str
    is_one_node: bool

    @property
    def keeps_slos(self) -> bool:
        """Whether no SLO is predicted to break at these rates, by the middle of the draws."""
        return self.capacity.growth.mid >= 1.0 or all(query.slo is None for query in self.load.queries)


def report_of(
    asked: Asked, compilation: Compilation, model: Model, users: Sequence[int] | None = None, mix: Mix | None = None
) -> Report:
    """Answer a question from what a profile run measured.

    `users` are the numbers of users that are told; without them `USERS`, of a store of one node up to those it takes.
    `mix` is that of `mix_of` for the same question, if it was made before: most of the time goes into it. Raises
    Unanswerable, with a class for each reason, and NotPredictable for what is not in the source or the run.
    """
    _check(asked)
    mix = mix or mix_of(asked, compilation, model)
    drawn = mix.on(mix.measured.nodes)
    capacity = capacity_in(drawn)
    success = None
    if asked.users is not None:
        growing = Growing(
            mix,
            asked.users,
            tuple(_tables(asked, compilation)),
            tuple(_unbounded(asked, compilation)),
            asked.node_bytes,
            model.is_answered_in_turn,
        )
        success = _success(asked, growing, capacity, model, users)
    nodes = None if model.is_answered_in_turn else nodes_for(mix)
    return Report(drawn.load, capacity, nodes, success, mix.demands.origin, model.is_answered_in_turn)


def mix_of(asked: Asked, compilation: Compilation, model: Model) -> Mix:
    """The queries of a question on what was profiled; nothing of it depends on users, data or plans without a bound."""
    queries = tuple(_queries(asked, compilation, model))
    cluster, demands = _cluster(asked, model, queries)
    return Mix(queries, model, demands, cluster)


def not_measured(asked: Asked, compilation: Compilation, model: Model) -> Mapping[str, NotMeasured]:
    """The queries with a rate whose work the profile does not reach, each with what it lacks."""
    lacking = {}
    for name in asked.rates:
        try:
            work, _ = _work(name, asked, compilation, model)
            refuse_what_is_too_far(work.operators, model)
        except NotMeasured as error:
            lacking[name] = error
    return lacking


def waits_of(clients: int) -> str | None:
    """What is less sure about a profile of several clients, who waited for each other."""
    if clients <= 1:
        return None
    return f"the profile is of {clients} clients at once: its times hold waits, so the capacity is told too small"


def _check(asked: Asked) -> None:
    """Refuse what is of users or of data where neither is given."""
    if not asked.rates:
        raise NoRates()
    for subject, sizes in (("rows", asked.rows_of_user), ("plans without a bound", asked.unbounded)):
        if sizes and asked.users is None:
            raise UsersMissing(subject)
    for subject, is_given in (("copies", asked.copies > 1), ("gigabytes of a node", asked.node_bytes < math.inf)):
        if is_given and not asked.rows_of_user:
            raise DataMissing(subject)


def _queries(asked: Asked, compilation: Compilation, model: Model) -> Iterator[QueryLoad]:
    """The queries that have a rate, each with its work under the limits that were set."""
    used: set[str] = set()
    for name, rate in asked.rates.items():
        work, symbols = _work(name, asked, compilation, model)
        yield QueryLoad(name, work, rate, asked.slo_of(name))
        used |= symbols
    if unused := sorted(set(asked.limits) - used):
        raise LimitOfNoQuery(unused[0])
    if idle := sorted(set(asked.slos) - set(asked.rates) - set(asked.unbounded)):
        raise SloWithoutRate(idle[0])


def _work(name: str, asked: Asked, compilation: Compilation, model: Model) -> tuple[Work, set[str]]:
    """The work of a query, and which of the limits that were set it has."""
    query = query_named(compilation, name)
    if query.plan is None:
        raise NoBound(name)
    is_stepped = not model.has_transactions
    symbols = {limit.symbol for limit in limits_of(query, is_stepped=is_stepped)} & set(asked.limits)
    return work_of(query.plan, {at: asked.limits[at] for at in symbols}, is_stepped=is_stepped), symbols


def _cluster(asked: Asked, model: Model, queries: Sequence[QueryLoad]) -> tuple[Cluster, Demands]:
    """What was profiled, and how its demands are known."""
    if model.is_answered_in_turn:
        if {asked.nodes, asked.cores} - {None, 1} or asked.busy is not None:
            raise IsOneNode()
        return Cluster(1), DemandsInTurn(model, (part.point for query in queries for part in query.work.operators))
    if asked.nodes is None or asked.cores is None:
        raise SizeMissing()
    share = asked.busy or ASSUMED_BUSY
    if share.high > 1.0:
        raise PartTooLarge(share.high)
    return Cluster(asked.nodes, asked.cores), AssumedDemands(model, share)


def _tables(asked: Asked, compilation: Compilation) -> Iterator[TableGrowth]:
    for name, quantity in asked.rows_of_user.items():
        if name not in compilation.tables:
            raise unknown("table", name, compilation.tables)
        yield TableGrowth(name, quantity, asked.copies * _stored_bytes(compilation, compilation.tables[name]))


def _stored_bytes(compilation: Compilation, table: Table) -> int:
    """The bytes of a row and of its entries in all indexes, at the declared lengths."""
    sizes = {column.name: bytes_of(column.type) for column in table.columns}
    indexes = [index for index in compilation.indexes.values() if index.table == table.name]
    return sum(sizes.values()) + sum(sizes[name] for index in indexes for name in index.held_columns)


def _unbounded(asked: Asked, compilation: Compilation) -> Iterator[Unbounded]:
    for name, rows in asked.unbounded.items():
        query = query_named(compilation, name)
        row_bytes = query.bound.bytes // max(1, query.bound.rows) if query.bound else _BYTES_OF_UNBOUNDED
        yield Unbounded(name, rows.mid, max(1, row_bytes))


def _success(asked: Asked, growing: Growing, capacity: Capacity, model: Model, users: Sequence[int] | None) -> Success:
    """What becomes of the set as its users grow."""
    of_load = _times(capacity.growth, growing.users)
    of_one_node = users_of_one_node(growing, of_load) if growing.is_one_node else None
    if users is None:
        users = [count for count in USERS if of_one_node is None or count <= of_one_node.mid]
    return Success(
        growing,
        of_load,
        tuple(None if growth is None else _times(growth, growing.users) for growth in capacity.growth_of_queries),
        stages(growing, model, users),
        tuple(_breaks_at(plan, model, asked.slo_of(plan.query)) for plan in growing.unbounded),
        of_one_node,
        of_one_node is not None and of_one_node.mid < of_load.mid,
    )


def _breaks_at(plan: Unbounded, model: Model, slo: Slo | None) -> float | None:
    """From how many users on a plan without a bound breaks the SLO of its query; None where it has none."""
    return None if slo is None else users_until(plan, model, slo.threshold_ms, slo.quantile)


def _times(answer: Answer, factor: float) -> Answer:
    return replace(answer, low=answer.low * factor, mid=answer.mid * factor, high=answer.high * factor)
