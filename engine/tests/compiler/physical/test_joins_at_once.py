"""Of orders of joins with equally many requests, one is taken whose reads do not wait for one another."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE users (
  score INT, name BLOB, day BLOB NOT NULL, PRIMARY KEY (score, name), CARDINALITY LIMIT 6 (score) {unique}
);
CREATE TABLE posts (
  owner INT, author BLOB, id UUID, note INT NOT NULL,
  PRIMARY KEY (owner, author, id), FOREIGN KEY (owner, author) REFERENCES users
);
"""
QUERY = """
CREATE QUERY q AS
SELECT u.name, u.day FROM {tables} WHERE p.owner = u.score AND p.author = u.name AND u.score = [me] {end};
"""


@pytest.mark.parametrize("unique", ["", ", UNIQUE (score)"])
@pytest.mark.parametrize("tables", ["users u, posts p", "posts p, users u"])
@pytest.mark.parametrize("end", ["LIMIT 1", "ORDER BY u.score DESC PAGINATE 1"])
def test_both_reads_of_a_join_are_made_at_once(unique: str, tables: str, end: str) -> None:
    text = SCHEMA.format(unique=unique) + QUERY.format(tables=tables, end=end)
    bound = piql.compile(text).queries["q"].bound
    assert bound is not None
    assert (bound.operations, bound.round_trips) == (2, 1)
