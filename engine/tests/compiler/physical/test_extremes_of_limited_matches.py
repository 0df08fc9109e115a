"""A limit on the matches of MIN or MAX takes no bound away, whether or not the rows around it have a key."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE users (id INT PRIMARY KEY);
CREATE TABLE posts (id INT PRIMARY KEY, author INT NULL REFERENCES users {limit});
CREATE TABLE follows (owner INT, target INT REFERENCES users, PRIMARY KEY (owner, target),
  CARDINALITY LIMIT 3 (owner));
CREATE QUERY latest AS
SELECT f.target, (SELECT {extreme}(p.id) FROM posts p WHERE p.author = f.target) AS post
FROM ({rows}) f;
"""
ROWS = {
    "UNION ALL": "SELECT target FROM follows WHERE owner = 1 UNION ALL SELECT target FROM follows WHERE owner = 2",
    "recursion": """WITH RECURSIVE walk (target) AS (
        SELECT target FROM follows WHERE owner = 1
        UNION ALL SELECT n.target FROM walk w JOIN follows n ON n.owner = w.target
      ) MAX 1 LEVELS SELECT target FROM walk""",
}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("extreme", ["MIN", "MAX"])
@pytest.mark.parametrize("store", ["embedded:", "stepwise:"])
def test_a_limit_on_the_matches_of_an_extreme_keeps_the_bound(rows: str, extreme: str, store: str) -> None:
    texts = [SCHEMA.format(limit=limit, extreme=extreme, rows=ROWS[rows]) for limit in ("", "MAX 4")]
    bounds = [piql.compile(text).queries["latest"].bound for text in texts]
    assert None not in bounds
    assert len({bound.operations for bound in bounds if bound is not None}) == 1
    with piql.connect(store) as db:
        db.deploy(piql.compile(texts[1]))
        db.load("users", [{"id": user} for user in range(4)])
        db.load("posts", [{"id": 10 * user + post, "author": user} for user in (1, 2) for post in range(4)])
        db.load("follows", [{"owner": owner, "target": target} for owner, target in [(1, 2), (1, 3), (2, 2), (2, 1)]])
        page = db.execute("latest", {})
    assert bounds[1] is not None
    assert page.operations <= bounds[1].operations
    end = {"MIN": 0, "MAX": 3}[extreme]
    expected = [(1, 10 + end), (2, 20 + end), (2, 20 + end), (3, None)]
    assert sorted((row["target"], row["post"]) for row in page.rows) == expected
