"""A left row without a match is a row: the few rows of a right side are no limit for the keys of the left."""

from __future__ import annotations

import piql
import pytest

TABLES = """
CREATE TABLE posts (id INT PRIMARY KEY, topic INT NOT NULL, author INT NOT NULL, CARDINALITY LIMIT 50 (topic));
CREATE TABLE editors (author INT PRIMARY KEY, team INT NOT NULL, CARDINALITY LIMIT 3 (team));
CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(10));
"""
EQUAL_TO_FEW = """
SELECT p.id, u.name
FROM posts p
LEFT JOIN (SELECT e.author FROM editors e WHERE e.team = 1) few ON few.author = p.author
JOIN users u ON u.id = p.author
WHERE p.topic = 1
"""
BESIDE_NOTHING = """
SELECT p.id, u.name
FROM posts p
LEFT JOIN users u ON u.id = p.author AND u.id = (SELECT e.author FROM editors e WHERE e.team = 1 AND e.team = 2 LIMIT 1)
WHERE p.topic = 1
"""


@pytest.mark.parametrize("text", [EQUAL_TO_FEW, BESIDE_NOTHING])
@pytest.mark.parametrize("strategy", ["parallel", "simple", "lazy"])
def test_rows_without_a_match_are_counted(text: str, strategy: piql.Strategy) -> None:
    compilation = piql.compile(f"{TABLES}CREATE QUERY q AS {text};")
    bound = compilation.queries["q"].bound
    assert bound is not None
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        db.load("posts", [{"id": number, "topic": 1, "author": number} for number in range(50)])
        db.load("users", [{"id": number, "name": "a"} for number in range(50)])
        db.load("editors", [{"author": number, "team": 1} for number in range(3)])
        page = db.execute("q", strategy=strategy)
    assert len(page.rows) == 50
    assert 51 <= page.operations <= bound.operations
