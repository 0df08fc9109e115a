"""A value that a test names twice is one value: a list of it, an OR and an equality are the same plan and bound."""

from __future__ import annotations

import piql
import pytest

SCHEMA = "CREATE TABLE t (a VARCHAR(8), b VARCHAR(8), PRIMARY KEY (a, b), CARDINALITY LIMIT 5 (a));"
TAILS = (
    "b = 'u'",
    "b = (SELECT s.b FROM t s WHERE s.a = t.a ORDER BY s.b LIMIT 1)",
    "EXISTS (SELECT s.b FROM t s WHERE s.a = t.a AND s.b > 'c')",
)


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("repeated", ["a IN ('x', 'x')", "(a = 'x' OR a = 'x')", "(a IN ('x') OR a IN ('x', 'x'))"])
def test_a_value_named_twice_is_planned_as_an_equality(repeated: str, tail: str) -> None:
    query = "CREATE QUERY q AS SELECT t.a, t.b FROM t WHERE {} AND {} ORDER BY t.a, t.b LIMIT 10;"
    bounds = [piql.compile(SCHEMA + query.format(test, tail)).queries["q"].bound for test in ("a = 'x'", repeated)]
    assert bounds[0] is not None
    assert bounds[1] is not None
    assert (bounds[0].operations, bounds[0].rows) == (bounds[1].operations, bounds[1].rows)
