"""Predicates that are values of others: the value of DuckDB, however deeply they are nested."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import piql
import pytest

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, g INT, f BOOLEAN, h BOOLEAN, CARDINALITY LIMIT 9 (g));\n"
TRUTHS = (True, False, None)
ROWS = [{"id": number, "g": 1, "f": f, "h": h} for number, (f, h) in enumerate((f, h) for f in TRUTHS for h in TRUTHS)]
LEVELS = {
    "equality": "f = (@)",
    "order": "(@) <= h",
    "IS NULL": "(@) IS NULL",
    "IS NOT NULL": "(@) IS NOT NULL",
    "IN": "(@) IN (f, FALSE)",
    "NOT IN": "(@) NOT IN (h, f)",
    "an item of IN": "h IN (f, (@))",
    "NOT": "NOT (@)",
    "AND inside a comparison": "(h AND (@)) = f",
    "OR inside a comparison": "(h OR (@)) <> f",
    "BETWEEN": "f BETWEEN (@) AND h",
    "an argument": "COALESCE((@), h)",
    "CASE": "CASE WHEN @ THEN h ELSE f END",
}
DEEPEST = 11


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("t", ROWS)
        yield database


@pytest.mark.parametrize("level", LEVELS)
def test_a_nested_predicate_has_the_value_that_duckdb_gives(db: piql.Database, level: str) -> None:
    expression = "f"
    with duckdb.connect() as duck:  # level by level, since its own source of nested INs doubles, too
        duck.execute("CREATE TABLE t (id INT, g INT, f BOOLEAN, h BOOLEAN, x BOOLEAN)")
        duck.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [[*row.values(), row["f"]] for row in ROWS])
        for depth in range(1, DEEPEST + 1):
            expression = LEVELS[level].replace("@", expression)
            duck.execute(f"UPDATE t SET x = {LEVELS[level].replace('@', 'x')}")
            if depth in (1, 2, 3, DEEPEST):
                page = db.run(f"SELECT id, ({expression}) AS v FROM t WHERE g = 1 ORDER BY id")
                expected = duck.execute("SELECT id, x FROM t ORDER BY id").fetchall()
                assert [(row["id"], row["v"]) for row in page.rows] == expected, depth
                page = db.run(f"SELECT id FROM t WHERE g = 1 AND ({expression}) ORDER BY id")
                assert [row["id"] for row in page.rows] == [number for number, truth in expected if truth], depth
