"""Plans that read only the first match of each row, or the ends of an index, give the rows of the whole data."""

from __future__ import annotations

import random

import duckdb
import piql
import pytest
from piql.client.database import Strategy

SCHEMA = """
CREATE TABLE mem (me INT, g INT, k INT NULL, PRIMARY KEY (me, g), CARDINALITY LIMIT 9 (me));
CREATE TABLE msg (g INT, no INT, up INT NULL, body VARCHAR(9) NULL, PRIMARY KEY (g, no));
"""
QUERIES = {
    "largest of each row": (
        "SELECT m.g, (SELECT MAX(x.up) FROM msg x WHERE x.g = m.g) AS v FROM mem m WHERE m.me = 1",
        10,
    ),
    "smallest of each row": (
        "SELECT m.g, (SELECT MIN(x.up) FROM msg x WHERE x.g = m.g) AS v FROM mem m WHERE m.me = 1",
        10,
    ),
    "first of each row": (
        "SELECT m.g, (SELECT x.body FROM msg x WHERE x.g = m.g ORDER BY x.no DESC LIMIT 1) AS v "
        "FROM mem m WHERE m.me = 1",
        10,
    ),
    "first of each row, ordered by it": (
        "SELECT m.g, (SELECT x.no FROM msg x WHERE x.g = m.g AND x.no > 2 ORDER BY x.no LIMIT 1) AS v "
        "FROM mem m WHERE m.me = 1 ORDER BY v DESC, m.g LIMIT 4",
        10,
    ),
    "first of the first rows": (
        "SELECT m.g, (SELECT x.body FROM msg x WHERE x.g = m.g AND x.up = m.k ORDER BY x.no LIMIT 1) AS v "
        "FROM mem m WHERE m.me = 1 ORDER BY m.g LIMIT 3",
        4,
    ),
    "tested": (
        "SELECT m.g FROM mem m WHERE m.me = 1 AND (SELECT MAX(x.no) FROM msg x WHERE x.g = m.g) > 5",
        10,
    ),
    "tested for none": (
        "SELECT m.g FROM mem m WHERE m.me = 1 AND (SELECT MIN(x.up) FROM msg x WHERE x.g = m.g) IS NULL",
        10,
    ),
    "largest of groups": (
        "SELECT m.k, MAX(x.up) AS v FROM mem m JOIN msg x ON x.g = m.g WHERE m.me = 1 GROUP BY m.k",
        10,
    ),
    "largest of groups that need none": (
        "SELECT m.k, MAX(x.no) AS v FROM mem m LEFT JOIN msg x ON x.g = m.g AND x.up = 2 WHERE m.me = 1 GROUP BY m.k",
        10,
    ),
    "smallest of groups": (
        "SELECT x.g, MIN(x.no) AS v FROM mem m JOIN msg x ON x.g = m.g WHERE m.me = 1 "
        "GROUP BY x.g HAVING MIN(x.no) >= 0",
        10,
    ),
    "smallest of groups, without nulls": (
        "SELECT m.g, MIN(x.up) AS v FROM mem m LEFT JOIN msg x ON x.g = m.g WHERE m.me = 1 GROUP BY m.g",
        10,
    ),
    "both ends": ("SELECT MIN(x.no) AS a, MAX(x.no) AS b, MAX(x.up) AS c FROM msg x WHERE x.g = 1", 3),
    "both ends of a group": (
        "SELECT x.g, MAX(x.no) - MIN(x.no) AS a FROM msg x WHERE x.g = 2 GROUP BY x.g HAVING MAX(x.no) > 1",
        2,
    ),
    "both ends of what may be null": ("SELECT MIN(x.up) AS a, MAX(x.up) AS b FROM msg x WHERE x.g = 3", 2),
}


STRATEGIES: tuple[Strategy, ...] = ("parallel", "simple", "lazy")


@pytest.mark.parametrize("title", QUERIES)
def test_the_first_matches_tell_what_all_matches_tell(title: str) -> None:
    text, operations = QUERIES[title]
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS {text};")
    assert not compilation.has_errors
    bound = compilation.queries["q"].bound
    assert bound is not None
    assert bound.operations == operations
    for seed in range(3):
        rng = random.Random(seed)
        members = [(me, g, rng.choice((None, 0, 1, 2))) for me in (1, 2) for g in range(7) if rng.random() < 0.7]
        messages = [
            (g, at, rng.choice((None, 0, 1, 2)) if g % 3 else None, rng.choice((None, "a", "b")))
            for g in range(7)
            for at in range(rng.choice((0, 1, 9)))
        ]
        with piql.connect("embedded:") as database, duckdb.connect() as oracle:
            database.deploy(compilation)
            for table, columns, rows in (
                ("mem", ("me", "g", "k"), members),
                ("msg", ("g", "no", "up", "body"), messages),
            ):
                database.load(table, [dict(zip(columns, row, strict=True)) for row in rows])
            oracle.execute("CREATE TABLE mem (me INT, g INT, k INT)")
            oracle.execute("CREATE TABLE msg (g INT, no INT, up INT, body VARCHAR)")
            for table, rows in (("mem", members), ("msg", messages)):
                if rows:
                    oracle.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
            expected = oracle.execute(text.replace("v DESC", "v DESC NULLS LAST")).fetchall()
            if "ordered" not in title:
                expected = sorted(expected, key=repr)
            for strategy in STRATEGIES:
                page = database.execute("q", strategy=strategy)
                rows_found = [tuple(row.values()) for row in page.rows]
                assert page.operations <= operations, strategy
                assert (rows_found if "ordered" in title else sorted(rows_found, key=repr)) == expected, strategy


def test_pages_of_rows_with_their_first_match_give_each_row_once() -> None:
    compilation = piql.compile(
        SCHEMA
        + "CREATE QUERY q AS SELECT m.g, (SELECT x.no FROM msg x WHERE x.g = m.g ORDER BY x.no DESC LIMIT 1) AS v "
        "FROM mem m WHERE m.me = 1 ORDER BY m.g DESC PAGINATE 2;"
    )
    bound = compilation.queries["q"].bound
    assert bound is not None
    assert bound.operations == 3
    with piql.connect("embedded:") as database:
        database.deploy(compilation)
        database.load("mem", [{"me": 1, "g": g} for g in range(5)])
        database.load("msg", [{"g": g, "no": no} for g in (1, 2, 4) for no in range(g)])
        rows, cursor, pages = [], None, 0
        while pages == 0 or cursor is not None:
            page = database.execute("q", cursor=cursor)
            rows += [(row["g"], row["v"]) for row in page.rows]
            cursor, pages = page.cursor, pages + 1
    assert rows == [(4, 3), (3, None), (2, 1), (1, 0), (0, None)]
