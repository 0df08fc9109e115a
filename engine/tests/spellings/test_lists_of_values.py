"""ARRAY_AGG and STRING_AGG list values in the order that is asked for, whatever plan reads the rows."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import piql
import pytest

SCHEMA = """CREATE TABLE people (id INT PRIMARY KEY, town VARCHAR(9), CARDINALITY LIMIT 20 (town));
CREATE TABLE notes (
  owner INT REFERENCES people MAX 20, no INT, mark INT, text VARCHAR(20), done BOOLEAN, PRIMARY KEY (owner, no)
);
"""
PEOPLE = [(number, "ab"[number % 2]) for number in range(5)]
NOTES = [
    (
        owner,
        no,
        None if no == 3 else (no * 7 + owner) % 4,
        None if no == 1 else "cab"[no % 3] * (no % 2 + 1),
        no % 2 > 0,
    )
    for owner in range(4)
    for no in range(2 * owner)
]
QUERIES = [
    "SELECT STRING_AGG(text, ', ' ORDER BY no) AS x FROM notes WHERE owner = 3",
    "SELECT STRING_AGG(text, '' ORDER BY no DESC) AS x FROM notes WHERE owner = 3",
    "SELECT STRING_AGG(text, '; ' ORDER BY mark DESC NULLS LAST, no) AS x FROM notes WHERE owner = 3",
    "SELECT STRING_AGG(DISTINCT text, '-' ORDER BY text DESC) AS x FROM notes WHERE owner = 3",
    "SELECT STRING_AGG(text, ',' ORDER BY no) FILTER (WHERE done) AS x FROM notes WHERE owner = 3",
    "SELECT STRING_AGG(LOWER(text) || '!', ',' ORDER BY -no) AS x FROM notes WHERE owner = 2",
    "SELECT STRING_AGG(text, ',' ORDER BY no) AS x FROM notes WHERE owner = 9",
    "SELECT owner, STRING_AGG(text, ',' ORDER BY no) AS x FROM notes WHERE owner IN (1, 2, 3) GROUP BY owner",
    "SELECT p.id, (SELECT STRING_AGG(n.text, ',' ORDER BY n.no DESC) FROM notes n WHERE n.owner = p.id) AS x "
    "FROM people p WHERE p.town = 'b'",
    "SELECT p.id, STRING_AGG(n.text, ',' ORDER BY n.no) AS x FROM people p LEFT JOIN notes n ON n.owner = p.id "
    "WHERE p.town = 'a' GROUP BY p.id",
    "SELECT p.town, STRING_AGG(n.text, ',' ORDER BY n.no DESC, p.id) AS x FROM people p JOIN notes n ON n.owner = p.id "
    "WHERE p.town IN ('a', 'b') GROUP BY p.town",
    "SELECT x FROM (SELECT owner, STRING_AGG(text, ',' ORDER BY no) AS x FROM notes WHERE owner = 3 GROUP BY owner) s",
    "SELECT SUM(mark ORDER BY no) AS x, COUNT(mark ORDER BY no) AS y FROM notes WHERE owner = 3",
]
ARRAYS = [
    ("SELECT ARRAY_AGG(no ORDER BY no DESC) AS x FROM notes WHERE owner = 2", "[3,2,1,0]"),
    ("SELECT ARRAY_AGG(no) AS x FROM notes WHERE owner = 2", "[0,1,2,3]"),
    ("SELECT ARRAY_AGG(done ORDER BY no) AS x FROM notes WHERE owner = 2", "[false,true,false,true]"),
    ("SELECT STRING_AGG(no, ' ') AS x FROM notes WHERE owner = 2", "0 1 2 3"),
    ("SELECT GROUP_CONCAT(text) AS x FROM notes WHERE owner = 2", "b,c,cc"),
    ("SELECT STRING_AGG(text, '|' ORDER BY done) AS x FROM notes WHERE owner = 2", "b|c|cc"),
]


@pytest.fixture(scope="module")
def reference() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people (id INT, town VARCHAR)")
    connection.execute("CREATE TABLE notes (owner INT, no INT, mark INT, text VARCHAR, done BOOLEAN)")
    connection.executemany("INSERT INTO people VALUES (?, ?)", PEOPLE)
    connection.executemany("INSERT INTO notes VALUES (?, ?, ?, ?, ?)", NOTES)
    return connection


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("people", [dict(zip(("id", "town"), row, strict=True)) for row in PEOPLE])
        database.load("notes", [dict(zip(("owner", "no", "mark", "text", "done"), row, strict=True)) for row in NOTES])
        yield database


@pytest.mark.parametrize("query", QUERIES)
def test_rows_are_those_of_duckdb(db: piql.Database, reference: duckdb.DuckDBPyConnection, query: str) -> None:
    bound = piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};").queries["q"].bound
    page = db.run(query)
    assert bound is not None
    assert page.operations <= bound.operations
    expected = sorted(map(repr, reference.execute(query).fetchall()))
    assert sorted(repr(tuple(row.values())) for row in page.rows) == expected


@pytest.mark.parametrize(("query", "expected"), ARRAYS)
def test_values_without_another_order_are_in_their_own(db: piql.Database, query: str, expected: str) -> None:
    assert db.run(query).rows == [{"x": expected}]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("STRING_AGG(text)", "STRING_AGG takes a value and a separator"),
        ("STRING_AGG(text, mark)", "the separator of STRING_AGG must be a text in quotes"),
        ("ARRAY_AGG(text, ',')", "ARRAY_AGG takes one argument"),
        ("LOWER(text ORDER BY no)", "ORDER BY belongs to an aggregate, and LOWER is none"),
        (
            "STRING_AGG(DISTINCT text, ',' ORDER BY no)",
            "with DISTINCT, the values can only be ordered by themselves, not by no",
        ),
    ],
)
def test_what_has_no_meaning_is_told(call: str, message: str) -> None:
    text = f"{SCHEMA}CREATE QUERY q AS SELECT {call} AS x FROM notes WHERE owner = 1;"
    assert [finding.message for finding in piql.compile(text).diagnostics] == [message]
