"""A unit is predicted as its statements one after another, where each of them is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import piql
import pytest
from piql_profiler.predictor.cardinalities import limits_of, work_of
from piql_profiler.predictor.composition import leaves_of
from piql_profiler.predictor.model import NotPredictable
from piql_profiler.predictor.pages import predict_page
from piql_profiler.predictor.predict import predict
from piql_profiler.predictor.sizes import Size, size_at_limits

SOURCE = """
CREATE TABLE users (name VARCHAR(16) PRIMARY KEY, town VARCHAR(16) NOT NULL);
CREATE TABLE orders (id INT PRIMARY KEY, buyer VARCHAR(16) REFERENCES users, CARDINALITY LIMIT 30 (buyer));
CREATE QUERY enrol AS INSERT INTO users (name, town) VALUES ([name], [town]);
CREATE QUERY buy AS INSERT INTO orders (id, buyer) VALUES ([id], [name]);
CREATE UNIT both AS BEGIN
  INSERT INTO users (name, town) VALUES ([name], [town]);
  INSERT INTO orders (id, buyer) VALUES ([id], [name]);
END;
CREATE UNIT leave AS BEGIN
  DELETE FROM orders WHERE buyer = [name];
  DELETE FROM users WHERE name = [name];
END;
"""
QUERIES = piql.compile(SOURCE).queries


@pytest.mark.parametrize("buyers", [30, 7])
def test_its_work_is_that_of_its_statements_in_their_order(buyers: int) -> None:
    plans = {name: QUERIES[name].plan for name in ("enrol", "buy", "both")}
    assert all(plans.values())
    limits = {"orders.buyer": buyers}
    works = {name: work_of(plan, limits if name != "enrol" else {}) for name, plan in plans.items() if plan is not None}
    assert [operator.point for operator in works["both"].operators] == [
        *(operator.point for operator in works["enrol"].operators),
        *(operator.point for operator in works["buy"].operators),
    ]
    assert [operator.path[0] for operator in works["both"].operators] == [0, *[1] * len(works["buy"].operators)]


def test_a_let_is_predicted_as_the_query_that_it_is() -> None:
    queries = piql.compile(
        f"{SOURCE}CREATE QUERY bought AS SELECT COUNT(*) AS n FROM orders WHERE buyer = [name];"
        "CREATE UNIT told AS BEGIN LET one = 1; LET n = (SELECT COUNT(*) FROM orders WHERE buyer = [name]);"
        "INSERT INTO users (name, town) VALUES ([name], CASE WHEN [n] > [one] THEN 'here' ELSE 'there' END); END;"
    ).queries
    told, bought, enrol = (queries[name].plan for name in ("told", "bought", "enrol"))
    assert told is not None
    assert bought is not None
    assert enrol is not None
    assert [axis.symbol for axis in limits_of(queries["told"])] == ["orders.buyer"]
    work, read = work_of(told, {"orders.buyer": 7}), work_of(bought, {"orders.buyer": 7})
    written = work_of(enrol).operators
    assert [operator.point for operator in work.operators] == [
        *(operator.point for operator in read.operators),
        *(operator.point for operator in written),
    ]
    assert [operator.path[0] for operator in work.operators] == [*[1] * len(read.operators), *[2] * len(written)]
    assert leaves_of(work.composition) == tuple(range(len(work.operators)))


def test_its_limits_are_those_of_its_statements() -> None:
    assert [axis.symbol for axis in limits_of(QUERIES["both"])] == ["orders.buyer"]
    bound = QUERIES["both"].bound
    assert bound is not None
    assert size_at_limits(QUERIES["both"]) == Size(bound.operations, 0)


def test_one_with_a_statement_that_is_not_predicted_is_not_either() -> None:
    plan = QUERIES["leave"].plan
    assert plan is not None
    with pytest.raises(NotPredictable, match="statement 1: it writes the rows that it reads"):
        work_of(plan)
    both = QUERIES["both"].plan
    assert both is not None
    with pytest.raises(NotPredictable, match=r"no limit 'x': it is a unit, of orders\.buyer"):
        work_of(both, {"x": 3})


def test_a_list_of_rows_is_predicted_for_as_many_as_it_may_hold() -> None:
    several = ", ".join(f"([id{number}], [name{number}])" for number in range(5))
    queries = piql.compile(
        f"{SOURCE}CREATE QUERY five AS INSERT INTO orders (id, buyer) VALUES {several};"
        "CREATE UNIT list AS BEGIN INSERT INTO orders (id, buyer) VALUES [rows] MAX 5; END;"
    ).queries
    written, listed = queries["five"].plan, queries["list"].plan
    assert written is not None
    assert listed is not None
    points = [operator.point for operator in work_of(written).operators]
    assert [operator.point for operator in work_of(listed).operators] == points


def test_a_unit_by_steps_is_not_predicted() -> None:
    plan = QUERIES["both"].plan
    assert plan is not None
    by_steps: Any = SimpleNamespace(has_transactions=False)
    with pytest.raises(NotPredictable, match="what decides one without transactions is not measured"):
        predict(plan, by_steps)
    with pytest.raises(NotPredictable, match="what decides one"):
        predict_page([["both"]], {"both": plan}, by_steps)
