"""FILTER (WHERE …) behind an aggregate leaves rows out of it alone."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import piql
import pytest

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, g INT, a INT, d DECIMAL(8, 2), f BOOLEAN, CARDINALITY LIMIT 10 (g));
CREATE QUERY counts AS
SELECT g, COUNT(*) AS n, COUNT(*) FILTER (WHERE f) AS flagged FROM t WHERE g IN [groups] MAX 3 GROUP BY g ORDER BY g;
"""
ROWS = [(1, 1, 5, "1.50", True), (2, 1, 5, "2.50", None), (3, 1, None, "0.25", False), (4, 2, 7, None, False)]


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("t", [dict(zip(("id", "g", "a", "d", "f"), row, strict=True)) for row in ROWS])
        yield database


def test_each_group_counts_its_own_rows(db: piql.Database) -> None:
    rows = db.execute("counts", {"groups": [1, 2]}).rows
    assert rows == [{"g": 1, "n": 3, "flagged": 1}, {"g": 2, "n": 1, "flagged": 0}]


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("COUNT(*) FILTER (WHERE NOT f)", 1),
        ("COUNT(*) FILTER (WHERE a = 5 OR f = FALSE)", 3),
        ("COUNT(a) FILTER (WHERE d > 0.5)", 2),
        ("COUNT(DISTINCT a) FILTER (WHERE TRUE = TRUE)", 1),
        ("SUM(d) FILTER (WHERE a IS NOT NULL)", Decimal("4.00")),
        ("SUM(a) FILTER (WHERE a > 100)", None),
        ("AVG(d) FILTER (WHERE id < 3)", 2.0),
        ("MIN(d) FILTER (WHERE f)", Decimal("1.50")),
        ("MAX(d) FILTER (WHERE f IS NULL) - MIN(d)", Decimal("2.25")),
        ("COUNT(*) FILTER (WHERE id = :id)", 1),
    ],
)
def test_an_aggregate_takes_the_rows_that_pass(db: piql.Database, aggregate: str, expected: object) -> None:
    text = f"SELECT {aggregate} AS w FROM t WHERE g = 1"
    (row,) = db.run(text, {"id": 2} if ":id" in text else {}).rows
    assert (row["w"], type(row["w"])) == (expected, type(expected))


def test_having_and_order_may_filter_too(db: piql.Database) -> None:
    text = "SELECT g FROM t WHERE g IN (1, 2) GROUP BY g HAVING COUNT(*) FILTER (WHERE f = FALSE) = 1 ORDER BY "
    assert db.run(text + "COUNT(*) FILTER (WHERE f) DESC").rows == [{"g": 1}, {"g": 2}]
    assert db.run(text + "SUM(a) FILTER (WHERE a > 5) DESC").rows == [{"g": 2}, {"g": 1}]


@pytest.mark.parametrize(
    ("expression", "code", "marked"),
    [
        ("COUNT(*) FILTER (WHERE COUNT(*) > 1)", "aggregate-misuse", "COUNT(*)"),
        ("ABS(a) FILTER (WHERE f)", "aggregate-misuse", "f"),
        ("COUNT(*) FILTER (f)", "syntax-error", "f"),
        ("COUNT(*) FILTER (WHERE a)", "not-a-condition", "a"),
        ("COUNT(*) FILTER (WHERE f", "syntax-error", "AS"),
    ],
)
def test_a_wrong_filter_is_marked_once_where_it_is_wrong(expression: str, code: str, marked: str) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT {expression} AS w FROM t WHERE g = 1;")
    assert [(finding.code, finding.span.text) for finding in compilation.diagnostics] == [(code, marked)]


def test_filter_is_a_name_where_no_parenthesis_follows(db: piql.Database) -> None:
    assert db.run("SELECT COUNT(*) filter FROM t WHERE g = 1").rows == [{"filter": 3}]
