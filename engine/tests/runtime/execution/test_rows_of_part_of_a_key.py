"""A list on the last column of a key reads several rows, also if a join fixes the rest of the key."""

from __future__ import annotations

import piql

SOURCE = """
CREATE TABLE users (u INT PRIMARY KEY);
CREATE TABLE t (k INT REFERENCES users, d INT, PRIMARY KEY (k, d), CARDINALITY LIMIT 9 (k));
CREATE QUERY q AS
SELECT t.d FROM t JOIN users s ON s.u = t.k WHERE t.k = [me] AND t.d IN (8, -2);
"""


def test_a_list_on_the_rest_of_the_key_gives_every_row_it_names() -> None:
    compilation = piql.compile(SOURCE)
    bound = compilation.queries["q"].bound
    assert bound is not None
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        db.load("users", [{"u": 1}])
        db.load("t", [{"k": 1, "d": 8}, {"k": 1, "d": -2}, {"k": 1, "d": 5}])
        page = db.execute("q", {"me": 1})
    assert sorted(row["d"] for row in page.rows) == [-2, 8]
    assert page.operations <= bound.operations
