"""CAST and :: convert a value while a query runs, and what does not fit is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import piql
import pytest

SCHEMA = """
CREATE TABLE t (
  id INT PRIMARY KEY, a INT, b DECIMAL(8, 2), c VARCHAR(40), d DATE, x DOUBLE, f BOOLEAN, v VARCHAR(3), y BLOB,
  CARDINALITY LIMIT 10 (a)
);
CREATE QUERY readAs AS SELECT CAST(c AS INT) + 1 AS n, c::INT AS w FROM t WHERE id = :id;
"""
ROWS = [
    {"id": 1, "a": 1, "b": "1.5", "c": "12", "d": "2020-01-01", "x": 1.5, "f": True, "v": "ab"},
    {"id": 2, "a": 2, "b": "2.5", "c": "two", "d": None, "x": 2.5e10, "f": False, "v": None},
]


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("t", ROWS)
        yield database


def value(db: piql.Database, expression: str, **parameters: object) -> object:
    """Return what an expression gives for the first row."""
    return next(iter(db.run(f"SELECT {expression} AS w FROM t WHERE id = 1", parameters).rows[0].values()))


def test_a_deployed_query_reads_texts_as_numbers_and_refuses_others(db: piql.Database) -> None:
    assert db.execute("readAs", {"id": 1}).rows == [{"n": 13, "w": 12}]
    with pytest.raises(piql.ConversionFailed, match=r"^CAST\(c AS INT\): 'two' is not a number$"):
        db.execute("readAs", {"id": 2})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CAST(a AS TEXT)", "1"),
        ("b::TEXT", "1.50"),
        ("(b + 1)::TEXT", "2.50"),
        ("x::TEXT || '!'", "1.5!"),
        ("b::INT", 2),
        ("x::INT", 2),
        ("-x::INT", -2),
        ("-2.5e0::INT", -2),
        ("(-1)::TEXT", "-1"),
        ("b::DECIMAL(3, 1)", Decimal("1.5")),
        ("f::INT", 1),
        ("f::TEXT", "true"),
        ("(a = 2)::TEXT", "false"),
        ("a::BOOLEAN", True),
        ("d::TEXT", "2020-01-01"),
        ("d::TIMESTAMP", datetime(2020, 1, 1, tzinfo=UTC)),
        ("d::TIMESTAMP::TEXT", "2020-01-01 00:00:00"),
        ("CAST('2026-01-31' AS DATE)", date(2026, 1, 31)),
        ("2.5::INT", 3),
        ("1.50::TEXT", "1.50"),
        ("NULL::INT", None),
        ("v::VARCHAR(2)", "ab"),
        ("CASE WHEN c = '12' THEN 0 ELSE (v || '')::VARCHAR(9)::TEXT::INT END", 0),
    ],
)
def test_a_value_as_another_type(db: piql.Database, expression: str, expected: object) -> None:
    given = value(db, expression)
    assert (given, type(given)) == (expected, type(expected))


def test_a_parameter_takes_the_type_of_its_cast_and_finds_rows_by_key(db: piql.Database) -> None:
    query = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT a FROM t WHERE id = :id::INT;").queries["q"]
    assert query.bound is not None
    assert query.bound.operations == 1
    assert [str(parameter.type) for parameter in query.parameters] == ["INT"]
    assert db.run("SELECT a FROM t WHERE id = :id::INT", {"id": 1}).rows == [{"a": 1}]
    assert db.run("SELECT a FROM t WHERE id = '1'::INT").rows == [{"a": 1}]
    assert value(db, "CAST(:day AS DATE)", day=date(2026, 1, 31)) == date(2026, 1, 31)


def test_a_number_outside_of_the_type_is_refused_and_nothing_is_written(db: piql.Database) -> None:
    with pytest.raises(piql.NumberOutOfRange):
        db.run("UPDATE t SET a = (x * 1e10)::INT, c = 'changed' WHERE id = 1")
    with pytest.raises(piql.ConversionFailed):
        db.run("UPDATE t SET v = c::VARCHAR(1) WHERE id = 1")
    assert value(db, "c") == "12"
    db.run("UPDATE t SET c = a::TEXT, a = c::INT WHERE id = 1")
    assert db.run("SELECT a, c FROM t WHERE id = 1").rows == [{"a": 12, "c": "1"}]


@pytest.mark.parametrize(
    ("expression", "code", "marked"),
    [
        ("'x'::INT", "type-mismatch", "'x'::INT"),
        ("d::INT", "type-mismatch", "d::INT"),
        ("y::TEXT", "type-mismatch", "y::TEXT"),
        ("d::DATUM", "unknown-type", "DATUM"),
        ("CAST(d AS VARCHAR(0))", "bad-number", "VARCHAR(0)"),
        ("CAST(d, INT)", "syntax-error", ","),
        ("CAST(d AS INT", "syntax-error", "AS"),
        ("CAST(nothing AS INT)", "unknown-column", "nothing"),
        ("d::", "syntax-error", "AS"),
        ("a::INT::", "syntax-error", "AS"),
    ],
)
def test_a_cast_that_is_wrong_is_marked_once_where_it_is_wrong(expression: str, code: str, marked: str) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT {expression} AS w FROM t WHERE id = 1;")
    assert [(finding.code, finding.span.text) for finding in compilation.diagnostics] == [(code, marked)]
