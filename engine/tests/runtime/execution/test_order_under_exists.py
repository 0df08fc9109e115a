"""ORDER BY holds for an EXISTS over a join, although its rows are looked up from each row."""

from __future__ import annotations

import piql
import pytest

TABLES = """
CREATE TABLE users (name INT PRIMARY KEY);
CREATE TABLE posts (
  author INT REFERENCES users, number INT, score INT, PRIMARY KEY (author, number), CARDINALITY LIMIT 4 (author)
);
"""
OF_A_POSTER = "EXISTS (SELECT u.name FROM users u JOIN posts w ON u.name = w.author WHERE u.name = p.author)"


@pytest.mark.parametrize("where", [OF_A_POSTER, f"NOT {OF_A_POSTER} OR TRUE = TRUE", "TRUE = TRUE"])
@pytest.mark.parametrize(("stop", "shown"), [("LIMIT 9", 9), ("LIMIT 3", 3), ("PAGINATE 4", 4)])
def test_rows_come_in_the_order_asked(where: str, stop: str, shown: int) -> None:
    query = f"""
    SELECT p.number, s.number AS other FROM users t JOIN posts p ON t.name = p.author JOIN posts s ON s.author = t.name
    WHERE {where} AND t.name = 4 ORDER BY p.score DESC, s.number {stop}
    """.replace(f"{where} AND", f"({where}) AND")
    compilation = piql.compile(f"{TABLES} CREATE QUERY q AS {query};")
    assert not compilation.has_errors, compilation.diagnostics
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        db.load("users", [{"name": 4}])
        scores = {1: 0, 2: 9, 3: 5}
        db.load("posts", [{"author": 4, "number": key, "score": score} for key, score in scores.items()])
        rows = [(row["number"], row["other"]) for row in db.execute("q").rows]
    assert rows == [(number, other) for number in (2, 3, 1) for other in (1, 2, 3)][:shown]
