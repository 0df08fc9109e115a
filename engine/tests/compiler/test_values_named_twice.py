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


COUNTED = "(SELECT COUNT(s.b) FROM t s WHERE s.a = t.a AND (s.c <> 5 OR {}))"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("CASE WHEN s.c = [p] THEN 0 ELSE s.c END <> 0", "0 <> CASE WHEN [p] = s.c THEN 0 ELSE s.c END"),
        ("COALESCE(s.c > 3, FALSE)", "COALESCE(3 < s.c, FALSE)"),
        ("NOT (s.c = 3 OR s.b = 'x')", "NOT ('x' = s.b OR 3 = s.c)"),
        ("s.c IN (3, [p])", "s.c IN ([p], 3)"),
    ],
)
def test_a_value_written_twice_is_read_once_in_whatever_order_its_tests_are_written(first: str, second: str) -> None:
    schema = "CREATE TABLE t (a INT, b VARCHAR(8), c INT NOT NULL, PRIMARY KEY (a, b), CARDINALITY LIMIT 5 (a));"
    query = "CREATE QUERY q AS SELECT t.b, {} AS n FROM t WHERE t.a = [a] ORDER BY t.b, {};"
    bounds = [
        piql.compile(schema + query.format(COUNTED.format(first), COUNTED.format(again))).queries["q"].bound
        for again in (first, second)
    ]
    assert bounds[0] is not None
    assert bounds[1] is not None
    assert bounds[0].operations == bounds[1].operations
