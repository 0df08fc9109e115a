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


def test_matches_of_one_row_ask_for_one_key() -> None:
    compilation = piql.compile(
        """
        CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(10));
        CREATE TABLE notes (id INT PRIMARY KEY, author INT NOT NULL, CARDINALITY LIMIT 40);
        CREATE QUERY q AS
        SELECT t.name, n.id, u.name AS author
        FROM users t
        LEFT JOIN notes n ON n.author = t.id
        LEFT JOIN users u ON u.id = n.author
        WHERE t.id = [me];
        """
    )
    bound = compilation.queries["q"].bound
    assert bound is not None
    assert bound.operations == 3
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        db.load("users", [{"id": number, "name": str(number)} for number in range(3)])
        db.load("notes", [{"id": number, "author": number % 2} for number in range(40)])
        with_notes, without = (db.execute("q", {"me": me}) for me in (1, 2))
    assert [row["author"] for row in with_notes.rows] == ["1"] * 20
    assert [row["author"] for row in without.rows] == [None]
    assert without.operations <= with_notes.operations <= bound.operations
