"""What SQL writes in its own words means what it means elsewhere: NULLS LAST, SUBSTRING … FROM, BOOL_OR, DATE '…'."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import duckdb
import piql
import pytest
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.source import Source

SCHEMA = """CREATE TABLE notes (
  owner INT, no INT, mark INT, text VARCHAR(20), done BOOLEAN, seen TIMESTAMP, day DATE, kind INT NOT NULL,
  PRIMARY KEY (owner, no), CARDINALITY LIMIT 40 (owner)
);
"""
MIDNIGHT = datetime(2024, 3, 2, tzinfo=UTC)
ROWS = [
    {
        "owner": owner,
        "no": no,
        "mark": None if no % 4 == 1 else no % 3,
        "text": None if no == 2 else f"  x{no}é ",
        "done": (True, False, None)[no * owner % 3],
        "seen": None if no == 3 else MIDNIGHT + timedelta(hours=8 * (no - 4)),
        "day": date(2024, 3, 1) + timedelta(days=no % 3),
        "kind": 9 - no,
    }
    for owner in (1, 2, 3)
    for no in range(9)
]
COLUMNS = "owner INT, no INT, mark INT, text VARCHAR, done BOOLEAN, seen TIMESTAMP, day DATE, kind INT"
ORDERED = [
    "SELECT no, mark FROM notes WHERE owner = 1 ORDER BY mark NULLS LAST, no",
    "SELECT no, mark FROM notes WHERE owner = 1 ORDER BY mark NULLS FIRST, no",
    "SELECT no, mark FROM notes WHERE owner = 1 ORDER BY mark ASC NULLS LAST, no DESC",
    "SELECT no, mark FROM notes WHERE owner = 1 ORDER BY mark DESC NULLS FIRST, no",
    "SELECT no, mark FROM notes WHERE owner = 1 ORDER BY mark DESC NULLS LAST, no LIMIT 5",
    "SELECT no, mark FROM notes WHERE owner = 1 ORDER BY mark NULLS LAST, no LIMIT 8",
    "SELECT no FROM notes WHERE owner = 1 ORDER BY LOWER(text) DESC NULLS FIRST, no LIMIT 3",
    "SELECT DISTINCT mark FROM notes WHERE owner = 1 ORDER BY mark NULLS LAST",
    "SELECT mark, COUNT(*) AS n FROM notes WHERE owner = 1 GROUP BY mark ORDER BY 1 NULLS LAST",
    "SELECT mark FROM notes WHERE owner = 1 UNION SELECT kind FROM notes WHERE owner = 2 ORDER BY mark NULLS LAST",
    "SELECT kind FROM notes WHERE owner = 1 ORDER BY kind NULLS LAST LIMIT 2",
]
UNORDERED = [
    "SELECT no, SUBSTRING(text FROM 2 FOR 3) AS x FROM notes WHERE owner = 1",
    "SELECT no, SUBSTRING(text FROM 3) AS x FROM notes WHERE owner = 1",
    "SELECT no, TRIM(BOTH FROM text) AS x, TRIM(LEADING FROM text) AS y FROM notes WHERE owner = 1",
    "SELECT no, TRIM(TRAILING 'é ' FROM text) AS x, TRIM(' ' FROM text) AS y FROM notes WHERE owner = 1",
    "SELECT BOOL_OR(done) AS x, BOOL_AND(done) AS y FROM notes WHERE owner = 1",
    "SELECT owner, BOOL_OR(done) AS x, BOOL_AND(mark > 0) AS y FROM notes WHERE owner IN (1, 2, 3) GROUP BY owner",
    "SELECT BOOL_AND(done) FILTER (WHERE mark = 1) AS x FROM notes WHERE owner = 2",
    "SELECT BOOL_OR(done) AS x FROM notes WHERE owner = 7",
    "SELECT no FROM notes WHERE owner = 1 AND seen >= DATE '2024-03-02'",
    "SELECT no FROM notes WHERE owner = 1 AND seen BETWEEN DATE '2024-03-01' AND TIMESTAMP '2024-03-02'",
    "SELECT no FROM notes WHERE owner = 1 AND seen > day AND TIME '10:00' > TIME '09:59:59'",
    "SELECT no FROM notes WHERE owner = 1 AND day = seen",
    "SELECT no FROM notes WHERE owner = 1 AND seen < CURRENT_DATE AND DATE '2024-03-02' <= seen",
    "SELECT a.no AS x, b.no AS y FROM notes a JOIN notes b ON b.owner = a.owner AND b.seen = a.day WHERE a.owner = 1",
]


@pytest.fixture(scope="module")
def reference() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE notes ({COLUMNS})")
    for row in ROWS:
        seen = row["seen"]
        values = {**row, "seen": seen.replace(tzinfo=None) if isinstance(seen, datetime) else None}
        connection.execute("INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", list(values.values()))
    return connection


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    queries = "".join(f"CREATE QUERY q{number} AS {query};\n" for number, query in enumerate(ORDERED + UNORDERED))
    with piql.connect("embedded:") as database:
        database.deploy(piql.compile(SCHEMA + queries))
        database.load("notes", ROWS)
        yield database


@pytest.mark.parametrize(("number", "query"), list(enumerate(ORDERED + UNORDERED)))
def test_rows_are_those_of_duckdb(
    db: piql.Database, reference: duckdb.DuckDBPyConnection, number: int, query: str
) -> None:
    expected = reference.execute(query).fetchall()
    bound = piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};").queries["q"].bound
    page = db.execute(f"q{number}")
    rows = [tuple(row.values()) for row in page.rows]
    assert bound is not None
    assert page.operations <= bound.operations
    if query in ORDERED:
        assert rows == expected
    else:
        assert sorted(map(repr, rows)) == sorted(map(repr, expected))


@pytest.mark.parametrize("query", ORDERED + UNORDERED)
def test_what_is_formatted_means_the_same(query: str) -> None:
    text = f"{SCHEMA}CREATE QUERY q AS {query};"
    formatted = print_file(parse(Source(text)))
    assert piql.compile(formatted).queries["q"].logical == piql.compile(text).queries["q"].logical
    assert ("NULLS" in formatted) == ("NULLS" in query)


def test_pages_keep_the_order_of_nulls() -> None:
    query = "CREATE QUERY q AS SELECT no, mark FROM notes WHERE owner = 1 ORDER BY mark NULLS LAST, no PAGINATE 2;"
    with piql.connect("embedded:") as database:
        database.deploy(piql.compile(SCHEMA + query))
        database.load("notes", ROWS)
        rows, cursor = [], None
        for _ in range(6):
            page = database.execute("q", cursor=cursor)
            rows += [(row["mark"], row["no"]) for row in page.rows]
            cursor = page.cursor
            if cursor is None:
                break
    expected = sorted(((row["mark"], row["no"]) for row in ROWS if row["owner"] == 1), key=_nulls_last)
    assert rows == expected


def _nulls_last(key: tuple[object, ...]) -> tuple[bool, str]:
    return key[0] is None, str(key)


def test_an_order_that_an_index_gives_is_still_read_by_it() -> None:
    table = "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL);\n"
    for words in ("NULLS FIRST", "NULLS LAST", "DESC NULLS LAST", "DESC NULLS FIRST"):
        query = f"CREATE QUERY q AS SELECT id FROM t ORDER BY a {words} LIMIT 3;"
        assert piql.compile(table + query).queries["q"].is_bounded


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT BOOL_OR(mark) AS x FROM notes WHERE owner = 1", "BOOL_OR takes a BOOLEAN, and mark is an INT"),
        ("SELECT no FROM notes WHERE owner = 1 ORDER BY mark NULLS 3", "expected `LAST` or FIRST after NULLS"),
        ("SELECT no FROM notes WHERE owner = 1 AND day = DATE 'x'", "'x'"),
    ],
)
def test_what_does_not_fit_is_told(query: str, words: str) -> None:
    messages = [finding.message for finding in piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};").diagnostics]
    assert any(words in message for message in messages), messages
