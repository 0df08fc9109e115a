"""IS NULL as a fixed column of an index: exactly the rows with NULL, in the order asked for, page by page."""

from __future__ import annotations

import random
from typing import Any

import piql
import pytest

SCHEMA = """
CREATE TABLE m (g INT, id INT, a INT, b VARCHAR(9), c INT, PRIMARY KEY (g, id));
CREATE TABLE n (id INT PRIMARY KEY, g INT, CARDINALITY LIMIT 5 (g));
CREATE QUERY pages AS SELECT id, a, b FROM m WHERE g = [g] AND b IS NULL ORDER BY a DESC PAGINATE 3;
CREATE QUERY above AS SELECT id FROM m WHERE g = [g] AND b IS NULL AND a > [a] ORDER BY a LIMIT 50;
CREATE QUERY either AS SELECT id FROM m WHERE g = [g] AND (b IS NULL OR b = [b]) ORDER BY a, id LIMIT 4;
CREATE QUERY both AS SELECT g, id FROM m WHERE a IS NULL AND b IS NULL ORDER BY g, id LIMIT 50;
CREATE QUERY joined AS
SELECT n.id AS n, m.id FROM n JOIN m ON m.g = n.id AND m.b IS NULL WHERE n.g = [g] ORDER BY m.a, n.id, m.id LIMIT 6;
CREATE QUERY first AS SELECT MIN(a) AS a FROM m WHERE g = [g] AND b IS NULL;
CREATE QUERY without AS
SELECT id FROM n WHERE g = [g] AND NOT EXISTS (SELECT 1 AS x FROM m WHERE m.g = n.id AND m.b IS NULL);
"""


def sorts(value: Any) -> tuple[bool, Any]:
    return value is not None, value if value is not None else 0


@pytest.mark.parametrize("strategy", ["parallel", "simple", "lazy"])
def test_rows_with_null_are_found_by_their_index(strategy: Any) -> None:
    compilation = piql.compile(SCHEMA)
    assert not compilation.has_errors
    rng = random.Random(3)
    rows: list[dict[str, Any]] = [
        {"g": g, "id": number, "a": rng.choice((None, 1, 2)), "b": rng.choice((None, "x", "")), "c": number}
        for g in range(4)
        for number in range(12)
    ]
    with piql.connect("embedded:", strategy=strategy) as database:
        database.deploy(compilation)
        database.load("m", rows)
        database.load("n", [{"id": number, "g": 7} for number in (0, 2, 3, 9)])

        def found(name: str, **parameters: Any) -> list[tuple[Any, ...]]:
            page = database.execute(name, parameters)
            bound = compilation.queries[name].bound
            assert bound is not None
            assert page.operations <= bound.operations
            return [tuple(row.values()) for row in page.rows]

        for g in range(4):
            unset = [row for row in rows if row["g"] == g and row["b"] is None]
            expected = sorted(unset, key=lambda row: (sorts(row["a"]), row["id"]), reverse=True)
            pages, cursor = [], None
            while True:
                page = database.execute("pages", {"g": g}, cursor=cursor)
                pages += page.rows
                cursor = page.cursor
                if cursor is None:
                    break
            assert pages == [{"id": row["id"], "a": row["a"], "b": None} for row in expected]
            larger = [row for row in expected[::-1] if (row["a"] or 0) > 1]
            assert found("above", g=g, a=1) == [(row["id"],) for row in larger]
            some = [row for row in rows if row["g"] == g and row["b"] in (None, "x")]
            some.sort(key=lambda row: (sorts(row["a"]), row["id"]))
            assert found("either", g=g, b="x") == [(row["id"],) for row in some[:4]]
            smallest = min((row["a"] for row in unset if row["a"] is not None), default=None)
            assert found("first", g=g) == [(smallest,)]
        assert found("both") == [(row["g"], row["id"]) for row in rows if row["a"] is None and row["b"] is None]
        joined = [row for row in rows if row["g"] in (0, 2, 3) and row["b"] is None]
        joined.sort(key=lambda row: (sorts(row["a"]), row["g"], row["id"]))
        assert found("joined", g=7) == [(row["g"], row["id"]) for row in joined[:6]]
        assert found("without", g=7) == [(9,)]
