"""There are no more groups, and no more distinct rows, than their keys have values together."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE follows (owner VARCHAR(20) REFERENCES users, target VARCHAR(20), approved BOOLEAN,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 10 (owner));
"""
ROWS = [
    {"owner": owner, "target": target, "approved": approved}
    for owner in "abcd"
    for target, approved in (("x", True), ("y", False), ("z", None), ("w", True))
]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT owner, COUNT(*) AS n FROM follows WHERE owner IN [l] MAX 4 GROUP BY owner", 4),
        ("SELECT owner, COUNT(*) AS n FROM follows WHERE owner = 'a' OR owner = 'b' GROUP BY owner", 2),
        ("SELECT DISTINCT owner FROM follows WHERE owner IN ('a', 'b', 'd')", 3),
        ("SELECT approved, COUNT(*) AS n FROM follows WHERE owner = 'a' GROUP BY approved", 3),
        ("SELECT DISTINCT owner, approved FROM follows WHERE owner IN ('a', 'b')", 6),
        ("SELECT DISTINCT f.owner, u.name FROM users u JOIN follows f ON f.owner = u.name WHERE u.name = 'a'", 1),
        ("SELECT DISTINCT f.owner FROM users u LEFT JOIN follows f ON f.owner = u.name WHERE u.name IN ('a', 'q')", 2),
        ("SELECT DISTINCT f.approved FROM users u LEFT JOIN follows f ON f.owner = u.name WHERE u.name = 'q'", 3),
        ("SELECT d.owner, COUNT(*) AS n FROM (SELECT owner, target FROM follows WHERE owner IN ('a', 'b')) d "
         "GROUP BY d.owner", 2),
        ("SELECT f.target, COUNT(*) AS n FROM follows g JOIN follows f ON f.owner = g.owner WHERE g.owner = 'a' "
         "GROUP BY f.target", 10),
        ("SELECT g.target, COUNT(*) AS n FROM follows g JOIN follows f ON f.owner = g.owner WHERE g.owner = 'a' "
         "GROUP BY g.target", 10),
        ("SELECT u.name, d.n FROM users u LEFT JOIN (SELECT owner, COUNT(*) AS n FROM follows GROUP BY owner) d "
         "ON d.owner = u.name WHERE u.name IN ('a', 'b', 'q')", 3),
        ("SELECT target, COUNT(*) AS n FROM follows WHERE owner IN ('a', 'b') GROUP BY target", 20),
        ("SELECT approved, target, COUNT(*) AS n FROM follows WHERE owner = 'a' GROUP BY approved, target", 10),
    ],
)  # fmt: skip
def test_rows_are_bounded_by_the_values_that_tell_them_apart(query: str, rows: int) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};")
    bound = compilation.queries["q"].bound
    assert bound is not None
    assert bound.rows == rows
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        db.load("users", [{"name": name} for name in "abcdq"])
        db.load("follows", ROWS)
        parameters = {"l": ["a", "b", "c", "d"]} if "[l]" in query else {}
        result = db.execute("q", parameters).rows
    assert len(result) <= rows
    assert len(result) == rows or rows >= 10 or "LEFT JOIN" in query
