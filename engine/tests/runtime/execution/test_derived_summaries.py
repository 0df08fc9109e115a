"""Aggregates for each row of a derived table, and joins by an OR over a key: the rows are those of DuckDB."""

from __future__ import annotations

import random
from collections.abc import Iterator

import duckdb
import piql
import pytest

TABLES = """
CREATE TABLE item (
  id INT PRIMARY KEY, owner INT NOT NULL, cat INT, best INT, worst INT,
  CARDINALITY LIMIT 40 (owner), CARDINALITY LIMIT 40 (cat)
);
CREATE TABLE likes (
  person INT, item INT, PRIMARY KEY (person, item), CARDINALITY LIMIT 40 (person), CARDINALITY LIMIT 10 (item)
);
"""
COUNTED = "(SELECT COUNT(*) FROM likes l WHERE l.item = x.id)"
OF_PERSON = "(SELECT COUNT(*) FROM likes l WHERE l.person = x.owner)"
QUERIES = {
    "limited": f"SELECT x.id, {COUNTED} AS n FROM (SELECT id FROM item WHERE owner = :o ORDER BY id DESC LIMIT 5) x",
    "distinct_rows": f"SELECT x.owner, {OF_PERSON} AS n FROM (SELECT DISTINCT owner FROM item WHERE cat = :o) x",
    "grouped": (
        f"SELECT x.owner, x.n, {OF_PERSON} AS m "
        "FROM (SELECT owner, COUNT(*) AS n FROM item WHERE cat = :o GROUP BY owner) x"
    ),
    "united": (
        "SELECT x.owner, (SELECT MIN(l.item) FROM likes l WHERE l.person = x.owner AND l.item > 3) AS least FROM "
        "(SELECT person AS owner FROM likes WHERE item = :o UNION SELECT owner FROM item WHERE id = :o) x "
        f"WHERE {OF_PERSON} > 1"
    ),
    "joined": (
        "SELECT i.id, x.id AS other, (SELECT COUNT(*) FROM likes l WHERE l.item = i.id) AS n "
        "FROM (SELECT cat, id FROM item WHERE owner = :o ORDER BY id LIMIT 5) x JOIN item i ON i.cat = x.cat"
    ),
    "either": (
        "SELECT i.id, b.id AS other FROM item i JOIN item b ON b.id = i.best OR i.worst = b.id "
        "WHERE i.owner = :o AND i.id < 30"
    ),
}
BOUNDS = {
    "limited": "1 + 5",
    "distinct_rows": "1 + item.cat",
    "grouped": "1 + item.cat",
    "joined": "1 + 5 + 5·item.cat",
    "either": "1 + 2·item.owner",
}


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[piql.Database, duckdb.DuckDBPyConnection]]:
    rng = random.Random(7)
    items = [(id_, rng.randrange(5), *(rng.choice((None, 1, 2, 3)) for _ in range(3))) for id_ in range(40)]
    likes = [(person, item) for person in range(6) for item in range(40) if rng.random() < 0.3]
    with piql.connect("embedded:") as db, duckdb.connect() as reference:
        db.deploy(piql.compile(TABLES + "".join(f"CREATE QUERY {name} AS {text};" for name, text in QUERIES.items())))
        db.load("item", [dict(zip(("id", "owner", "cat", "best", "worst"), row, strict=True)) for row in items])
        db.load("likes", [{"person": person, "item": item} for person, item in likes])
        reference.execute("CREATE TABLE item (id INT, owner INT, cat INT, best INT, worst INT)")
        reference.execute("CREATE TABLE likes (person INT, item INT)")
        reference.executemany("INSERT INTO item VALUES (?, ?, ?, ?, ?)", items)
        reference.executemany("INSERT INTO likes VALUES (?, ?)", likes)
        yield db, reference


@pytest.mark.parametrize("name", QUERIES)
def test_the_rows_are_those_of_duckdb(name: str, both: tuple[piql.Database, duckdb.DuckDBPyConnection]) -> None:
    db, reference = both
    for owner in range(5):
        rows = [tuple(row.values()) for row in db.execute(name, {"o": owner}).rows]
        expected = reference.execute(QUERIES[name].replace(":o", str(owner))).fetchall()
        assert sorted(rows, key=repr) == sorted(expected, key=repr)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_summary_makes_one_request_for_each_row_of_the_derived_table(name: str) -> None:
    bound = piql.compile(f"{TABLES}CREATE QUERY q AS {QUERIES[name]};").queries["q"].bound
    assert bound is not None
    assert bound.formula == BOUNDS[name]


def test_a_derived_table_without_a_key_has_no_summary_for_each_row() -> None:
    text = f"CREATE QUERY q AS SELECT x.owner, {OF_PERSON} AS n FROM (SELECT owner FROM item ORDER BY id LIMIT 5) x;"
    compilation = piql.compile(TABLES + text)
    assert [diagnostic.code for diagnostic in compilation.diagnostics if diagnostic.severity == "error"] == [
        "scalar-subquery"
    ]
