"""A comparison with NULL keeps no row, so that nothing is read for it, however much there is."""

from __future__ import annotations

import piql
import pytest

SCHEMA = "CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b), CARDINALITY LIMIT 7 (c));"


@pytest.mark.parametrize(
    "test",
    ["a = NULL", "a = 1 AND b > NULL", "a IN (NULL)", "c = 3 AND NOT (b = NULL)", "c = 3 AND b BETWEEN NULL AND 9"],
)
def test_nothing_is_read_for_a_comparison_with_null(test: str) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT a FROM t WHERE {test};")
    query = compilation.queries["q"]
    assert query.bound is not None
    assert (query.bound.operations, query.bound.rows) == (0, 0)
    assert {diagnostic.code for diagnostic in compilation.diagnostics} <= {"null-comparison"}
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        db.load("t", [{"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 3, "c": None}])
        page = db.execute("q")
    assert (page.rows, page.operations) == ([], 0)


def test_what_stands_beside_it_under_or_is_read() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(SCHEMA))
        db.load("t", [{"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 3, "c": 3}])
        assert db.run("SELECT b FROM t WHERE c = 3 AND (b = NULL OR b = 2)").rows == [{"b": 2}]
        assert db.run("SELECT b, b = NULL AS x FROM t WHERE a = 1 AND b = 2").rows == [{"b": 2, "x": None}]
