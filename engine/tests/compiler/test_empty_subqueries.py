"""A subquery that never gives a row is decided before it is planned, beside an OR, too."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE users (id INT PRIMARY KEY, name TEXT);
CREATE TABLE posts (author INT, kind INT, word TEXT, PRIMARY KEY (author, kind), CARDINALITY LIMIT 9 (author));
"""
EMPTY = (
    "EXISTS (SELECT p.kind FROM posts p WHERE p.author = u.id AND p.word <> p.word)",
    "EXISTS (SELECT p.kind FROM posts p WHERE p.author = u.id AND 1 = 2 ORDER BY p.kind LIMIT 3)",
    "u.id IN (SELECT p.author FROM posts p WHERE p.kind = 3 AND 1 = 2)",
    "EXISTS (SELECT p.author FROM posts p JOIN users o ON o.id = p.author AND 1 = 2 WHERE p.author = u.id)",
    "EXISTS (SELECT COUNT(*) AS n FROM posts p WHERE p.author = u.id AND 1 = 2 GROUP BY p.kind)",
)


def rows_of(test: str) -> tuple[int, list[int]]:
    text = f"{SCHEMA}CREATE QUERY q AS SELECT u.id FROM users u WHERE {test} LIMIT 5;"
    compiled = piql.compile(text)
    bound = compiled.queries["q"].bound
    assert bound is not None, compiled.diagnostics
    with piql.connect("embedded:") as db:
        db.deploy(compiled)
        db.load("users", [{"id": number, "name": "n"} for number in (1, 2)])
        db.load("posts", [{"author": 1, "kind": kind, "word": None} for kind in (3, 4)])
        return bound.operations, [row["id"] for row in db.execute("q").rows]


@pytest.mark.parametrize("test", EMPTY)
def test_it_is_false_beside_an_or_and_not_of_it_is_true(test: str) -> None:
    assert rows_of(f"({test} OR u.id = 2)") == (1, [2])
    assert rows_of(f"NOT ({test}) AND u.id = 1") == (1, [1])
