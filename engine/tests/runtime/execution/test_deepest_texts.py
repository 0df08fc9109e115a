"""Whatever the compiler accepts can be executed: expressions nested as deeply as a text may nest them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import duckdb
import piql
import pytest

SCHEMA = """CREATE TABLE t (
  id INT PRIMARY KEY, g INT, f BOOLEAN, h BOOLEAN, price DECIMAL(8, 2), r DOUBLE, CARDINALITY LIMIT 9 (g)
);
"""
TRUTHS = (True, False, None)
PAIRS = list(enumerate((f, h) for f in TRUTHS for h in TRUTHS))
PREDICATES = {
    "an item of IN": "h IN (f, @)",
    "an AND in an item of IN": "h IN (f, @ AND h)",
    "an OR of ANDs in an item of IN": "h IN (f, @ AND h OR f)",
    "a comparison in an item of IN": "h IN (f, (@) = h AND h)",
    "an operand of IN": "(@ OR h) IN (f, FALSE)",
    "a comparison": "(@ OR h) = f AND f",
    "IS NULL": "(@) IS NULL",
    "COALESCE": "COALESCE(@ AND h OR f, h)",
    "a later argument of COALESCE": "COALESCE(h, f, h AND f, @)",
}
NUMBERS = {
    "a sum in a COALESCE": ("COALESCE(price + @, 1.5)", lambda price, depth: price * (depth + 1)),
    "a COALESCE in a sum": ("price + COALESCE(@, 1.5)", lambda price, depth: price * (depth + 1)),
    "functions": ("ABS(-(@))", lambda price, depth: price),
    "numbers of both kinds": ("r + (price + @)", lambda price, depth: float(price) * (2 * depth + 1)),
}


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as database:
        database.deploy(piql.compile(SCHEMA))
        rows = [{"id": n, "g": 1, "f": f, "h": h, "price": Decimal(n), "r": float(n)} for n, (f, h) in PAIRS]
        database.load("t", rows)
        yield database


def deepest(level: str, innermost: str) -> tuple[str, int]:
    """Return the deepest text that the compiler takes, and how deep it is."""
    for depth in range(49, 0, -1):
        expression = innermost
        for _ in range(depth):
            expression = level.replace("@", expression)
        query = f"CREATE QUERY q AS SELECT id, ({expression}) AS v FROM t WHERE g = 1 AND ({expression}) IS NULL;"
        if not piql.compile(SCHEMA + query).has_errors:
            return expression, depth
    raise AssertionError(level)


@pytest.mark.parametrize("level", PREDICATES)
def test_the_deepest_predicate_has_the_value_that_duckdb_gives(db: piql.Database, level: str) -> None:
    expression, depth = deepest(PREDICATES[level], "f")
    assert depth > 10
    with duckdb.connect() as duck:
        duck.execute("CREATE TABLE t (id INT, f BOOLEAN, h BOOLEAN, x BOOLEAN)")
        duck.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [[number, f, h, f] for number, (f, h) in PAIRS])
        for _ in range(depth):
            duck.execute(f"UPDATE t SET x = {PREDICATES[level].replace('@', 'x')}")
        expected = duck.execute("SELECT id, x FROM t ORDER BY id").fetchall()
    rows = db.run(f"SELECT id, ({expression}) AS v FROM t WHERE g = 1 ORDER BY id").rows
    assert [(row["id"], row["v"]) for row in rows] == expected
    rows = db.run(f"SELECT id FROM t WHERE g = 1 AND ({expression}) ORDER BY id").rows
    assert [row["id"] for row in rows] == [number for number, truth in expected if truth]


@pytest.mark.parametrize("level", NUMBERS)
def test_the_deepest_number_is_computed(db: piql.Database, level: str) -> None:
    text, value = NUMBERS[level]
    expression, depth = deepest(text, "price")
    assert depth > 10
    rows = db.run(f"SELECT id, {expression} AS v FROM t WHERE g = 1 ORDER BY id").rows
    assert [row["v"] for row in rows] == [value(Decimal(number), depth) for number, _ in PAIRS]


def test_coalesce_takes_as_many_arguments_as_the_compiler(db: piql.Database) -> None:
    arguments = ", ".join(["h", "f"] * 32)
    rows = db.run(f"SELECT COALESCE({arguments}) AS v FROM t WHERE g = 1 ORDER BY id").rows
    assert [row["v"] for row in rows] == [f if h is None else h for _, (f, h) in PAIRS]
