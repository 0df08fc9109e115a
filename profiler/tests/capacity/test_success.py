"""The success simulator and the paper's fit, on laws that can be computed by hand."""

import pytest
from piql_profiler.capacity.demand import MeasuredDemands
from piql_profiler.capacity.load import Cluster, QueryLoad, Slo
from piql_profiler.capacity.mix import OVERLOADED, Mix
from piql_profiler.capacity.success import DATA, Growing, TableGrowth, Unbounded, scan_ms, stages, users_until
from piql_profiler.capacity.sweep import query_of
from piql_profiler.capacity.uncertain import Uncertain
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.model import Model
from piql_profiler.predictor.models import build_model

GRID = Grid.product("steady", row_bytes=(200,), fk_child_rows=(1, 10), scan_rows=(1, 10, 100))
GET = Point(Operator.INDEX_FK_JOIN, 1, 1, 200)


@pytest.fixture(scope="module")
def model() -> Model:
    """A store that takes 100 µs and 10 µs a row, always."""
    return build_model(
        Measurements.of(
            [
                Measurement(point, 0, Histogram.of([100.0 + 10 * point.child_rows * point.rows] * 500), 0.0, 1.0)
                for point in GRID.points
            ],
            1.0,
        )
    )


def application(model: Model, unbounded: tuple[Unbounded, ...] = (), node_bytes: float = 1e12) -> Growing:
    query = query_of((GET,), 0.01)
    of_one_user = QueryLoad("get", query.work, query.per_second, Slo(0.99, 2.0))
    return Growing(
        Mix([of_one_user], model, DEMANDS, Cluster(1)),
        1.0,
        (TableGrowth("posts", Uncertain(50.0, 100.0, 200.0), 500),),
        unbounded,
        node_bytes,
    )


DEMANDS = MeasuredDemands({GET: 50.0})


def test_nodes_grow_with_the_users_and_the_latency_of_a_bounded_plan_does_not(model: Model) -> None:
    told = stages(application(model), model, users=(1_000, 10_000_000, 1_000_000_000))
    assert [stage.users for stage in told] == [1_000, 10_000_000, 1_000_000_000]
    assert [stage.requests_per_second for stage in told] == pytest.approx([10.0, 1e5, 1e7])
    few, middle, many = (stage.nodes for stage in told)
    assert few is not None
    assert middle is not None
    assert many is not None
    assert (few.mid, middle.mid) == (1, pytest.approx(1e5 * 50e-6 / OVERLOADED, abs=1))
    assert many.mid == pytest.approx(100 * middle.mid, rel=0.2)
    assert told[2].p99_ms[0].mid <= 2.0
    assert told[1].bytes_of_tables[0].mid == pytest.approx(10_000_000 * 100 * 500)


def test_data_may_need_more_nodes_than_the_load(model: Model) -> None:
    scan = Unbounded("followers", 0.001, 200)
    (stage,) = stages(application(model, (scan,), node_bytes=1e9), model, users=(10_000_000,))
    assert stage.unbounded_ms == (scan_ms(scan, model, 10_000_000),)
    assert stage.stored_bytes == 10_000_000 * 100 * 500
    assert stage.binding == DATA
    assert stage.nodes is not None
    assert (stage.nodes.low, stage.nodes.mid, stage.nodes.high) == (250, 500, 1000)


def test_a_plan_without_a_bound_grows_with_the_users_until_it_breaks(model: Model) -> None:
    scan = Unbounded("followers", 0.001, 200)
    assert scan_ms(scan, model, 100_000) == pytest.approx(1.1, rel=0.05)  # 100 rows, as measured
    assert scan_ms(scan, model, 100_000_000) == pytest.approx(1_100, rel=0.05)
    users = users_until(scan, model, 11.0)
    assert users == pytest.approx(1_000_000, rel=0.05)
    assert scan_ms(scan, model, 1.05 * users) > 11.0


def test_data_for_more_nodes_than_a_number_can_count_still_has_latencies(model: Model) -> None:
    (stage,) = stages(application(model, node_bytes=1e-6), model, users=(10**12,))
    assert stage.nodes is not None
    assert stage.nodes.mid == pytest.approx(5e22)
    assert stage.p99_ms[0].mid == pytest.approx(0.11, rel=0.05)  # at rest
