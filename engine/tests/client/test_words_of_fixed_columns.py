"""A word is searched in a column that must equal a literal: the column stays a column of its table."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE users (
  name VARCHAR(20), rank INT, PRIMARY KEY (name, rank), UNIQUE (rank), CARDINALITY LIMIT 2 (name),
  CARDINALITY LIMIT 3 (TOKEN(name))
);
CREATE TABLE posts (id INT PRIMARY KEY REFERENCES users (rank), day INT);
CREATE QUERY q AS SELECT t.rank FROM users t JOIN posts s ON t.rank = s.id
WHERE (s.day = [day] OR t.name CONTAINS [word]) AND t.name IN ('red sea') ORDER BY t.rank;
"""


@pytest.mark.parametrize(
    ("day", "word", "ranks"), [(7, "sea", [1, 2]), (7, "sand", [1]), (8, "SEA", [1, 2]), (9, "sand", [])]
)
def test_a_word_is_searched_in_a_column_of_one_value(day: int, word: str, ranks: list[int]) -> None:
    with piql.connect("embedded:?synchronous=NORMAL") as db:
        db.deploy(piql.compile(SCHEMA))
        names = ((1, "red sea"), (2, "red sea"), (3, "sand"))
        db.load("users", [{"name": name, "rank": rank} for rank, name in names])
        db.load("posts", [{"id": rank, "day": 6 + rank} for rank, _ in names])
        result = db.execute("q", {"day": day, "word": word})
        assert [row["rank"] for row in result.rows] == ranks
        assert result.operations <= 3
