"""The first rows of a derived UNION ALL are the first of all its rows, whichever branch they come from."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import piql
import pytest

SCHEMA = """
CREATE TABLE m (g INT, id INT, a INT NULL, b INT, PRIMARY KEY (g, id));
CREATE TABLE n (g INT, id INT, a INT NULL, b INT, PRIMARY KEY (g, id));
"""
UNION = "(SELECT a, b FROM m WHERE g = 1 UNION ALL SELECT b, a FROM n WHERE g = 1 UNION ALL SELECT a, a AS c FROM m) d"
ORDERS = {"": (), "a": (True,), "a DESC": (False,)}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("strategy", ["parallel", "simple", "lazy"])
def test_the_first_rows_of_a_derived_union_are_those_of_the_whole(order: str, strategy: Any) -> None:
    stopped = f"{f'ORDER BY d.{order} ' if order else ''}LIMIT :count MAX 9"
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT d.a, d.b FROM {UNION} {stopped};")
    assert not compilation.has_errors
    rng = random.Random(order)
    with piql.connect("embedded:", strategy=strategy) as database:
        database.deploy(compilation)
        tables = {}
        for table in ("m", "n"):
            values = [
                (g, number, rng.choice((None, 1, 2, 3, 4)), rng.randrange(5)) for g in (1, 2) for number in range(6)
            ]
            tables[table] = values
            database.load(table, [dict(zip(("g", "id", "a", "b"), row, strict=True)) for row in values])
        whole = [(a, b) for g, _, a, b in tables["m"] if g == 1]
        whole += [(b, a) for g, _, a, b in tables["n"] if g == 1]
        whole += [(a, a) for _, _, a, _ in tables["m"]]
        for count in range(10):
            rows = [(row["a"], row["b"]) for row in database.execute("q", {"count": count}).rows]
            assert len(rows) == count
            assert not Counter(rows) - Counter(whole)
            for is_ascending in ORDERS[order]:
                known = sorted((a for a, _ in whole if a is not None), reverse=not is_ascending)
                nulls = [None] * sum(a is None for a, _ in whole)
                assert [a for a, _ in rows] == ([*nulls, *known] if is_ascending else [*known, *nulls])[:count]


def test_pages_of_a_derived_union_with_a_test_and_a_join_give_each_row_once() -> None:
    schema = """
    CREATE TABLE who (id INT PRIMARY KEY, name VARCHAR(9));
    CREATE TABLE m (g INT REFERENCES who, id INT, PRIMARY KEY (g, id));
    CREATE TABLE n (g INT REFERENCES who, id INT, PRIMARY KEY (g, id));
    CREATE QUERY q AS
    SELECT w.name, d.id
    FROM (SELECT g, id FROM m WHERE g = 1 UNION ALL SELECT g, id FROM n WHERE g = 2) d JOIN who w ON w.id = d.g
    WHERE d.id > 2
    ORDER BY d.id DESC
    PAGINATE 3;
    """
    compilation = piql.compile(schema)
    assert not compilation.has_errors
    with piql.connect("embedded:") as database:
        database.deploy(compilation)
        database.load("who", [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}])
        for table in ("m", "n"):
            database.load(table, [{"g": g, "id": at} for g in (1, 2) for at in range(7)])
        rows, cursor, pages = [], None, 0
        while pages == 0 or cursor is not None:
            page = database.execute("q", cursor=cursor)
            bound = compilation.queries["q"].bound
            assert bound is not None
            assert page.operations <= bound.operations
            rows += [(row["name"], row["id"]) for row in page.rows]
            cursor, pages = page.cursor, pages + 1
    assert [at for _, at in rows] == [6, 6, 5, 5, 4, 4, 3, 3]
    assert sorted(rows) == sorted((name, at) for name in ("one", "two") for at in range(3, 7))
