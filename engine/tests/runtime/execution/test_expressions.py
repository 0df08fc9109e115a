"""Expressions computed by the executor agree with DuckDB, three-valued logic included."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import duckdb
import piql
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

SCHEMA = """CREATE TABLE v (
  g INT, id INT, a INT NULL, b BIGINT NULL, r DOUBLE NULL, s VARCHAR(20) NULL, u TEXT NULL, ok BOOLEAN NULL,
  yes BOOLEAN NULL, price DECIMAL(9, 2) NULL, seen TIMESTAMP NULL, day DATE NULL, PRIMARY KEY (g, id),
  CARDINALITY LIMIT 100 (g));"""
COLUMNS = ("g", "id", "a", "b", "r", "s", "u", "ok", "yes", "price", "seen", "day")
TEXTS = (None, "", "ada", "Ada Lovelace", " x ", "Zoë", "😀 grin", "b_c")


def rows() -> Iterator[dict[str, Any]]:
    for number in range(48):
        yield {
            "g": 1,
            "id": number,
            "a": None if number % 7 == 0 else number % 9 - 4,
            "b": None if number % 5 == 0 else (number - 20) * 10**9,
            "r": None if number % 6 == 0 else number / 4 - 3,
            "s": TEXTS[number % 8],
            "u": TEXTS[(number * 3) % 8],
            "ok": (None, True, False)[number % 3],
            "yes": (None, True, False)[number // 3 % 3],
            "price": None if number % 8 == 0 else Decimal(number * 37 - 500) / 100,
            "seen": None if number % 4 == 0 else f"2026-01-{number % 28 + 1:02}T10:00:00.{number:03}Z",
            "day": None if number % 9 == 0 else f"2026-02-{number % 28 + 1:02}",
        }


def without_zone(row: dict[str, Any]) -> list[Any]:
    return [value[:-1] if name == "seen" and value else value for name, value in row.items()]


class Both:
    """The same table in PIQL and in DuckDB."""

    def __init__(self, db: piql.Database) -> None:
        self.db = db
        db.deploy(piql.compile(SCHEMA))
        db.load("v", rows())
        self.duck = duckdb.connect()
        self.duck.execute("SET default_null_order = 'nulls_first'")
        types = SCHEMA.replace("NULL", "").replace("VARCHAR(20)", "VARCHAR")
        self.duck.execute(types.replace("CARDINALITY LIMIT 100 (g)", "UNIQUE (g, id)"))
        places = ", ".join("?" * len(COLUMNS))
        self.duck.executemany(f"INSERT INTO v VALUES ({places})", [without_zone(row) for row in rows()])

    def check(self, select: str) -> None:
        text = f"SELECT {select}"
        piql_rows = [tuple(row.values()) for row in self.db.run(text).rows]
        duckdb_rows = self.duck.execute(text.replace("00Z'", "00'")).fetchall()
        assert [tuple(map(plain, row)) for row in piql_rows] == [tuple(map(plain, row)) for row in duckdb_rows], text


def plain(value: Any) -> Any:
    """Return a value in a form that both sides share: numbers by value, moments without their zone, UTC."""
    if isinstance(value, Decimal | float):
        return round(float(value), 6)
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    with piql.connect("embedded:?synchronous=NORMAL") as db:
        yield Both(db)


@pytest.mark.parametrize(
    "expression",
    [
        "a + 1",
        "a - b",
        "a * a",
        "-a",
        "a / 4",
        "7 % 4 + a % 3",
        "a % 4",
        "r * 2 + a",
        "r % 2",
        "price + 1",
        "price * 2 - a",
        "price / 4",
        "-price",
        "s || '-' || u",
        "LOWER(s)",
        "UPPER(s)",
        "LENGTH(u)",
        "SUBSTR(s, 2)",
        "SUBSTR(s, 2, 3)",
        "SUBSTR(s, -3)",
        "SUBSTR(s, a, 2)",
        "TRIM(s)",
        "ABS(a)",
        "ABS(price)",
        "ROUND(r)",
        "ROUND(r, 1)",
        "ROUND(price, 1)",
        "ROUND(b, -9)",
        "FLOOR(a)",
        "FLOOR(b)",
        "FLOOR(r)",
        "FLOOR(-r)",
        "FLOOR(price)",
        "FLOOR(-price)",
        "CEIL(a)",
        "CEIL(b)",
        "CEIL(r)",
        "CEIL(-r)",
        "CEIL(price)",
        "CEIL(-price)",
        "TRUNC(a, -1)",
        "TRUNC(b)",
        "TRUNC(r)",
        "TRUNC(-r)",
        "TRUNC(price, 1)",
        "TRUNC(-price)",
        "COALESCE(s, u)",
        "COALESCE(a, b, 0)",
        "COALESCE(seen, seen)",
        "COALESCE(price, 0)",
        "seen",
        "day",
        "ok",
        "price",
    ],
)
def test_a_computed_output_is_duckdbs(both: Both, expression: str) -> None:
    both.check(f"id, {expression} AS x FROM v WHERE g = 1 ORDER BY id LIMIT 100")


@pytest.mark.parametrize(
    "expressions",
    [
        "COUNT(*), COUNT(a), COUNT(DISTINCT a)",
        "SUM(a), SUM(b), SUM(r), SUM(price)",
        "AVG(a), AVG(r), AVG(price)",
        "MIN(a), MAX(b), MIN(s), MAX(u), MIN(seen), MAX(day), MIN(price), MAX(price)",
        "SUM(DISTINCT a), AVG(DISTINCT r)",
    ],
)
def test_an_aggregate_is_duckdbs(both: Both, expressions: str) -> None:
    named = ", ".join(f"{tested} AS x{at}" for at, tested in enumerate(expressions.split(", ")))
    both.check(f"{named} FROM v WHERE g = 1")
    both.check(f"{named} FROM v WHERE g = 2")
    both.check(f"ok, {named} FROM v WHERE g = 1 GROUP BY ok ORDER BY ok")


ATOMS = st.sampled_from(
    [
        "a = 1",
        "a <> 2",
        "a < b",
        "a >= r",
        "r > 1.5",
        "price = 12.3",
        "price < a",
        "price > r",
        "s = u",
        "s < u",
        "s > 'Z'",
        "ok",
        "NOT ok",
        "ok = yes",
        "yes = FALSE",
        "a IS NULL",
        "s IS NOT NULL",
        "a IN (1, 2, 3)",
        "a IN (1, NULL)",
        "a NOT IN (0, 4)",
        "a NOT IN (0, NULL)",
        "s IN ('ada', u)",
        "a BETWEEN -2 AND 2",
        "a + 1 = LENGTH(s)",
        "seen > '2026-01-10T00:00:00Z'",
        "day <= '2026-02-14'",
        "seen IS NULL",
        "b = NULL",
        "COALESCE(ok, yes)",
        "LOWER(s) = 'ada'",
    ]
)
PREDICATES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map(lambda tested: f"NOT ({tested})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) AND ({pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) OR ({pair[1]})"),
    ),
    max_leaves=5,
)


@given(PREDICATES)
@settings(max_examples=150, deadline=None)
def test_a_predicate_keeps_duckdbs_rows(both: Both, predicate: str) -> None:
    both.check(f"id FROM v WHERE g = 1 AND ({predicate}) ORDER BY id LIMIT 100")


@pytest.mark.parametrize("given_", [([], [1]), ([2], []), ([], []), ([1, 2], [3])])
@pytest.mark.parametrize(
    ("predicate", "keeps"),
    [
        ("a IN [xs] MAX 3 OR a IN [ys] MAX 3", lambda a, xs, ys: a in xs + ys),
        ("a IN [xs] MAX 3 AND a NOT IN [ys] MAX 3", lambda a, xs, ys: a in xs and a not in ys),
        (
            "NOT (a IN [xs] MAX 3 OR a IN [ys] MAX 3)",
            lambda a, xs, ys: not xs + ys or (a is not None and a not in xs + ys),
        ),
        ("r IN [xs] MAX 3 OR a IN [ys] MAX 3 OR a = 4", None),
    ],
)
def test_lists_may_be_empty_and_stand_side_by_side(
    both: Both, predicate: str, keeps: Any, given_: tuple[list[int], list[int]]
) -> None:
    xs, ys = given_
    page = both.db.run(f"SELECT id, a, r FROM v WHERE g = 1 AND ({predicate}) LIMIT 100", {"xs": xs, "ys": ys})
    expected = [
        row["id"] for row in rows() if (keeps(row["a"], xs, ys) if keeps else row["r"] in xs or row["a"] in [*ys, 4])
    ]
    assert sorted(row["id"] for row in page.rows) == expected
