"""Scalar functions give what DuckDB gives, and a wrong call is marked where it is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import duckdb
import piql
import pytest

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b DECIMAL(8, 2), c VARCHAR(40), x DOUBLE, n INT, y BLOB);\n"
AS_DUCKDB = "CREATE TABLE t (id INT, a INT, b DECIMAL(8, 2), c VARCHAR, x DOUBLE, n INT)"
ROW = {"id": 1, "a": 7, "b": Decimal("2.50"), "c": "Berkeley", "x": 0.5, "n": None}


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("t", [ROW])
        yield database


@pytest.fixture(scope="module")
def reference() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(AS_DUCKDB)
        connection.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", list(ROW.values()))
        yield connection


@pytest.mark.parametrize(
    "expression",
    [
        *("NULLIF(a, 7)", "NULLIF(a, 8)", "NULLIF(b, 2.5)", "NULLIF(b, 2.5e0)", "NULLIF(n, 1)", "NULLIF(a, n)"),
        *("NULLIF(c, 'Berkeley')", "NULLIF(x, 1)", "IFNULL(n, a)"),
        *("NULLIF(0.1, x / 5)", "NULLIF(b - 2.4, x / 5)", "NULLIF(x / 5, b - 2.4)", "NULLIF(b, a)", "NULLIF(a, b)"),
        *("GREATEST(a, n, 3)", "GREATEST(a, 7.5)", "GREATEST(b, x)", "GREATEST(c, 'a', 'Z')", "GREATEST(n, NULL)"),
        *("LEAST(a, n, 3)", "LEAST(b, a)", "LEAST(n)", "LEAST(x, b, a)"),
        *("CONCAT(c, NULL, '!')", "CONCAT(n, n)", "CONCAT(a, c, x, b)", "CONCAT(1.50, TRUE)"),
        *("REPLACE(c, 'e', '')", "REPLACE(c, '', 'x')", "REPLACE(c, 'e', 'ee')", "REPLACE(c, NULL, 'x')"),
        *("MOD(a, 3)", "MOD(-a, 3)", "MOD(b, 2)", "MOD(x, 2)", "SIGN(-a)", "SIGN(b)", "SIGN(x - x)", "SIGN(n)"),
        *("POWER(2, a)", "POWER(b, x)", "POW(a, -1)", "SQRT(b)", "SQRT(a)", "SQRT(x)"),
        *("LEFT(c, 3)", "LEFT(c, 0)", "LEFT(c, -3)", "LEFT(c, -9)", "LEFT(c, 99)", "LEFT(c, n)"),
        *("RIGHT(c, 3)", "RIGHT(c, 0)", "RIGHT(c, -3)", "RIGHT(c, -9)", "RIGHT(c, 99)"),
        *("CHAR_LENGTH(c)", "UCASE(c)", "LCASE(c)", "INSTR(c, 'k')"),
        *("POSITION('k' IN c)", "POSITION('' IN c)", "POSITION('z' IN c)", "STRPOS(c, 'ley')"),
        *("LTRIM('  a ')", "RTRIM('  a ')", "LTRIM('xxa', 'x')", "RTRIM('axyx', 'xy')", "TRIM('xax', 'x')"),
        *("LPAD(c, 10, 'xyz')", "LPAD(c, 3, 'x')", "LPAD(c, 0, 'x')", "LPAD(c, -1, 'x')", "RPAD(c, 11, 'xy')"),
    ],
)
def test_a_function_gives_what_duckdb_gives(
    db: piql.Database, reference: duckdb.DuckDBPyConnection, expression: str
) -> None:
    text = f"SELECT {expression} AS w FROM t WHERE id = 1"
    expected = reference.execute(text).fetchall()[0][0]
    given = db.run(text).rows[0]["w"]
    assert (given, type(given)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("POWER(0, -1)", None),
        ("POWER(-8, 0.5)", None),
        ("POWER(10, 400)", None),
        ("SQRT(-1)", None),
        ("MOD(a, 0)", None),
        ("LPAD('ab', 4)", "  ab"),
        ("RPAD('ab', 4, '')", "ab"),
    ],
)
def test_where_duckdb_raises_or_is_not_finite(db: piql.Database, expression: str, expected: object) -> None:
    assert db.run(f"SELECT {expression} AS w FROM t WHERE id = 1").rows == [{"w": expected}]


@pytest.mark.parametrize(
    "expression", ["LPAD(c, 2000000000)", "RPAD(c, [n])", "REPLACE(LPAD('', 9999999), ' ', 'abc')"]
)
def test_a_text_that_would_fill_the_memory_is_refused_before_it_is_made(db: piql.Database, expression: str) -> None:
    with pytest.raises(piql.NumberOutOfRange, match="characters is longer than"):
        db.run(f"SELECT {expression} AS w FROM t WHERE id = 1", {"n": 2**31 - 1} if "[n]" in expression else {})


@pytest.mark.parametrize(
    ("expression", "code", "marked"),
    [
        ("NULLIF(a, 'x')", "type-mismatch", "NULLIF(a, 'x')"),
        ("GREATEST(a, c)", "type-mismatch", "GREATEST(a, c)"),
        ("CONCAT(y)", "function-arguments", "y"),
        ("LEFT(a, 1)", "function-arguments", "a"),
        ("MOD(a)", "function-arguments", "MOD(a)"),
        ("MOD(a, c)", "type-mismatch", "MOD(a, c)"),
        ("POSITION('a', c)", "syntax-error", ","),
        ("IF(a, 1, 2)", "unknown-function", "IF"),
    ],
)
def test_a_wrong_call_is_marked_where_it_is_wrong(expression: str, code: str, marked: str) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT {expression} AS w FROM t WHERE id = 1;")
    errors = [finding for finding in compilation.diagnostics if finding.severity == "error"]
    assert [(finding.code, finding.span.text) for finding in errors] == [(code, marked)]


def test_a_left_join_is_not_made_inner_by_a_function_that_takes_null() -> None:
    schema = "CREATE TABLE t (id INT PRIMARY KEY, u INT);\nCREATE TABLE u (id INT PRIMARY KEY, c VARCHAR(9));\n"
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(schema))
        db.load("t", [{"id": 1, "u": 5}])
        for test in ("CONCAT(u.c, 'x') = 'x'", "GREATEST(u.id, 3) = 3", "LEAST(u.id, 3) = 3", "NULLIF(3, u.id) = 3"):
            text = f"SELECT t.id FROM t LEFT JOIN u ON u.id = t.u WHERE t.id = 1 AND {test}"
            assert db.run(text).rows == [{"id": 1}], test
