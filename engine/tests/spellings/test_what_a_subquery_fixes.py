"""What all rows that a subquery finds have in common holds outside of it, too, however the subquery is written."""

from __future__ import annotations

from collections import Counter

import duckdb
import piql
import pytest

SCHEMA = """
CREATE TABLE users (name INT PRIMARY KEY, town INT NOT NULL);
CREATE TABLE posts (author INT REFERENCES users, kind INT, day INT, PRIMARY KEY (author, kind, day),
  CARDINALITY LIMIT 4 (kind));
"""
SPELLINGS = (
    "EXISTS (SELECT 1 AS one FROM users u WHERE u.name = [who] AND u.town = 1 AND u.name = t.author)",
    "EXISTS (SELECT 1 AS one FROM users u WHERE [who] = u.name AND u.town = 1 AND t.author = u.name)",
    "t.author IN (SELECT u.name FROM users u WHERE u.name = [who] AND u.town = 1)",
    "EXISTS (SELECT 1 AS one FROM users u, users v WHERE v.name = [who] AND u.name = v.name AND u.town = 1 "
    "AND t.author = u.name)",
    "EXISTS (SELECT 1 AS one FROM users u WHERE u.name = [who] AND u.town = 1 AND u.name = t.author) "
    "AND t.author IN (SELECT v.name FROM users v WHERE v.town = 1)",
)
OTHERS = ("t.author IN (2, 3)", "t.author <> 4", "t.author = t.author")
ROWS = {
    "users": [(name, name % 2) for name in range(6)],
    "posts": [(author, kind, 7) for author in range(4) for kind in range(5)] + [(5, 5, 7)],
}


@pytest.mark.parametrize("other", OTHERS)
def test_rows_outside_a_subquery_have_the_value_that_it_fixes(other: str) -> None:
    texts = [
        f"SELECT t.author, t.kind FROM posts t WHERE {spelling} AND {other} AND t.kind = 2 AND t.day = 7"
        for spelling in SPELLINGS
    ]
    compilation = piql.compile(SCHEMA + "".join(f"CREATE QUERY q{at} AS {text};\n" for at, text in enumerate(texts)))
    assert [diagnostic.message for diagnostic in compilation.diagnostics if diagnostic.severity == "error"] == []
    with piql.connect("embedded:") as db, duckdb.connect() as reference:
        db.deploy(compilation)
        for table, columns in (("users", ("name", "town")), ("posts", ("author", "kind", "day"))):
            db.load(table, [dict(zip(columns, row, strict=True)) for row in ROWS[table]])
            reference.execute(f"CREATE TABLE {table} ({', '.join(f'{name} INT' for name in columns)})")
            reference.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", ROWS[table])
        for at, text in enumerate(texts):
            bound = compilation.queries[f"q{at}"].bound
            assert bound is not None
            for value in (0, 1, 3, 5, 9, None):
                page = db.execute(f"q{at}", {"who": value})
                right = reference.execute(text.replace("[who]", "NULL" if value is None else str(value))).fetchall()
                assert Counter(tuple(row.values()) for row in page.rows) == Counter(right), text
                assert page.operations <= bound.operations, text
                assert len(page.rows) <= bound.rows, text
        bounds = [compilation.queries[f"q{at}"].bound for at in range(len(texts))]
        assert {bound.rows for bound in bounds if bound is not None} == {1}
