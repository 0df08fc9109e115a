"""Whole numbers beside fractions: a filter and a range of an index give the same rows, on each kind of store."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import piql
import pytest

SCHEMA = (
    "CREATE TABLE t (g INT, v INT, b BIGINT, d DOUBLE, PRIMARY KEY (g, v), CARDINALITY LIMIT 40 (g));\n"
    "CREATE TABLE u (g INT, b BIGINT, PRIMARY KEY (g, b), CARDINALITY LIMIT 40 (g));\n"
)
VALUES = (-(2**31), -3, -2, -1, 0, 1, 2, 3, 2**31 - 1)
LARGE = (-(2**63), -(2**53) - 1, -1, 0, 2, 3, 2**53 + 1, 2**63 - 1)
LITERALS = (
    "2.5",
    "-2.5",
    "2.5e0",
    "-0.5",
    "0.001",
    "1e-300",
    "2.0",
    "99999999999999999999.5",
    "-99999999999999999999.5",
)
COMPARISONS = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "=": "__eq__", "<>": "__ne__"}


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("t", [{"g": 1, "v": value, "b": value, "d": value + 0.5} for value in VALUES])
        database.load("u", [{"g": 1, "b": value} for value in LARGE])
        yield database


@pytest.mark.parametrize("literal", LITERALS)
def test_a_fraction_bounds_a_range_of_whole_numbers_as_it_bounds_a_filter(db: piql.Database, literal: str) -> None:
    number = Fraction(Decimal(literal))
    for table, column, values in (("t", "v", VALUES), ("t", "b", VALUES), ("u", "b", LARGE)):
        for sign, method in COMPARISONS.items():
            expected = [value for value in values if getattr(Fraction(value), method)(number)]
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(sign, sign)
            for test in (
                f"{column} {sign} {literal}",
                f"{literal} {turned} {column}",
                f"{column} + 0 {sign} {literal}",
            ):
                statement = f"SELECT {column} FROM {table} WHERE g = 1 AND {test} ORDER BY {column} LIMIT 40"
                assert [row[column] for row in db.run(statement).rows] == expected, statement


def test_a_fraction_among_the_values_of_a_list_is_no_value_of_a_whole_number(db: piql.Database) -> None:
    assert db.run("SELECT v FROM t WHERE g = 1 AND v IN (1, 2.5, 3.0)").rows == [{"v": 1}, {"v": 3}]
    assert db.run("SELECT v FROM t WHERE g = 1 AND v BETWEEN 0.5 AND 2.5").rows == [{"v": 1}, {"v": 2}]
    assert db.run("SELECT v FROM t WHERE g = 1 AND v = 2.5").operations == 0


def test_a_column_is_compared_with_columns_of_other_numbers(db: piql.Database) -> None:
    assert len(db.run("SELECT v FROM t WHERE g = 1 AND v < d").rows) == len(VALUES)
    assert db.run("SELECT v FROM t WHERE g = 1 AND v * 1.0 > 2.5").rows == [{"v": 3}, {"v": 2**31 - 1}]
    assert db.run("SELECT v FROM t WHERE g = 1 AND d > [d] AND v < [d] AND v > 0", {"d": 2.25}).rows == [{"v": 2}]


def test_a_fraction_is_refused_where_a_whole_number_is_stored() -> None:
    compiled = piql.compile(SCHEMA + "CREATE QUERY q AS INSERT INTO t (g, v) VALUES (1, 2.5);")
    assert [diagnostic.message for diagnostic in compiled.diagnostics] == ["2.5 is not an INT"]


def test_constants_are_tested_for_null_without_a_warning(db: piql.Database) -> None:
    statement = "SELECT v, 1 IS NULL AS a, 'x' IS NOT NULL AS b, NULL IS NULL AS c FROM t WHERE g = 1 AND v = 0"
    assert db.run(statement).rows == [{"v": 0, "a": False, "b": True, "c": True}]
    assert len(db.run("SELECT v, b FROM t WHERE g = 1 ORDER BY 'x', b + 0").rows) == len(VALUES)
