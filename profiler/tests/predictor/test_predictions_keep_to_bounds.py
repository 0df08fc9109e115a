"""What is predicted for is what is proved: the same requests, under the limits of a text and under any others."""

from __future__ import annotations

import random

import piql
import pytest
from oracle.world import random_world
from piql.compiler.physical.operators import operators
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql_profiler.predictor.cardinalities import Axis, axes, work_of
from piql_profiler.predictor.model import NotPredictable

SEEDS = range(700_000, 700_006)


def requests_predicted(query: CompiledQuery, values: dict[str, int] | None = None) -> int:
    assert query.plan is not None
    try:
        return sum(operator.point.child_rows for operator in work_of(query.plan, values).operators)
    except NotPredictable:
        return 0  # the plan makes no request


def shape(query: CompiledQuery) -> list[str]:
    assert query.plan is not None
    assert not isinstance(query.plan, WritePlan)
    return [type(operator).__name__ for operator in operators(query.plan)]


def with_number(axis: Axis, number: int) -> str:
    text = axis.spans[0].source.text
    for span in sorted(axis.spans, key=lambda span: span.start, reverse=True):
        text = text[: span.start] + str(number) + text[span.end :]
    return text


def test_random_queries_are_predicted_for_the_requests_of_their_bounds_under_all_limits() -> None:
    rewritten, unlike = 0, []
    for seed in SEEDS:
        rng = random.Random(seed)
        world = random_world(seed, writes=0)
        for case in world.reads:
            query = piql.compile(world.source(case)).queries[case.name]
            if query.bound is None:
                continue
            assert requests_predicted(query) == query.bound.reads, world.source(case)
            limits = [axis for axis in axes(query) if axis.spans and axis.current > 1]
            if not limits:
                continue
            axis = rng.choice(limits)
            number = rng.randint(1, axis.current)
            predicted = requests_predicted(query, {axis.symbol: number})
            assert predicted <= query.bound.reads, world.source(case)
            again = piql.compile(with_number(axis, number)).queries[case.name]
            if again.bound is not None and shape(again) == shape(query) and len(axes(again)) == len(axes(query)):
                rewritten += 1
                if again.bound.reads != predicted:
                    unlike.append(f"seed {seed}: {axis.symbol} = {number}: {again.bound.reads}, not {predicted}")
    assert unlike == []
    assert rewritten > 20


@pytest.mark.parametrize(
    ("limit", "number"),
    [
        ("CONSTRAINT max2 CARDINALITY LIMIT 100 (owner)", "100"),
        ("CONSTRAINT limit7 CARDINALITY /* LIMIT 9 */ LIMIT 100 (owner)", "100"),
        ("CARDINALITY -- LIMIT 5\n LIMIT 100 (owner)", "100"),
        ("FOREIGN KEY (owner) REFERENCES limit3 MAX 7", "7"),
    ],
)
def test_a_limit_of_the_schema_is_varied_where_its_number_stands(limit: str, number: str) -> None:
    text = (
        "CREATE TABLE limit3 (k INT PRIMARY KEY);"
        f"CREATE TABLE t (owner INT NOT NULL, k INT, {limit}, PRIMARY KEY (k));"
        "CREATE QUERY q AS SELECT k FROM t WHERE owner = [owner];"
    )
    query = piql.compile(text).queries["q"]
    (axis,) = axes(query)
    assert [span.text for span in axis.spans] == [number]
    assert axis.current == int(number)
    assert piql.compile(with_number(axis, 3)).tables["t"].limits[0].limit == 3
    assert query.bound is not None
    assert [term.number_span and term.number_span.text for term in query.bound.terms if "owner" in term.symbol] in (
        [number],
        [],
    )


@pytest.mark.parametrize(
    ("text", "symbol", "number"),
    [
        ("SELECT k FROM t WHERE k IN [max3] MAX 20", "max3", "20"),
        ("SELECT k FROM t WHERE k IN [ids] MAX 20 AND k IN [ids]", "ids", "20"),
        ("SELECT k FROM t ORDER BY k LIMIT [max4] MAX 8", "max4", "8"),
        ("SELECT k FROM t ORDER BY k PAGINATE /* LIMIT 3 */ 9", "PAGINATE", "9"),
    ],
)
def test_a_limit_of_a_query_is_varied_where_its_number_stands(text: str, symbol: str, number: str) -> None:
    query = piql.compile(f"CREATE TABLE t (k INT PRIMARY KEY); CREATE QUERY q AS {text};").queries["q"]
    axis = next(axis for axis in axes(query) if axis.symbol == symbol)
    assert [span.text for span in axis.spans] == [number]


def test_a_distinct_below_a_join_is_predicted_for_what_is_proved() -> None:
    text = (
        "CREATE TABLE names (name INT PRIMARY KEY);"
        "CREATE TABLE t (k INT PRIMARY KEY, owner INT NOT NULL, kind INT NOT NULL, CARDINALITY LIMIT 100 (owner));"
        "CREATE QUERY q AS SELECT d.owner, n.name FROM (SELECT DISTINCT owner FROM t WHERE owner IN (1, 2, 3)) d "
        "JOIN names n ON n.name = d.owner;"
    )
    query = piql.compile(text).queries["q"]
    assert query.bound is not None
    assert query.bound.operations == 6
    assert requests_predicted(query) == 6
    assert requests_predicted(query, {"t.owner": 1}) == 6


def test_the_matches_of_a_local_join_are_predicted_by_the_limit_that_bounds_them() -> None:
    text = (
        "CREATE TABLE pairs (one INT, other INT, PRIMARY KEY (one, other));"
        "CREATE TABLE t (owner INT, k INT, kind INT NOT NULL, PRIMARY KEY (owner, k), CARDINALITY LIMIT 90 (owner), "
        "CARDINALITY LIMIT 3 (owner, kind));"
        "CREATE QUERY q AS SELECT p.one, p.other FROM t a JOIN t b ON b.kind = a.kind "
        "JOIN pairs p ON p.one = a.k AND p.other = b.k WHERE a.owner = [me] AND b.owner = [you];"
    )
    query = piql.compile(text).queries["q"]
    assert "LocalJoin" in shape(query)
    assert query.bound is not None
    assert query.bound.operations == requests_predicted(query) == 2 + 90 * 3
    for number in (1, 2, 5, 90):
        assert requests_predicted(query, {"t.owner,kind": number}) == 2 + 90 * number


def test_of_the_cases_of_a_query_the_dearest_is_predicted() -> None:
    text = """
    CREATE TABLE post (id INT PRIMARY KEY, author INT NOT NULL, likes INT NOT NULL, body VARCHAR(100));
    CREATE QUERY feed AS SELECT body FROM post
    WHERE ([author] IS NULL OR author = [author]) AND ([before] IS NULL OR id < [before])
    ORDER BY id DESC LIMIT [n] MAX 20;
    """
    query = piql.compile(text).queries["feed"]
    assert query.plan is not None
    for number in (20, 5):
        (operator,) = work_of(query.plan, {"n": number}).operators
        assert (operator.point.child_rows, operator.point.rows) == (1, number)
