"""Row values: compared column by column from the left, and looked up in lists; NULL equals nothing."""

from __future__ import annotations

import random
from typing import Any

import piql
import pytest

SCHEMA = "CREATE TABLE m (g INT, id INT, a INT, b INT, PRIMARY KEY (g, id), CARDINALITY LIMIT 40 (g));"
Row = dict[str, Any]


def rows() -> list[Row]:
    rng = random.Random(5)
    values = (None, 1, 2, 3)
    return [{"g": g, "id": id_, "a": rng.choice(values), "b": rng.choice(values)} for g in (1, 2) for id_ in range(30)]


def found(test: str, **parameters: Any) -> list[int]:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT id FROM m WHERE g = 1 AND {test} ORDER BY id;")
    assert not compilation.has_errors, compilation.diagnostics
    bound = compilation.queries["q"].bound
    assert bound is not None
    with piql.connect("embedded:") as database:
        database.deploy(compilation)
        database.load("m", rows())
        page = database.execute("q", parameters)
        assert page.operations <= bound.operations
        return [row["id"] for row in page.rows]


def follows(one: tuple[Any, ...], other: tuple[Any, ...], is_equal_enough: bool) -> bool | None:
    for left, right in zip(one, other, strict=True):
        if left is None or right is None:
            return None
        if left != right:
            return bool(left > right)
    return is_equal_enough


@pytest.mark.parametrize("operator", [">", ">=", "<", "<="])
def test_the_first_values_that_differ_decide(operator: str) -> None:
    def is_true(row: Row) -> bool | None:
        pair = (row["a"], row["b"])
        if operator.startswith(">"):
            return follows(pair, (2, 1), operator == ">=")
        return follows((2, 1), pair, operator == "<=")

    rows_of_group = [row for row in rows() if row["g"] == 1]
    assert found(f"(a, b) {operator} (2, :y)", y=1) == [row["id"] for row in rows_of_group if is_true(row)]
    expected = [row["id"] for row in rows_of_group if is_true(row) is False]
    assert found(f"NOT (a, b) {operator} (2, :y)", y=1) == expected


def test_rows_differ_when_any_value_does() -> None:
    expected = [
        row["id"]
        for row in rows()
        if row["g"] == 1 and ((row["a"] or 2) != 2 or (row["b"] or 1) != 1)  # NULL differs from nothing
    ]
    assert found("(a, b) <> (2, 1)") == expected


def test_a_row_is_among_others_where_all_values_are_equal() -> None:
    others = {(row["a"], row["b"]) for row in rows() if row["g"] == 2}
    expected = [
        row["id"]
        for row in rows()
        if row["g"] == 1 and None not in (row["a"], row["b"]) and (row["a"], row["b"]) in others
    ]
    assert found("(a, b) IN (SELECT n.a, n.b FROM m n WHERE n.g = 2)") == expected
    assert found("(b > 100 OR (a, b) IN (SELECT n.a, n.b FROM m n WHERE n.g = 2))") == expected


def test_a_row_that_is_not_among_others_has_no_null_in_it() -> None:
    ids = {row["id"] for row in rows() if row["g"] == 2 and row["a"] == 1}
    expected = [row["id"] for row in rows() if row["g"] == 1 and row["id"] not in ids]
    assert found("(id, g) NOT IN (SELECT n.id, 1 AS one FROM m n WHERE n.g = 2 AND n.a = 1)") == expected
