"""The largest limits of a schema that keep every SLO, and the query that would break it next."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import piql
import pytest
from piql.compiler.result import CompiledQuery
from piql_profiler.measure.grid import GRIDS
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.heatmap import Slo
from piql_profiler.predictor.model import Model
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.predict import predict
from piql_profiler.predictor.safe_limits import pareto, safe_limits

Make = Callable[..., Measurements]
LIMIT, COUNT = "subscriptions.owner", "count"
SCADR = piql.compile(Path(__file__).parents[3] / "sample-apps" / "scadr").queries


@pytest.fixture
def model(measured: Make) -> Model:
    return build_model(measured(grid=GRIDS["default"], intervals=2))


def p99_ms(query: CompiledQuery, model: Model, **values: int) -> float:
    assert query.plan is not None
    return predict(query.plan, model, {LIMIT: values.get("limit", 100), COUNT: values.get("count", 50)}).p99_ms


def test_the_largest_limit_keeps_the_slo_and_the_next_one_breaks_it(thoughtstream: CompiledQuery, model: Model) -> None:
    slo = Slo(0.99, p99_ms(thoughtstream, model, limit=40))
    safe = safe_limits([thoughtstream], model, {"thoughtstream": slo})
    limit = next(limit for limit in safe.limits if limit.axis.symbol == LIMIT)
    assert limit.largest is not None
    assert limit.largest == pytest.approx(40, abs=1)
    assert p99_ms(thoughtstream, model, limit=limit.largest) <= slo.threshold_ms
    assert p99_ms(thoughtstream, model, limit=limit.largest + 1) > slo.threshold_ms
    assert (limit.binding, limit.queries) == ("thoughtstream", ("thoughtstream",))
    assert safe.breaking == ("thoughtstream",)


def test_nothing_is_safe_beyond_what_was_measured(thoughtstream: CompiledQuery, model: Model) -> None:
    safe = safe_limits([thoughtstream], model, {"thoughtstream": Slo(0.99, 1e9)})
    assert {limit.axis.symbol: (limit.largest, limit.binding) for limit in safe.limits} == {
        LIMIT: (100, None),
        COUNT: (50, None),
    }
    assert (safe.growth, safe.binding, safe.breaking) == (1.0, None, ())


def test_an_slo_that_no_limit_keeps_is_said(thoughtstream: CompiledQuery, model: Model) -> None:
    safe = safe_limits([thoughtstream], model, {"thoughtstream": Slo(0.99, 0.001)})
    assert all(limit.largest is None and limit.binding == "thoughtstream" for limit in safe.limits)
    assert (safe.growth, safe.breaking) == (None, ("thoughtstream",))


def test_a_limit_of_the_schema_is_bound_by_the_strictest_of_its_queries(
    thoughtstream: CompiledQuery, model: Model
) -> None:
    strict = replace(thoughtstream, name="strict")
    slos = {
        "thoughtstream": Slo(0.99, p99_ms(thoughtstream, model, limit=80)),
        "strict": Slo(0.99, p99_ms(thoughtstream, model, limit=30)),
    }
    safe = safe_limits([thoughtstream, strict], model, slos)
    limit = next(limit for limit in safe.limits if limit.axis.symbol == LIMIT)
    assert limit.largest == pytest.approx(30, abs=1)
    assert (limit.queries, limit.binding) == (("thoughtstream", "strict"), "strict")
    assert [limit.queries for limit in safe.limits if limit.axis.symbol == COUNT] == [("thoughtstream",), ("strict",)]
    assert safe.growth is not None
    assert 0.3 <= safe.growth < 0.8


def test_queries_without_an_slo_bind_nothing(thoughtstream: CompiledQuery, model: Model) -> None:
    assert safe_limits([thoughtstream], model, {}).limits == ()


def test_pairs_of_limits_keep_the_slo_and_neither_can_grow_alone(thoughtstream: CompiledQuery, model: Model) -> None:
    slo = Slo(0.99, p99_ms(thoughtstream, model, limit=50, count=20))
    pairs = pareto(thoughtstream, model, slo, LIMIT, COUNT)
    assert len(pairs) >= 4
    assert pairs == tuple(sorted(pairs))
    for limit, count in pairs:
        assert p99_ms(thoughtstream, model, limit=limit, count=count) <= slo.threshold_ms
        assert limit == 100 or p99_ms(thoughtstream, model, limit=limit + 1, count=count) > slo.threshold_ms
        assert count == 50 or p99_ms(thoughtstream, model, limit=limit, count=count + 1) > slo.threshold_ms
    assert pareto(thoughtstream, model, Slo(0.99, 0.001), LIMIT, COUNT) == ()


def test_a_limit_is_bound_by_the_writes_that_look_through_its_groups(
    thoughtstream: CompiledQuery, model: Model
) -> None:
    subscribe = SCADR["subscribe"]
    assert subscribe.plan is not None
    slos = {
        "thoughtstream": Slo(0.99, p99_ms(thoughtstream, model, limit=80)),
        "subscribe": Slo(0.99, predict(subscribe.plan, model, {LIMIT: 30}).p99_ms),
    }
    safe = safe_limits([thoughtstream, subscribe], model, slos)
    limit = next(limit for limit in safe.limits if limit.axis.symbol == LIMIT)
    assert (limit.largest, limit.binding) == (30, "subscribe")
    assert limit.queries == ("thoughtstream", "subscribe")
    assert limit.axis.current == 100
    assert (safe.binding, safe.breaking) == ("subscribe", ("thoughtstream", "subscribe"))


@pytest.mark.parametrize(("has_transactions", "symbols"), [(True, []), (False, [LIMIT])])
def test_who_leaves_a_group_looks_through_it_on_a_store_without_transactions(
    measured: Make, has_transactions: bool, symbols: list[str]
) -> None:
    model = build_model(replace(measured(grid=GRIDS["default"]), has_transactions=has_transactions))
    safe = safe_limits([SCADR["unsubscribe"]], model, {"unsubscribe": Slo(0.99, 1e9)})
    assert [limit.axis.symbol for limit in safe.limits] == symbols


def test_a_write_that_breaks_its_slo_whatever_the_limits_are_stops_their_growth(
    thoughtstream: CompiledQuery, model: Model
) -> None:
    slos = {"thoughtstream": Slo(0.99, 1e9), "addUser": Slo(0.99, 0.001)}
    safe = safe_limits([thoughtstream, SCADR["addUser"]], model, slos)
    assert (safe.growth, safe.binding, safe.breaking) == (None, "addUser", ("addUser",))
    assert all(limit.largest is not None for limit in safe.limits)
