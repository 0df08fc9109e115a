"""A SELECT without FROM is one row of what its subqueries give, and costs what these read."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import piql
import pytest

SCHEMA = """CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(9));
CREATE TABLE notes (owner INT, no INT, mark INT, PRIMARY KEY (owner, no), CARDINALITY LIMIT 20 (owner));
"""
USERS = [(1, "ada"), (2, None)]
NOTES = [(owner, no, no % 3) for owner in (1, 2) for no in range(2 + owner)]
QUERIES = {
    "SELECT EXISTS (SELECT 1 FROM notes WHERE owner = 1) AS x, EXISTS (SELECT 1 FROM notes WHERE owner = 7) AS y": 2,
    "SELECT EXISTS (SELECT 1 FROM notes WHERE owner = 1) AND NOT EXISTS (SELECT 1 FROM users WHERE id = 9) AS x": 2,
    "SELECT (SELECT COUNT(*) FROM notes WHERE owner = 2) AS n": 1,
    "SELECT (SELECT COUNT(*) FROM notes WHERE owner = 1) AS x, (SELECT name FROM users WHERE id = 1) AS y": 2,
    "SELECT (SELECT name FROM users WHERE id = 9) AS x, (SELECT name FROM users WHERE id = 2) AS y": 2,
    "SELECT (SELECT SUM(mark) FROM notes WHERE owner = 1) + (SELECT MAX(mark) FROM notes WHERE owner = 2) AS x": 2,
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM users WHERE id = 1) THEN 'yes' ELSE 'no' END AS x, 7 AS y": 1,
    "SELECT 2 IN (SELECT mark FROM notes WHERE owner = 1) AS x, 2 IN (SELECT mark FROM notes WHERE owner = 2) AS y": 2,
    "SELECT x + 1 AS x FROM (SELECT (SELECT COUNT(*) FROM notes WHERE owner = 2) AS x) s": 1,
    "SELECT (SELECT MAX(mark) FROM notes WHERE owner = 1) AS x UNION ALL SELECT (SELECT id FROM users WHERE id = 1)": 2,
}


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("users", [dict(zip(("id", "name"), row, strict=True)) for row in USERS])
        database.load("notes", [dict(zip(("owner", "no", "mark"), row, strict=True)) for row in NOTES])
        yield database


@pytest.mark.parametrize(("query", "requests"), QUERIES.items())
def test_the_row_is_that_of_duckdb(db: piql.Database, query: str, requests: int) -> None:
    reference = duckdb.connect()
    reference.execute("CREATE TABLE users (id INT, name VARCHAR); CREATE TABLE notes (owner INT, no INT, mark INT)")
    reference.executemany("INSERT INTO users VALUES (?, ?)", USERS)
    reference.executemany("INSERT INTO notes VALUES (?, ?, ?)", NOTES)
    bound = piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};").queries["q"].bound
    page = db.run(query)
    assert bound is not None
    assert page.operations <= bound.operations == requests
    assert sorted(map(repr, reference.execute(query).fetchall())) == sorted(
        repr(tuple(row.values())) for row in page.rows
    )


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("SELECT 1 AS x", "missing-from"),
        ("SELECT *, EXISTS (SELECT 1 FROM users WHERE id = 1) AS x", "missing-from"),
        ("SELECT (SELECT 1) AS x, EXISTS (SELECT 1 FROM users WHERE id = 1) AS y", "missing-from"),
        ("SELECT (SELECT COUNT(*) FROM user) AS x, 1 AS y", "unknown-table"),
        ("SELECT name, EXISTS (SELECT 1 FROM users WHERE id = 1) AS x", "unknown-column"),
        ("SELECT (SELECT COUNT(*) FROM users) AS x, 1 AS y", "unbounded-aggregate"),
    ],
)
def test_what_cannot_be_read_is_told(query: str, code: str) -> None:
    assert [finding.code for finding in piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};").diagnostics] == [code]
