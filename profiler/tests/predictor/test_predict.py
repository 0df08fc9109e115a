"""From a plan to its operators and cardinalities, and from these to a prediction with its warnings."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import piql
import pytest
from piql.compiler.logical.expressions import ColumnRef, Parameter
from piql.compiler.physical.operators import IndexFKJoin, IndexScan, KeyPart, LocalUnion, RowLimit
from piql.compiler.result import CompiledQuery
from piql.schema.catalog import Column, Kind, SqlType, Table
from piql_profiler.measure.grid import GRIDS, Operator, Point
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.cardinalities import axes, work_of
from piql_profiler.predictor.composition import Leaf, Parallel, Serial
from piql_profiler.predictor.model import Coverage, NotPredictable
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.predict import predict

Make = Callable[..., Measurements]


def test_the_work_of_thoughtstream_is_a_scan_and_then_a_sorted_join(thoughtstream: CompiledQuery) -> None:
    assert thoughtstream.plan is not None
    work = work_of(thoughtstream.plan)
    assert work.composition == Serial((Leaf(0), Leaf(1)))
    assert [(operator.path, operator.operator, operator.point) for operator in work.operators] == [
        ((0, 0), "IndexScan", Point(Operator.INDEX_SCAN, 1, 100, 64)),
        ((0,), "SortedIndexJoin", Point(Operator.SORTED_INDEX_JOIN, 100, 50, 180)),
    ]


def test_the_limits_can_be_replaced_by_their_symbols(thoughtstream: CompiledQuery) -> None:
    assert thoughtstream.plan is not None
    work = work_of(thoughtstream.plan, {"subscriptions.owner": 20, "count": 5})
    assert [operator.point.coordinates for operator in work.operators] == [(1, 20, 64, 1), (20, 5, 180, 1)]


def test_an_unknown_limit_is_refused_with_the_known_ones(thoughtstream: CompiledQuery) -> None:
    assert thoughtstream.plan is not None
    with pytest.raises(NotPredictable, match=r"no limit 'page'; it has subscriptions\.owner, count"):
        work_of(thoughtstream.plan, {"page": 5})


def test_the_axes_of_thoughtstream_point_at_the_numbers_in_the_text(thoughtstream: CompiledQuery) -> None:
    axes_of_query = axes(thoughtstream)
    assert [(axis.symbol, axis.current, [span.text for span in axis.spans]) for axis in axes_of_query] == [
        ("subscriptions.owner", 100, ["100"]),
        ("count", 50, ["50"]),
    ]


@pytest.mark.parametrize(
    ("select", "symbol", "number"),
    [
        ("SELECT target FROM f WHERE owner IN [l] MAX 5 AND target IN [l] MAX 5", "l", 5),
        ("SELECT target FROM f WHERE owner IN [l] AND target IN [l] MAX 5 AND at IN [l] MAX 5", "l", 5),
        ("{first} LIMIT 7) UNION ALL {second} LIMIT 7)", "LIMIT", 7),
        ("{first} LIMIT [n] MAX 7) UNION ALL {second} LIMIT [n] MAX 7)", "n", 7),
    ],
)
def test_an_axis_has_each_place_where_its_number_is_written(select: str, symbol: str, number: int) -> None:
    first, second = (f"(SELECT target FROM f WHERE owner = [{name}] ORDER BY at" for name in "ab")
    text = f"""
    CREATE TABLE f (owner INT, target INT, at INT, PRIMARY KEY (owner, target), CARDINALITY LIMIT 10 (owner));
    CREATE QUERY q AS {select.format(first=first, second=second)};
    """
    query = piql.compile(text).queries["q"]
    axis = next(axis for axis in axes(query) if axis.symbol == symbol)
    assert axis.current == number
    written = [match.start(1) for match in re.finditer(rf"(?:MAX|LIMIT) ({number})\b", text)]
    assert len(written) == 2
    assert sorted(span.start for span in axis.spans) == written


def lookup(values: int) -> IndexScan:
    name = SqlType(Kind.VARCHAR, 32)
    users = Table("users", (Column("username", name, False),), ("username",))
    parameter = Parameter(name="friends", type=name, max_items=values)
    return IndexScan(
        table=users,
        alias="u",
        index=users.primary_index(),
        prefix=(KeyPart(column="username", values=(parameter,)),),
        limit=RowLimit(max=1),
        fields=(ColumnRef(relation="u", name="username", type=name),),
    )


def test_a_list_of_keys_is_a_fan_out_and_not_many_single_gets() -> None:
    work = work_of(lookup(20))
    assert work.operators[0].point == Point(Operator.INDEX_FK_JOIN, 20, 1, 32)
    assert work_of(lookup(20), {"friends": 1}).operators[0].point == Point(Operator.INDEX_FK_JOIN, 1, 1, 32)


@pytest.mark.parametrize(
    ("read", "width"),
    [
        ("b.isbn", (85, 2)),  # of 144 bytes in three columns beside the key none is read: they count half, rounded up
        ("b.isbn, b.title", (105, 2)),
        ("b.isbn, b.title, b.year, b.about", (157, 3)),
    ],
)
def test_what_a_record_holds_and_is_not_read_counts_half(read: str, width: tuple[int, int]) -> None:
    compilation = piql.compile(
        "CREATE TABLE books (isbn VARCHAR(13) PRIMARY KEY, title VARCHAR(40), year INT, about VARCHAR(100));"
        f"CREATE QUERY book AS SELECT {read} FROM books b WHERE b.isbn = [isbn];"
    )
    plan = compilation.queries["book"].plan
    assert plan is not None
    assert work_of(plan).operators[0].point == Point(Operator.INDEX_FK_JOIN, 1, 1, *width)


def test_an_index_that_holds_keys_alone_is_narrow_and_the_records_behind_it_are_not() -> None:
    compilation = piql.compile(
        "CREATE TABLE notes (name VARCHAR(16) PRIMARY KEY, grp VARCHAR(16), a VARCHAR(9), b VARCHAR(9), body TEXT);"
        "CREATE QUERY q AS SELECT n.name, n.a, n.b, n.body FROM notes n WHERE n.grp = [grp] ORDER BY n.name LIMIT 5;"
    )
    plan = compilation.queries["q"].plan
    assert plan is not None
    scan, dereference = (operator.point for operator in work_of(plan).operators)
    assert (scan.operator, scan.columns) == (Operator.INDEX_SCAN, 1)
    assert (dereference.operator, dereference.columns) == (Operator.DEREFERENCE, 4)


def test_the_branches_of_a_union_run_together() -> None:
    assert work_of(LocalUnion(inputs=(lookup(5), lookup(9)), all=True)).composition == Parallel((Leaf(0), Leaf(1)))


def test_on_a_store_that_answers_in_turn_the_branches_of_a_union_add_up(measured: Make) -> None:
    union = LocalUnion(inputs=(lookup(100), lookup(100)), all=True)
    side_by_side, in_turn = (
        predict(union, build_model(replace(measured(), is_answered_in_turn=answered))) for answered in (False, True)
    )
    assert in_turn.p50_ms > 1.6 * side_by_side.p50_ms


def test_a_chain_of_joins_runs_one_after_the_other() -> None:
    first = lookup(5)
    join = IndexFKJoin(
        child=first, table=first.table, alias="v", index=first.index, prefix=first.prefix, fields=first.fields
    )
    join = replace(join, child=replace(join))
    assert work_of(join).composition == Serial((Leaf(0), Leaf(1), Leaf(2)))


def test_the_prediction_of_a_stated_truth_is_right(thoughtstream: CompiledQuery, measured: Make) -> None:
    assert thoughtstream.plan is not None
    prediction = predict(thoughtstream.plan, build_model(measured(intervals=1)))
    random = np.random.default_rng(11)
    scan = (100 + 50 + 5 * 100 + 0.002 * 100 * 200) * random.lognormal(0, 0.3, 500_000)
    join = (100 + 50 * 100 + 5 * 5000 + 0.002 * 5000 * 200) * random.lognormal(0, 0.3, 500_000)
    assert prediction.p99_ms == pytest.approx(float(np.quantile(scan + join, 0.99)) / 1000, rel=0.06)
    assert prediction.p50_ms == pytest.approx(float(np.quantile(scan + join, 0.5)) / 1000, rel=0.02)
    assert prediction.coverage is Coverage.MEASURED
    assert prediction.warnings == ()


def test_the_worst_interval_decides(thoughtstream: CompiledQuery, measured: Make) -> None:
    assert thoughtstream.plan is not None
    prediction = predict(thoughtstream.plan, build_model(measured(intervals=4)))
    assert len(prediction.p99_by_interval_ms) == 4
    assert prediction.p99_ms == max(prediction.p99_by_interval_ms)
    assert prediction.meets(0.99, prediction.p99_ms)
    assert not prediction.meets(0.99, prediction.p99_ms - 0.001)


def test_the_estimate_is_the_median_interval_and_a_noisy_run_is_said(
    thoughtstream: CompiledQuery, measured: Make
) -> None:
    """Two intervals of 48 ms and one of 460 ms are no prediction of 460 ms."""
    assert thoughtstream.plan is not None

    def one_is_slow(point: Point, interval: int, random: np.random.Generator) -> np.ndarray:
        return 100.0 * point.child_rows * random.lognormal(0.0, 0.1, size=2000) * (10 if interval == 1 else 1)

    noisy = predict(thoughtstream.plan, build_model(measured(intervals=3, truth=one_is_slow)))
    assert noisy.typical_ms == sorted(noisy.p99_by_interval_ms)[1] < noisy.p99_ms / 5
    assert noisy.is_noisy
    assert "a noisy run: the p99 of its 3 intervals goes from" in noisy.warnings[0]
    quiet = predict(thoughtstream.plan, build_model(measured(intervals=3)))
    assert not quiet.is_noisy
    assert quiet.warnings == ()
    assert [operator.typical_ms <= operator.p99_ms for operator in quiet.operators] == [True, True]


def test_the_operators_tell_where_the_tail_comes_from(thoughtstream: CompiledQuery, measured: Make) -> None:
    assert thoughtstream.plan is not None
    prediction = predict(thoughtstream.plan, build_model(measured()))
    scan, join = prediction.operators
    assert scan.p99_ms < join.p99_ms <= prediction.p99_ms


def test_a_setting_beyond_the_grid_is_warned_about(thoughtstream: CompiledQuery, measured: Make) -> None:
    assert thoughtstream.plan is not None
    model = build_model(measured())
    near = predict(thoughtstream.plan, model, {"subscriptions.owner": 120})
    far = predict(thoughtstream.plan, model, {"subscriptions.owner": 400})
    assert near.coverage is far.coverage is Coverage.EXTRAPOLATED
    assert "extrapolated" in near.warnings[0]
    assert "4.0 times the largest measured point" in far.warnings[0]


def test_a_setting_far_beyond_the_grid_is_refused(thoughtstream: CompiledQuery, measured: Make) -> None:
    assert thoughtstream.plan is not None
    for name in ("paper", "surface"):
        model = build_model(measured(), name)
        assert predict(thoughtstream.plan, model, {"subscriptions.owner": 500}).p99_ms > 0
        with pytest.raises(NotPredictable, match=r"5\.0 times the largest measured point, and beyond 5 times"):
            predict(thoughtstream.plan, model, {"subscriptions.owner": 501})


def test_an_unknown_model_is_refused_with_the_known_ones(measured: Make) -> None:
    with pytest.raises(NotPredictable, match="paper"):
        build_model(measured(), "oracle")


@pytest.mark.parametrize(("order", "operator"), [("", Operator.FORWARD_JOIN), (" DESC", Operator.SORTED_INDEX_JOIN)])
def test_a_sorted_join_is_predicted_the_way_it_reads(measured: Make, order: str, operator: Operator) -> None:
    compilation = piql.compile(f"""
