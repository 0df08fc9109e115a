"""Predictions of recursive queries: a point for each level, one after the other, and one operator for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import piql
import pytest
from piql.compiler.physical.operators import PhysicalNode
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.cardinalities import work_of
from piql_profiler.predictor.composition import Leaf, Serial
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.predict import predict
from piql_profiler.predictor.sizes import size_at_limits

Make = Callable[..., Measurements]


def compiled(levels: int, condition: str = "c.parent = t.id") -> piql.CompiledQuery:
    text = f"""
        CREATE TABLE comments (id INT PRIMARY KEY, parent INT NULL REFERENCES comments MAX 5);
        CREATE QUERY q AS WITH RECURSIVE thread AS (
          SELECT id, parent FROM comments WHERE id = [root]
          UNION ALL SELECT c.id, c.parent FROM comments c JOIN thread t ON {condition}
        ) MAX {levels} LEVELS SELECT id FROM thread;
    """
    return piql.compile(text).queries["q"]


def plan_of(query: piql.CompiledQuery) -> PhysicalNode:
    return cast(PhysicalNode, query.plan)


def test_each_level_is_a_point_of_its_own_and_they_run_one_after_the_other() -> None:
    work = work_of(plan_of(compiled(3)))
    assert [(operator.point.child_rows, operator.level) for operator in work.operators] == [
        (1, 0),
        (1, 0),
        (5, 1),
        (25, 2),
    ]
    assert work.composition == Serial((Leaf(0), Leaf(1), Leaf(2), Leaf(3)))
    assert len({operator.path for operator in work.operators}) == 2


def test_a_level_follows_the_limit_that_is_varied() -> None:
    work = work_of(plan_of(compiled(3)), {"comments.parent": 2})
    assert [operator.point.child_rows for operator in work.operators] == [1, 1, 2, 4]


def test_the_levels_of_an_operator_are_one_operator_of_the_prediction(measured: Make) -> None:
    prediction = predict(plan_of(compiled(3)), build_model(measured(), "surface"))
    scan, join = prediction.operators
    assert (scan.operator, join.operator) == ("IndexScan", "SortedIndexJoin")
    assert scan.blame_ms + join.blame_ms == pytest.approx(prediction.p99_ms, rel=0.02)
    assert join.p99_ms < prediction.p99_ms


def test_more_levels_take_longer(measured: Make) -> None:
    model = build_model(measured(), "surface")
    few, many = (predict(plan_of(compiled(levels, "c.id = t.parent")), model).p99_ms for levels in (2, 8))
    assert few < many


def test_rows_do_not_tell_how_many_levels_were_read() -> None:
    assert size_at_limits(compiled(3)) is None
