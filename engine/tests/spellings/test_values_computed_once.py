"""What is computed of parameters has one value for all rows: it is planned as a parameter is, however it is said."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import piql
import pytest

SCHEMA = """CREATE TABLE people (id INT PRIMARY KEY, town VARCHAR(9), score INT NULL, UNIQUE (score));
CREATE TABLE notes (
  owner INT REFERENCES people, no INT, mark INT NULL, about INT NULL REFERENCES people, PRIMARY KEY (owner, no),
  CARDINALITY LIMIT 8 (owner)
);
"""
PEOPLE = [(number, "ab"[number % 2], None if number == 3 else number * 10) for number in range(6)]
NOTES = [
    (owner, no, None if no == 2 else no % 3, None if no == 1 else (owner + no) % 6)
    for owner in range(5)
    for no in range(2 * owner)
]
GIVEN = {"me": 2, "p": 3, "none": None}
SAID = {
    "a list and an OR": (
        "SELECT no FROM notes WHERE owner IN (NULLIF([me], 9), [p] + 1)",
        "SELECT no FROM notes WHERE owner = NULLIF([me], 9) OR [p] + 1 = owner",
    ),
    "a list beside another test": (
        "SELECT id FROM people WHERE id = 1 OR (score IN (20, COALESCE([none], 40), [p] * 10) AND town = 'a')",
        "SELECT id FROM people WHERE id = 1 OR ((score = 20 OR score = COALESCE([none], 40) OR score = [p] * 10)"
        " AND town = 'a')",
    ),
    "the last of each": (
        "SELECT n.owner, n.no FROM notes n WHERE n.owner IN ([me], NULLIF([p], 9))"
        " AND n.no = (SELECT MAX(l.no) FROM notes l WHERE l.owner = n.owner)",
        "SELECT n.owner, n.no FROM notes n WHERE (n.owner = [me] OR n.owner = NULLIF([p], 9))"
        " AND n.no = (SELECT MAX(l.no) FROM notes l WHERE l.owner = n.owner)",
    ),
    "an IN and an EXISTS, each a part of a test": (
        "SELECT no FROM notes WHERE owner = [p] AND no = 5"
        " AND (mark = 1 OR about IN (SELECT id FROM people WHERE id IN (2, 4, 5)))",
        "SELECT no FROM notes WHERE owner = [p] AND no = 5"
        " AND (mark = 1 OR EXISTS (SELECT id FROM people WHERE id IN (2, 4, 5) AND id = about))",
    ),
    "at most, and not more": (
        "SELECT id FROM people WHERE score <= COALESCE([p], score) ORDER BY score LIMIT 3",
        "SELECT id FROM people WHERE NOT (score > COALESCE([p], score)) ORDER BY score LIMIT 3",
    ),
    "at most any value, and not more": (
        "SELECT id FROM people WHERE score <= COALESCE([none], score) ORDER BY score LIMIT 3",
        "SELECT id FROM people WHERE NOT (COALESCE([none], score) < score OR FALSE) ORDER BY score LIMIT 3",
    ),
}


@pytest.fixture(scope="module")
def reference() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people (id INT, town VARCHAR, score INT)")
    connection.execute("CREATE TABLE notes (owner INT, no INT, mark INT, about INT)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?)", PEOPLE)
    connection.executemany("INSERT INTO notes VALUES (?, ?, ?, ?)", NOTES)
    return connection


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as database:
        database.deploy(piql.compile(SCHEMA + "".join(map(declared, texts()))))
        database.load("people", [dict(zip(("id", "town", "score"), row, strict=True)) for row in PEOPLE])
        database.load("notes", [dict(zip(("owner", "no", "mark", "about"), row, strict=True)) for row in NOTES])
        yield database


def texts() -> list[str]:
    return [text for pair in SAID.values() for text in pair]


def declared(text: str) -> str:
    return f"CREATE QUERY {name_of(text)} AS {text};\n"


def name_of(text: str) -> str:
    return f"q{texts().index(text)}"


def bound_of(text: str) -> piql.Bound:
    bound = piql.compile(SCHEMA + declared(text)).queries[name_of(text)].bound
    assert bound is not None, text
    return bound


@pytest.mark.parametrize("question", SAID)
def test_both_ways_have_one_bound(question: str) -> None:
    first, second = map(bound_of, SAID[question])
    assert (str(first.formula), first.rows) == (str(second.formula), second.rows)


@pytest.mark.parametrize("text", texts())
def test_rows_are_those_of_duckdb_within_the_bound(
    db: piql.Database, reference: duckdb.DuckDBPyConnection, text: str
) -> None:
    said = text
    for name, value in GIVEN.items():
        said = said.replace(f"[{name}]", "CAST(NULL AS INT)" if value is None else str(value))
    given = {name: value for name, value in GIVEN.items() if f"[{name}]" in text}
    for strategy in ("parallel", "simple", "lazy"):
        page = db.execute(name_of(text), given, strategy=strategy)
        assert page.operations <= bound_of(text).operations
        assert sorted(tuple(row.values()) for row in page.rows) == sorted(reference.execute(said).fetchall())


def test_a_column_may_equal_a_test_of_parameters() -> None:
    text = (
        "CREATE TABLE flags (id INT PRIMARY KEY, is_on BOOLEAN, CARDINALITY LIMIT 5 (is_on));"
        "CREATE QUERY q AS SELECT f.id, g.id AS other FROM flags f JOIN flags g ON g.is_on = f.is_on"
        " WHERE f.is_on = ([p] > 3) AND f.id = 5"
        " AND f.id = (SELECT MAX(h.id) FROM flags h WHERE h.is_on = f.is_on AND h.id < 9);"
    )
    with piql.connect("embedded:") as database:
        database.deploy(piql.compile(text))
        database.load("flags", [{"id": number, "is_on": number % 2 == 1} for number in range(6)])
        assert [row["other"] for row in database.execute("q", {"p": 4}).rows] == [1, 3, 5]


def test_a_value_of_computed_keys_is_asked_for_once_for_each_key() -> None:
    assert bound_of(SAID["the last of each"][0]).operations == 2


THROUGH_JOINS = (
    "SELECT p.town, n.no FROM notes n JOIN people p ON p.id = n.owner WHERE n.owner = {p} ORDER BY n.no LIMIT 2",
    "SELECT n.no, o.id FROM people p JOIN notes n ON n.owner = p.id JOIN people o ON o.id = n.owner"
    " WHERE p.id = {p} ORDER BY n.no LIMIT 2",
    "SELECT p.town FROM people p WHERE p.score = {p} AND p.score = (SELECT MAX(q.score) FROM people q WHERE q.id = 2)",
)


@pytest.mark.parametrize("text", THROUGH_JOINS)
def test_a_computed_value_holds_for_equal_columns_as_a_parameter_does(text: str) -> None:
    bounds = []
    for value in ("[p]", "NULLIF([p], 9)"):
        bound = piql.compile(f"{SCHEMA}CREATE QUERY q AS {text.format(p=value)};").queries["q"].bound
        assert bound is not None
        bounds.append((bound.operations, bound.round_trips, bound.rows))
    assert bounds[0] == bounds[1]
