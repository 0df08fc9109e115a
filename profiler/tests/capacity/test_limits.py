"""What breaks first: predicted from a sweep of a simulated cluster, and from profiles of a stated truth."""

from collections.abc import Callable, Sequence

import pytest
from piql.compiler.result import CompiledQuery
from piql_profiler.capacity.demand import AssumedDemands, DemandsInTurn, MeasuredDemands
from piql_profiler.capacity.limits import capacity_of, nodes_for
from piql_profiler.capacity.load import Cluster, LoadModel, QueryLoad, Slo
from piql_profiler.capacity.mix import NODES, OVERLOADED, Mix
from piql_profiler.capacity.sweep import query_of
from piql_profiler.capacity.uncertain import Uncertain
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.cardinalities import work_of
from piql_profiler.predictor.model import Model
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.predict import predict
from piql_profiler.validation.simulated_cluster import ClusterLaw, Stream, simulate

LAW = ClusterLaw(3, 2, 150.0, 3.0, 4.0, 0.5, 300.0, 0.2)
GET = Point(Operator.INDEX_FK_JOIN, 1, 1, 200)
FAN_OUT = Point(Operator.INDEX_FK_JOIN, 20, 1, 200)
GRID = Grid.product("cluster", row_bytes=(200,), fk_child_rows=(1, 5, 20), scan_rows=(1, 50))


@pytest.fixture(scope="module")
def at_rest() -> Model:
    """The simulated cluster as a profile of one client sees it."""
    streams = [Stream((point,), 1.0) for point in GRID.points]
    seen = simulate(LAW, [Stream(s.stages, s.per_second / 50) for s in streams], executions=20_000, seed=3)
    cells = [
        Measurement(point, 0, Histogram.of(stream.latencies_us), 0.0, 1.0)
        for point, stream in zip(GRID.points, seen, strict=True)
    ]
    return build_model(Measurements.of(cells, 1.0))


def measured_demands() -> MeasuredDemands:
    return MeasuredDemands({point: LAW.busy_us((point,)) for point in GRID.points}, variability=LAW.variability)


def loads(rates: Sequence[float], slos_ms: Sequence[float]) -> list[QueryLoad]:
    queries = [query_of((point,), rate) for point, rate in zip((GET, FAN_OUT), rates, strict=True)]
    return [
        QueryLoad(name, query.work, query.per_second, Slo(0.99, slo))
        for name, query, slo in zip(("get", "fan-out"), queries, slos_ms, strict=True)
    ]


def test_the_p99s_of_a_simulated_cluster_are_predicted_from_its_profile_at_rest(at_rest: Model) -> None:
    rates = (4000.0, 800.0)
    streams = [Stream((point,), rate) for point, rate in zip((GET, FAN_OUT), rates, strict=True)]
    load = LoadModel(loads(rates, (5.0, 5.0)), at_rest, measured_demands(), Cluster(3, 2))
    utilisation = LAW.utilisation(streams)
    assert float(load.shares.sum()) == pytest.approx(utilisation, rel=0.02)
    seen = simulate(LAW, streams, executions=40_000, seed=4)
    for query, stream in enumerate(seen):
        assert load.latency_ms(query, 0.99, utilisation)[0] == pytest.approx(stream.p99_us / 1000, rel=0.1)


@pytest.mark.parametrize(("slos_ms", "first"), [((2.0, 20.0), "get"), ((20.0, 4.0), "fan-out")])
def test_the_query_that_breaks_first_is_the_one_that_breaks_in_the_simulation(
    at_rest: Model, slos_ms: tuple[float, float], first: str
) -> None:
    rates = (2000.0, 400.0)
    capacity = capacity_of(LoadModel(loads(rates, slos_ms), at_rest, measured_demands(), Cluster(3, 2)))
    assert capacity.firsts[0].name == first
    for growth, keeps in ((0.85, True), (1.15, False)):
        streams = [
            Stream((point,), rate * growth * capacity.growth.mid)
            for point, rate in zip((GET, FAN_OUT), rates, strict=True)
        ]
        seen = simulate(LAW, streams, executions=40_000, seed=5)
        assert all(stream.p99_us / 1000 <= slo for stream, slo in zip(seen, slos_ms, strict=True)) == keeps


