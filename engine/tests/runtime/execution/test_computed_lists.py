"""A list whose values are computed, some of them to NULL, is looked up by the index, each value once."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, g INT, c VARCHAR(9), CARDINALITY LIMIT 20 (g));
CREATE TABLE pairs (a INT, b INT, PRIMARY KEY (a, b));
"""


@pytest.fixture(scope="module", params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("t", [{"id": number, "g": number % 2, "c": str(number)} for number in range(1, 6)])
        database.load("pairs", [{"a": a, "b": b} for a in range(1, 4) for b in range(1, 4)])
        yield database


@pytest.mark.parametrize(
    ("condition", "expected", "requests"),
    [
        ("id IN (1, NULLIF(2, 2), GREATEST(1, 3), 1 + 1)", [1, 2, 3], 3),
        ("id IN ([n] + 1, 4, 1 + [n])", [2, 4], 2),
        ("id IN (COALESCE([n], 5), LEAST([n], 3), [n])", [1], 1),
        ("id IN (CASE WHEN [n] = 1 THEN 2 END, LENGTH('abc'), CASE WHEN [n] = 2 THEN 4 END)", [2, 3], 2),
        ("id IN (CAST('4' AS INT), [n] * 2147483647 * 2)", [4], 1),
        ("id IN (EXTRACT(MONTH FROM CURRENT_DATE) * 0 + 5, NULLIF([n], 1))", [5], 1),
    ],
)
def test_computed_values_are_looked_up(db: piql.Database, condition: str, expected: list[int], requests: int) -> None:
    page = db.run(f"SELECT id FROM t WHERE {condition} ORDER BY id", {"n": 1} if "[n]" in condition else {})
    assert ([row["id"] for row in page.rows], page.operations) == (expected, requests)


def test_they_are_looked_up_in_each_column_of_a_key_and_for_each_row_of_a_join(db: piql.Database) -> None:
    text = "SELECT a, b FROM pairs WHERE a IN ([n], [n] + 2, NULLIF(1, 1)) AND b IN (2 * [n], NULLIF(2, 2))"
    assert [(row["a"], row["b"]) for row in db.run(text, {"n": 1}).rows] == [(1, 2), (3, 2)]
    text = "SELECT p.b FROM t JOIN pairs p ON p.a = t.id WHERE t.id = 3 AND p.b IN (t.id - 1, NULL, 1) ORDER BY p.b"
    assert [row["b"] for row in db.run(text).rows] == [1, 2]
