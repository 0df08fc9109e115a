"""One question about capacity: what is answered, and which reason there is for no answer."""

import math
from collections.abc import Mapping

import piql
import pytest
from piql.compiler.result import Compilation
from piql_profiler.capacity.load import Slo
from piql_profiler.capacity.mix import NODES
from piql_profiler.capacity.refusals import (
    DataMissing,
    IsOneNode,
    LimitOfNoQuery,
    NoBound,
    NoRates,
    PartTooLarge,
    SizeMissing,
    SloWithoutRate,
    Unanswerable,
    UsersMissing,
)
from piql_profiler.capacity.report import Asked, report_of, waits_of
from piql_profiler.capacity.uncertain import Answer, Uncertain
from piql_profiler.measure.grid import GRIDS
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.model import Model, NotPredictable
from piql_profiler.predictor.models import build_model

SCHEMA = """
CREATE TABLE posts (owner VARCHAR(20), at INT, text VARCHAR(140), PRIMARY KEY (owner, at));
CREATE QUERY latest AS SELECT at, text FROM posts WHERE owner = [1: me] ORDER BY at DESC LIMIT [2: count] MAX 50;
CREATE QUERY one AS SELECT text FROM posts WHERE owner = [1: me] AND at = [2: at];
CREATE QUERY everything AS SELECT at FROM posts;
"""
SLO = Slo(0.99, 2.0)


@pytest.fixture(scope="module")
def feed() -> Compilation:
    return piql.compile({"feed.piql": SCHEMA})


def model_of(*, is_answered_in_turn: bool) -> Model:
    """A store that takes 100 µs and 10 µs a row, always."""
    cells = [
        Measurement(point, 0, Histogram.of([100.0 + 10 * point.child_rows * point.rows] * 400), 0.0, 1.0)
        for point in GRIDS["small"].points
    ]
    return build_model(Measurements.of(cells, 1.0, is_answered_in_turn=is_answered_in_turn))


@pytest.fixture(scope="module")
def embedded() -> Model:
    return model_of(is_answered_in_turn=True)


@pytest.fixture(scope="module")
def cluster() -> Model:
    return model_of(is_answered_in_turn=False)


def exactly(**rates: float) -> Mapping[str, Uncertain]:
    return {name: Uncertain.exactly(rate) for name, rate in rates.items()}


def test_the_users_that_the_nodes_take_are_those_at_which_the_first_query_breaks(
    feed: Compilation, embedded: Model
) -> None:
    report = report_of(Asked(exactly(latest=300, one=400), slo=SLO, users=1e4), feed, embedded)
    success = report.success
    assert success is not None
    assert success.of_load.mid == pytest.approx(1e4 * report.capacity.growth.mid)
    latest, one = success.of_queries
    assert latest is not None
    assert one is not None
    assert latest.mid == pytest.approx(success.of_load.mid)
    assert one.mid >= latest.mid
    assert success.of_one_node == success.of_load


def test_each_number_of_users_is_told_as_if_its_rates_had_been_given(feed: Compilation, embedded: Model) -> None:
    grown = report_of(Asked(exactly(latest=300, one=400), slo=SLO, users=1e4), feed, embedded, users=[20_000])
    given = report_of(Asked(exactly(latest=600, one=800), slo=SLO, users=2e4), feed, embedded)
    assert grown.success is not None
    (stage,) = grown.success.stages
    assert stage.utilisation.mid == pytest.approx(given.capacity.utilisation.mid)
    assert stage.shares == pytest.approx(given.capacity.shares)
    assert [p99.mid for p99 in stage.p99_ms] == pytest.approx([p99.mid for p99 in given.capacity.p99_ms])


def test_beyond_what_one_node_takes_its_latency_is_without_end(feed: Compilation, embedded: Model) -> None:
    report = report_of(Asked(exactly(latest=300), slo=SLO, users=1e4), feed, embedded, users=[10_000_000])
    assert report.success is not None
    (stage,) = report.success.stages
    assert stage.nodes == Answer(1.0, 1.0, 1.0)
    assert stage.p99_ms[0].mid == math.inf
    assert stage.binding == "latest"


def test_a_query_whose_slo_the_nodes_keep_until_they_are_full_breaks_at_no_number_of_users(
    feed: Compilation, embedded: Model
) -> None:
    report = report_of(Asked(exactly(one=400), slo=Slo(0.99, 60_000.0), users=1e4), feed, embedded)
    assert report.capacity.firsts[0].name == NODES
    assert report.success is not None
    (one,) = report.success.of_queries
    assert one is not None
    assert one.mid == math.inf


def test_without_an_slo_no_query_breaks_one(feed: Compilation, embedded: Model) -> None:
    report = report_of(Asked(exactly(latest=300), users=1e4), feed, embedded)
    assert report.keeps_slos
    assert report.success is not None
    assert report.success.of_queries == (None,)


