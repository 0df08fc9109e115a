"""How much load a store takes, by `piql_profiler.capacity`; a worker process runs it.

    CapacityCreate  →  Asked  →  Report  →  CapacityRead

Most of the time goes into the mix of queries, which does not depend on the number of users: the mixes of the last
questions are kept, so that another number of users is answered at once.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast

from piql.compiler.result import Compilation
from piql_profiler.capacity.limits import First
from piql_profiler.capacity.load import Slo
from piql_profiler.capacity.mix import NODES, Mix
from piql_profiler.capacity.refusals import (
    DataMissing,
    IsOneNode,
    LimitOfNoQuery,
    NoBound,
    NoRates,
    NotGrowing,
    PartTooLarge,
    SizeMissing,
    SloWithoutRate,
    Unanswerable,
    UsersMissing,
)
from piql_profiler.capacity.report import Asked, Report, mix_of, not_measured, report_of
from piql_profiler.capacity.success import DATA, Stage
from piql_profiler.capacity.uncertain import Answer, Uncertain
from piql_profiler.predictor.model import Model, NotMeasured, NotPredictable

from piql_backend.predictions.capacity_schemas import (
    AnswerRead,
    BindingRead,
    CapacityCreate,
    CapacityRead,
    FirstRead,
    Quantity,
    QueryCapacityRead,
    RangeOfAmounts,
    UnboundedRead,
    UsersRead,
)
from piql_backend.predictions.reading import no_prediction, not_predictable, sentence
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import SloWrite

_MIXES_KEPT = 4
_GIGABYTE = 10**9
_DECADES = range(3, 10)
_OF_A_CLUSTER = [10**power for power in _DECADES]  # each takes some time there: another number of nodes
_OF_ONE_NODE = [round(10 ** (3 + step / 4)) for step in range(25)]

_REFUSALS: Mapping[type[Unanswerable], tuple[str, str]] = {  # the code of each reason, and one thing to do
    NoRates: ("no-rates", "Give at least one query a rate."),
    NoBound: ("not-bounded", "Leave its rate out, or give the query a bound."),
    SloWithoutRate: ("slo-without-rate", "Give it a rate, or leave its SLO out."),
    LimitOfNoQuery: ("unknown-limit", "Leave the limit out, or give a query that has it a rate."),
    NotGrowing: ("range-not-growing", "Give three numbers of which none is below the one before."),
    IsOneNode: ("one-node", "Leave out the nodes, the cores and the part that keeps a core busy."),
    SizeMissing: ("cluster-size-missing", "Say how many nodes it has, and how many cores each of them."),
    PartTooLarge: ("busy-part-too-large", "Give a part from 0 to 1."),
    UsersMissing: ("users-missing", "Say how many users make these rates."),
    DataMissing: ("data-missing", "Say how many rows of each table a user has."),
}


class Capacities:
    """Answers questions about capacity; keeps the mixes of the last ones."""

    def __init__(self) -> None:
        self._mixes: OrderedDict[str, Mix] = OrderedDict()

    def answer(
        self, request: CapacityCreate, compilation: Compilation, model: Model, warnings: Sequence[str]
    ) -> CapacityRead:
        """Tell how much load the store takes; ApiError 422 for what cannot be told."""
        try:
            asked = _asked(request)
            lacking = not_measured(asked, compilation, model)
            measured = {name: rate for name, rate in asked.rates.items() if name not in lacking}
            if lacking and not measured:
                raise next(iter(lacking.values()))
            slos = {name: slo for name, slo in asked.slos.items() if name not in lacking}
            asked = replace(asked, rates=measured, slos=slos)
            users = request.shown_users
            if users is None:
                users = _OF_ONE_NODE if model.is_answered_in_turn else _OF_A_CLUSTER
            mix = self._mix(request, lambda: mix_of(asked, compilation, model))
            report = report_of(asked, compilation, model, users, mix)
        except Unanswerable as error:
            raise _refusal(error) from error
        except NotPredictable as error:
            raise not_predictable(error) from error
        return _read(request, report, lacking, warnings)

    def _mix(self, request: CapacityCreate, make: Callable[[], Mix]) -> Mix:
        """The mix of a request, kept by all of it that a mix depends on."""
        key = request.model_dump_json(
            include={"files", "run_id", "rates", "slo", "slos", "limits", "nodes", "cores", "busy"}
        )
        if key not in self._mixes:
            self._mixes[key] = make()
        self._mixes.move_to_end(key)
        while len(self._mixes) > _MIXES_KEPT:
            self._mixes.popitem(last=False)
        return self._mixes[key]


def _asked(request: CapacityCreate) -> Asked:
    return Asked(
        rates=_by_name(request.rates),
        slos={query: _slo(slo) for query, slo in request.slos.items()},
        slo=None if request.slo is None else _slo(request.slo),
        limits=request.limits,
        users=request.users,
        rows_of_user=_by_name(request.rows_of_user),
        copies=request.copies,
        node_bytes=math.inf if request.node_gigabytes is None else request.node_gigabytes * _GIGABYTE,
        unbounded=_by_name(request.unbounded),
        nodes=request.nodes,
        cores=request.cores,
        busy=None if request.busy is None else _uncertain(request.busy),
    )


def _by_name(quantities: Mapping[str, Quantity]) -> dict[str, Uncertain]:
    return {name: _uncertain(quantity) for name, quantity in quantities.items()}


def _uncertain(quantity: Quantity) -> Uncertain:
    if isinstance(quantity, RangeOfAmounts):
        if not quantity.low <= quantity.mid <= quantity.high:
            raise NotGrowing(quantity.low, quantity.mid, quantity.high)
        return Uncertain(quantity.low, quantity.mid, quantity.high)
    return Uncertain.exactly(quantity)


def _slo(slo: SloWrite) -> Slo:
    return Slo(slo.quantile, slo.threshold_ms)


def _refusal(error: Unanswerable) -> ApiError:
    code, advice = _REFUSALS[type(error)]
    return ApiError(422, code, sentence(error), advice)


def _read(
    request: CapacityCreate, report: Report, lacking: Mapping[str, NotMeasured], warnings: Sequence[str]
) -> CapacityRead:
    capacity, success, price = report.capacity, report.success, request.node_price
    of_queries = (None,) * len(report.load.queries) if success is None else success.of_queries
    needed = None if report.nodes is None else report.nodes.answer
    taken = None if success is None else success.of_one_node or success.of_load
    return CapacityRead(
        run_id=request.run_id,
        is_one_node=report.is_one_node,
        nodes=report.load.cluster.nodes,
        cores=report.load.cluster.cores,
        demands=report.origin,
        queries=[
            QueryCapacityRead(
                query=query.name,
                per_second=AnswerRead(low=query.per_second.low, mid=query.per_second.mid, high=query.per_second.high),
                quantile=query.quantile,
                slo_ms=None if query.slo is None else query.slo.threshold_ms,
                latency_ms=_answer(latency),
                breaks_at_users=None if users is None else _answer(users),
            )
            for query, latency, users in zip(report.load.queries, capacity.p99_ms, of_queries, strict=True)
        ],
        unbounded=_unbounded(request, report),
        left_out=[no_prediction(name, request.run_id, error) for name, error in lacking.items()],
        utilisation=_answer(capacity.utilisation),
        state=cast(Literal["under-used", "fit", "overloaded"], capacity.state),
        growth=_answer(capacity.growth),
        firsts=[_first(first) for first in capacity.firsts],
        dollars_a_month=_dollars(needed, price),
        users_taken=None if taken is None else _answer(taken),
        is_full_of_data=success is not None and success.is_full_of_data,
        by_users=[] if success is None else [_users(report, stage, price) for stage in success.stages],
        warnings=list(warnings),
    )


def _unbounded(request: CapacityCreate, report: Report) -> list[UnboundedRead]:
    if report.success is None:
        return []
    slos = (request.slos.get(plan.query, request.slo) for plan in report.success.growing.unbounded)
    return [
        UnboundedRead(query=plan.query, slo_ms=None if slo is None else slo.threshold_ms, breaks_at_users=users)
        for plan, slo, users in zip(report.success.growing.unbounded, slos, report.success.breaks_at, strict=True)
    ]


def _users(report: Report, stage: Stage, price: float | None) -> UsersRead:
    assert report.success is not None
    tables = [table.name for table in report.success.growing.tables]
    return UsersRead(
        users=stage.users,
        requests_per_second=stage.requests_per_second,
        bytes_of_tables={name: _answer(size) for name, size in zip(tables, stage.bytes_of_tables, strict=True)},
        nodes=None if stage.nodes is None else _answer(stage.nodes),
        dollars_a_month=_dollars(stage.nodes, price),
        binding=_binding(stage.binding),
        utilisation=_answer(stage.utilisation),
        shares_of_node=list(stage.shares),
        latency_ms=[_answer(latency) for latency in stage.p99_ms],
        unbounded_ms=list(stage.unbounded_ms),
    )


def _first(first: First) -> FirstRead:
    return FirstRead(
        binding=_binding(first.name),
        share_of_draws=first.share,
        utilisation=first.utilisation,
        is_slow_alone=first.is_slow_alone,
    )


def _binding(name: str) -> BindingRead:
    """What limits, by the profiler's name; those of nodes and data hold a space, so that no query has them."""
    if name in (NODES, DATA):
        return BindingRead(kind="nodes" if name == NODES else "data", query=None)
    return BindingRead(kind="query", query=name)


def _dollars(nodes: Answer | None, price: float | None) -> AnswerRead | None:
    if nodes is None or price is None:
        return None
    return _answer(Answer(nodes.low * price, nodes.mid * price, nodes.high * price))


def _answer(answer: Answer) -> AnswerRead:
    low, mid, high = (at if math.isfinite(at) else None for at in (answer.low, answer.mid, answer.high))
    return AnswerRead(low=low, mid=mid, high=high)
