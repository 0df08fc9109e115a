"""Predictions are made for the sizes that executions had, and for no others."""

import piql
import pytest
from piql.compiler.result import CompiledQuery
from piql_profiler.predictor.cardinalities import work_of
from piql_profiler.predictor.sizes import Size, size_at_limits, work_at

TABLES = """
CREATE TABLE users (name VARCHAR(20), town VARCHAR(20), PRIMARY KEY (name), CARDINALITY LIMIT 30 (town));
CREATE TABLE friends (owner VARCHAR(20), friend VARCHAR(20), PRIMARY KEY (owner, friend),
                      CARDINALITY LIMIT 40 (owner), FOREIGN KEY (friend) REFERENCES users);
"""


def query_of(text: str) -> CompiledQuery:
    (query,) = piql.compile(f"{TABLES}CREATE QUERY q AS {text};").queries.values()
    return query


def test_a_prediction_is_made_for_the_requests_and_rows_at_the_limits(thoughtstream: CompiledQuery) -> None:
    assert size_at_limits(thoughtstream) == Size(101, 50)
    assert size_at_limits(query_of("SELECT * FROM users WHERE name = [n]")) == Size(1, 1)


@pytest.mark.parametrize(("size", "subscriptions", "page"), [((101, 50), 100, 50), ((11, 10), 10, 10), ((2, 3), 1, 3)])
def test_the_limits_that_make_an_execution_of_that_size_are_found(
    thoughtstream: CompiledQuery, size: tuple[int, int], subscriptions: int, page: int
) -> None:
    assert thoughtstream.plan is not None
    expected = work_of(thoughtstream.plan, {"subscriptions.owner": subscriptions, "count": page})
    assert work_at(thoughtstream, Size(*size)) == expected


@pytest.mark.parametrize("size", [(102, 50), (0, 0), (11, 0), (101, 51)])
def test_what_no_limits_lead_to_is_not_predicted(thoughtstream: CompiledQuery, size: tuple[int, int]) -> None:
    assert work_at(thoughtstream, Size(*size)) is None


def test_one_row_and_one_request_each_are_told_apart_from_the_limits() -> None:
    query = query_of("SELECT u.* FROM friends f JOIN users u ON u.name = f.friend WHERE f.owner = [me]")
    assert size_at_limits(query) == Size(41, 40)
    smaller = work_at(query, Size(6, 5))
    assert smaller is not None
    assert [(operator.point.child_rows, operator.point.rows) for operator in smaller.operators] == [(1, 5), (5, 1)]


def test_grouping_hides_how_much_was_read() -> None:
    query = query_of("SELECT COUNT(*) FROM friends WHERE owner = [me]")
    assert size_at_limits(query) is None
    assert work_at(query, Size(1, 1)) is None


def test_a_write_is_predicted_for_all_that_it_can_ask() -> None:
    query = query_of("INSERT INTO users (name, town) VALUES ([n], [t])")
    assert query.bound is not None
    assert size_at_limits(query) == Size(query.bound.operations, 0)
    assert work_at(query, Size(1, 0)) is None