def test_the_latency_that_is_told_is_of_the_quantile_of_the_slo(feed: Compilation, embedded: Model) -> None:
    def latency_ms(quantile: float) -> float:
        asked = Asked(exactly(latest=900, one=900), slos={"one": Slo(quantile, 2.0)}, users=1e4)
        success = report_of(asked, feed, embedded, users=[10_000]).success
        assert success is not None
        return success.stages[0].p99_ms[1].mid

    assert latency_ms(0.999) > latency_ms(0.9)


def test_a_cluster_gets_more_nodes_as_its_users_come(feed: Compilation, cluster: Model) -> None:
    asked = Asked(exactly(one=4000), slo=SLO, users=1e6, nodes=3, cores=2)
    success = report_of(asked, feed, cluster, users=[1_000, 1_000_000_000]).success
    assert success is not None
    few, many = (stage.nodes for stage in success.stages)
    assert few == Answer(3.0, 3.0, 3.0)
    assert many is not None
    assert many.low < many.mid < many.high
    assert success.of_one_node is None
    assert success.stages[1].utilisation.mid <= 0.85


def test_where_no_number_of_nodes_keeps_an_slo_the_others_are_told_on_nodes_that_are_not_overloaded(
    feed: Compilation, cluster: Model
) -> None:
    asked = Asked(exactly(latest=10, one=4000), slos={"latest": Slo(0.99, 0.1)}, users=1e6, nodes=3, cores=2)
    success = report_of(asked, feed, cluster, users=[1_000_000_000]).success
    assert success is not None
    (stage,) = success.stages
    assert stage.nodes is None
    assert stage.binding == "latest"
    assert stage.p99_ms[1].mid < math.inf


CLUSTER = {"nodes": 3, "cores": 2}


@pytest.mark.parametrize(
    ("asked", "reason", "message"),
    [
        (Asked({}), NoRates, "no query has a rate"),
        (Asked(exactly(everything=1)), NoBound, "everything is not bounded"),
        (Asked(exactly(one=1), slos={"latest": SLO}), SloWithoutRate, "latest has an SLO and no rate"),
        (Asked(exactly(one=1), limits={"friends": 3}), LimitOfNoQuery, "no query with a rate has a limit 'friends'"),
        (Asked(exactly(one=1), nodes=3), IsOneNode, "the run is of an embedded store"),
        (Asked(exactly(one=1), rows_of_user=exactly(posts=9)), UsersMissing, "rows are of users"),
        (Asked(exactly(one=1), unbounded=exactly(latest=9)), UsersMissing, "plans without a bound are of users"),
        (Asked(exactly(one=1), copies=3, users=9), DataMissing, "copies are of the data"),
        (Asked(exactly(one=1), node_bytes=1e9, users=9), DataMissing, "gigabytes of a node are of the data"),
    ],
)
def test_each_reason_for_no_answer_has_a_class_and_the_name_that_was_given(
    asked: Asked, reason: type[Unanswerable], message: str, feed: Compilation, embedded: Model
) -> None:
    with pytest.raises(reason, match=message):
        report_of(asked, feed, embedded)


def test_of_a_cluster_its_size_is_needed_and_a_request_takes_no_more_than_its_time(
    feed: Compilation, cluster: Model
) -> None:
    with pytest.raises(SizeMissing, match="does not hold how many nodes and cores"):
        report_of(Asked(exactly(one=1)), feed, cluster)
    with pytest.raises(PartTooLarge, match="at most 1, not 3"):
        report_of(Asked(exactly(one=1), nodes=3, cores=2, busy=Uncertain(1.0, 2.0, 3.0)), feed, cluster)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Asked(exactly(Latest=1)), "there is no query 'Latest' in the source; did you mean latest"),
        (Asked(exactly(one=1), users=9, rows_of_user=exactly(post=1)), "there is no table 'post' in the source"),
        (Asked(exactly(one=1), users=9, unbounded=exactly(al=1)), "there is no query 'al' in the source"),
    ],
)
def test_a_name_that_the_source_lacks_is_said(asked: Asked, message: str, feed: Compilation, embedded: Model) -> None:
    with pytest.raises(NotPredictable, match=message):
        report_of(asked, feed, embedded)


def test_an_slo_of_a_plan_without_a_bound_needs_no_rate(feed: Compilation, embedded: Model) -> None:
    asked = Asked(exactly(one=1), slos={"everything": SLO}, users=1e4, unbounded=exactly(everything=0.01))
    success = report_of(asked, feed, embedded).success
    assert success is not None
    (users,) = success.breaks_at
    assert users is not None
    assert users == pytest.approx(19_000, rel=0.1)  # 190 rows of 10 µs and 100 µs take 2 ms


def test_only_a_profile_of_several_clients_holds_waits() -> None:
    assert waits_of(1) is None
    assert "of 4 clients at once" in (waits_of(4) or "")
