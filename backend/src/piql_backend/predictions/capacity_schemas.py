"""How much load a store takes: the question with its rates, and the answer for more and more users."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from piql_backend.predictions.schemas import FurtherLimits, NoPredictionRead
from piql_backend.web.schemas import Read, SloWrite, SourceFiles, Write

_LEAST, _MOST = 1e-12, 1e12
Amount = Annotated[float, Field(ge=_LEAST, le=_MOST, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class RangeOfAmounts(Write):
    """What is known only so well: 5 of 100 times it lies below `low`, half of them below `mid`, 95 below `high`."""

    low: Amount
    mid: Amount
    high: Amount


def _kind(quantity: object) -> str:
    return "range" if isinstance(quantity, dict | RangeOfAmounts) else "number"


Quantity = Annotated[Annotated[Amount, Tag("number")] | Annotated[RangeOfAmounts, Tag("range")], Discriminator(_kind)]
ByName = Annotated[dict[Name, Quantity], Field(default_factory=dict, max_length=50)]


class CapacityCreate(Write):
    """Asks how much load a store takes before an SLO breaks, and what breaks first.

    `rates` are executions a second by query: one number where it is known, else a range. They are those of `users`;
    without it nothing is told of more. `shown_users` are the numbers of users to tell; null chooses some from 10³ to
    10⁹. `slo` is that of every query that has none of its own in `slos`. `limits` sets limits, by their symbols, to
    other numbers than those of the text. `rows_of_user` is by table, and `unbounded` the rows that a plan without a
    bound scans for each user, by query. `nodes`, `cores` and `busy`, the part of a single request's time that keeps a
    core busy, are of the cluster that was profiled; null for an embedded store. `node_price` is in $ a month.
    """

    files: SourceFiles
    run_id: str = Field(max_length=100)
    rates: ByName
    slo: SloWrite | None = None
    slos: Annotated[dict[Name, SloWrite], Field(default_factory=dict, max_length=50)]
    limits: FurtherLimits
    users: float | None = Field(default=None, ge=1, lt=_MOST, allow_inf_nan=False)
    shown_users: Annotated[list[Annotated[int, Field(ge=1, lt=10**12)]], Field(max_length=40)] | None = None
    rows_of_user: ByName
    copies: int = Field(default=1, ge=1, le=100)
    node_gigabytes: Amount | None = None
    unbounded: ByName
    nodes: int | None = Field(default=None, ge=1, le=100_000)
    cores: int | None = Field(default=None, ge=1, le=1_000)
    busy: Quantity | None = None
    node_price: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] | None = None


class AnswerRead(Read):
    """An estimate at its 5, 50 and 95 % points; null where it is without end."""

    low: float | None
    mid: float | None
    high: float | None


class BindingRead(Read):
    """What limits: a query that breaks its SLO, the nodes, which are full before one does, or the data."""

    kind: Literal["query", "nodes", "data"]
    query: str | None


class FirstRead(Read):
    """What breaks first, in which share of the draws, and how busy nodes then are (the middle).

    `is_slow_alone`: the query breaks its SLO with nothing else running, so that no node helps.
    """

    binding: BindingRead
    share_of_draws: float
    utilisation: float
    is_slow_alone: bool


class QueryCapacityRead(Read):
    """One query at the rate that was asked for.

    `latency_ms` is at the quantile of its SLO, or the p99. At `breaks_at_users` it breaks its SLO on the nodes that
    were profiled: null without an SLO or without users, and without end where the nodes are full before.
    """

    query: str
    per_second: AnswerRead
    quantile: float
    slo_ms: float | None
    latency_ms: AnswerRead
    breaks_at_users: AnswerRead | None


class UnboundedRead(Read):
    """A plan without a bound; from `breaks_at_users` on it breaks the SLO of its query, null where it has none."""

    query: str
    slo_ms: float | None
    breaks_at_users: float | None


class UsersRead(Read):
    """One number of users, each with the same rates.

    `nodes` is null where no number of nodes keeps the SLOs; `dollars_a_month` where no price of a node was given.
    `shares_of_node` and `latency_ms` have a value for each of the `queries`, on the middle number of nodes, or where
    none keeps the SLOs, on as many as are not overloaded; `unbounded_ms` has one for each of `unbounded`, at rest.
    """

    users: int
    requests_per_second: float
    bytes_of_tables: dict[str, AnswerRead]
    nodes: AnswerRead | None
    dollars_a_month: AnswerRead | None
    binding: BindingRead
    utilisation: AnswerRead
    shares_of_node: list[float]
    latency_ms: list[AnswerRead]
    unbounded_ms: list[float]


class CapacityRead(Read):
    """How much load a store takes.

    `demands` says where the work of a query is known from. `growth` is the factor on all rates until the first SLO
    breaks, or the nodes are full. `dollars_a_month` is for the rates as they are: null without a price, for a store of
    one node, and where no number of nodes keeps the SLOs. `users_taken` is how many users the nodes that were profiled
    take; on one node their data counts, too (`is_full_of_data`: it is what ends them). `left_out` are queries whose
    work the run has not measured.
    """

    run_id: str
    is_one_node: bool
    nodes: int
    cores: int
    demands: str
    queries: list[QueryCapacityRead]
    unbounded: list[UnboundedRead]
    left_out: list[NoPredictionRead]
    utilisation: AnswerRead
    state: Literal["under-used", "fit", "overloaded"]
    growth: AnswerRead
    firsts: list[FirstRead]
    dollars_a_month: AnswerRead | None
    users_taken: AnswerRead | None
    is_full_of_data: bool
    by_users: list[UsersRead]
    warnings: list[str]