def test_shares_add_up_and_the_latency_at_no_load_is_the_prediction(
    measured: Callable[..., Measurements], thoughtstream: CompiledQuery
) -> None:
    model = build_model(measured())
    assert thoughtstream.plan is not None
    query = QueryLoad("thoughtstream", work_of(thoughtstream.plan), Uncertain.exactly(20.0))
    load = LoadModel([query], model, DemandsInTurn(model), Cluster(1))
    twice = LoadModel([query, query], model, DemandsInTurn(model), Cluster(1))
    assert float(twice.shares.sum()) == pytest.approx(2 * float(load.shares.sum()))
    assert tuple(load.latency_ms(0, 0.99, 0.0)) == pytest.approx(
        predict(thoughtstream.plan, model).p99_by_interval_ms, rel=1e-6
    )
    latencies = load.latencies_ms(0, 0.99)
    assert (latencies[1:] >= latencies[:-1]).all()


def test_more_load_needs_more_nodes_and_a_query_that_is_slow_alone_gets_none(at_rest: Model) -> None:
    demands = measured_demands()
    few, many = (
        nodes_for(Mix(loads((rate, 100.0), (5.0, 8.0)), at_rest, demands, Cluster(3, 2)))
        for rate in (2_000.0, 200_000.0)
    )
    assert few.answer is not None
    assert many.answer is not None
    assert few.answer.mid == 3  # never fewer than were profiled
    alone = 200_000 * LAW.busy_us((GET,)) / 1e6 / 2
    assert alone / OVERLOADED <= many.answer.mid <= 3 * alone
    slow = nodes_for(Mix(loads((10.0, 10.0), (5.0, 0.1)), at_rest, demands, Cluster(3, 2)))
    assert slow.answer is None
    assert slow.because.name == "fan-out"
    assert slow.because.is_slow_alone


def test_what_is_uncertain_widens_the_answer(at_rest: Model) -> None:
    exact = capacity_of(LoadModel(loads((2000.0, 400.0), (4.0, 9.0)), at_rest, measured_demands(), Cluster(3, 2)))
    assumed = AssumedDemands(at_rest, Uncertain(0.2, 0.5, 1.0))
    wide = capacity_of(LoadModel(loads((2000.0, 400.0), (4.0, 9.0)), at_rest, assumed, Cluster(3, 2)))
    assert exact.growth.high == pytest.approx(exact.growth.low)
    assert wide.growth.high > 1.5 * wide.growth.low
    assert "not measured" in assumed.origin


def test_the_work_of_a_store_that_answers_in_turn_is_known_as_well_as_its_intervals_agree(
    measured: Callable[..., Measurements],
) -> None:
    model = build_model(measured())  # each interval takes 0.1 of the first one longer: 1, 1.1 and 1.2
    certainty = DemandsInTurn(model, [Point(Operator.INDEX_SCAN, 1, rows, 200) for rows in (10, 50, 100)]).certainty
    assert (certainty.low, certainty.mid, certainty.high) == pytest.approx((1 / 1.1, 1.0, 1.2 / 1.1), rel=0.03)


def test_without_an_slo_the_nodes_bind_where_they_are_overloaded(at_rest: Model) -> None:
    load = LoadModel([query_of((GET,), 1000.0)], at_rest, measured_demands(), Cluster(3, 2))
    capacity = capacity_of(load)
    assert capacity.firsts[0].name == NODES
    assert capacity.growth.mid == pytest.approx(OVERLOADED / float(load.shares.sum()))
    assert capacity.state == "under-used"