CREATE TABLE friends (owner INT, other INT, PRIMARY KEY (owner, other), CARDINALITY LIMIT 50 (owner));
CREATE TABLE post (author INT, at INT, body VARCHAR(180), PRIMARY KEY (author, at));
CREATE QUERY q AS SELECT p.author, p.at, p.body FROM friends f JOIN post p ON p.author = f.other
WHERE f.owner = [me] ORDER BY p.at{order} LIMIT 10;
""")
    plan = compilation.queries["q"].plan
    assert plan is not None
    assert work_of(plan).operators[-1].point == Point(operator, 50, 10, 188)

    def backwards_twice(point: Point, interval: int, random: np.random.Generator) -> np.ndarray:
        forwards = 1000.0 * point.child_rows * random.lognormal(0.0, 0.1, size=2000)
        return forwards * (2 if point.operator is Operator.SORTED_INDEX_JOIN else 1)

    both, backwards = (
        predict(plan, build_model(measured(GRIDS[name], 1, backwards_twice))).p50_ms for name in ("reads", "small")
    )
    is_forwards = operator is Operator.FORWARD_JOIN
    assert both == pytest.approx(51 if is_forwards else 101, rel=0.1)
    assert backwards == pytest.approx(101, rel=0.1)  # a profile from before: what it has is what reads backwards


@pytest.mark.parametrize("intervals", [1, 3])
def test_the_parts_of_all_operators_add_up_to_the_p99_of_the_worst_interval(
    thoughtstream: CompiledQuery, measured: Make, intervals: int
) -> None:
    assert thoughtstream.plan is not None
    model = build_model(replace(measured(intervals=intervals), correlation=0.4))
    prediction = predict(thoughtstream.plan, model)
    assert prediction.p99_by_interval_ms == pytest.approx(prediction.quantile_by_interval_ms(0.99), rel=1e-9)
    assert len(prediction.p99_by_interval_ms) == intervals
    assert sum(operator.blame_ms for operator in prediction.operators) == pytest.approx(prediction.p99_ms, rel=1e-9)
    assert all(operator.blame_ms > 0 for operator in prediction.operators)
