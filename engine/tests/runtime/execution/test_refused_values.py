"""A value that does not fit its type: the message has the parameter, the value, the type and the form accepted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import piql
import pytest

SOURCE = """
CREATE TABLE t (k INT PRIMARY KEY, i INT NULL, b BIGINT NULL, x DOUBLE NULL, d DECIMAL(5, 2) NULL, o BOOLEAN NULL,
    s VARCHAR(5) NULL, e TEXT NULL, l BLOB NULL, ts TIMESTAMP NULL, dt DATE NULL, u UUID NULL, tu TIMEUUID NULL);
CREATE QUERY put AS INSERT INTO t (k, i, b, x, d, o, s, e, l, ts, dt, u, tu)
    VALUES ([k], [i], [b], [x], [d], [o], [s], [e], [l], [ts], [dt], [u], [tu]);
CREATE QUERY everything AS SELECT k FROM t WHERE k = 1;
CREATE QUERY listed AS SELECT k FROM t WHERE k IN [keys] MAX 3;
CREATE QUERY one AS SELECT k FROM t WHERE k = [k];
"""
NAMES = ("k", "i", "b", "x", "d", "o", "s", "e", "l", "ts", "dt", "u", "tu")
INT = "a whole number from -2147483648 to 2147483647"
BIGINT = "a whole number from -9223372036854775808 to 9223372036854775807"


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:?synchronous=NORMAL") as database:
        database.deploy(piql.compile(SOURCE))
        yield database


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("i", "x", f"[i] is 'x': expected an INT, {INT}"),
        ("i", 2**31, f"[i] is 2147483648: expected an INT, {INT}"),
        ("i", True, f"[i] is TRUE: expected an INT, {INT}"),
        ("i", 1.5, f"[i] is 1.5: expected an INT, {INT}"),
        ("b", "x", f"[b] is 'x': expected a BIGINT, {BIGINT}"),
        ("b", -(2**63) - 1, f"[b] is -9223372036854775809: expected a BIGINT, {BIGINT}"),
        ("x", math.nan, "[x] is nan: it is not finite; expected a DOUBLE, a number"),
        ("x", math.inf, "[x] is a number above 1.8e308: it is too large; expected a DOUBLE, a number"),
        ("x", -math.inf, "[x] is a number below -1.8e308: it is too large; expected a DOUBLE, a number"),
        ("i", math.inf, f"[i] is a number above 1.8e308: expected an INT, {INT}"),
        ("x", True, "[x] is TRUE: expected a DOUBLE, a number"),
        ("d", "1,5", "[d] is '1,5': expected a DECIMAL, a number, or a text such as '12.50'"),
        (
            "d",
            Decimal("NaN"),
            "[d] is NaN: it is not finite; expected a DECIMAL, a number, or a text such as '12.50'",
        ),
        ("o", 1, "[o] is 1: expected a BOOLEAN, TRUE or FALSE"),
        ("s", 5, "[s] is 5: expected a VARCHAR, a text"),
        ("l", "abc", "[l] is 'abc': expected a BLOB, bytes"),
        ("ts", "1.2.2026", "[ts] is '1.2.2026': expected a TIMESTAMP, a moment such as '2026-01-31T12:00:00Z'"),
        (
            "ts",
            datetime(2026, 1, 1),
            "[ts] is '2026-01-01T00:00:00.000': it has no time zone; "
            "expected a TIMESTAMP, a moment such as '2026-01-31T12:00:00Z'",
        ),
        ("dt", "01/02/2026", "[dt] is '01/02/2026': expected a DATE, a day such as '2026-01-31'"),
        ("u", 5, "[u] is 5: expected a UUID, an id such as '123e4567-e89b-12d3-a456-426614174000'"),
        (
            "tu",
            "123e4567-e89b-42d3-a456-426614174000",
            "[tu] is '123e4567-e89b-42d3-a456-426614174000': it is a UUID of version 4, which holds no time; "
            "expected a TIMEUUID, a UUID of version 1 such as '123e4567-e89b-12d3-a456-426614174000'",
        ),
    ],
)
def test_a_message_names_value_parameter_type_and_form_once(
    db: piql.Database, name: str, value: object, words: str
) -> None:
    with pytest.raises(piql.InvalidParameter) as refusal:
        db.execute("put", dict.fromkeys(NAMES) | {"k": 1, name: value})
    assert str(refusal.value) == words


def test_a_value_in_a_list_is_named_as_one(db: piql.Database) -> None:
    with pytest.raises(piql.InvalidParameter) as refusal:
        db.execute("listed", {"keys": [1, "x"]})
    assert str(refusal.value) == f"[keys] holds 'x': expected a list of at most 3 INT values, each {INT}"


@pytest.mark.parametrize("given", [5, "k", [], ["k"], (("k", 1),), True, object()])
@pytest.mark.parametrize("query", ["everything", "one", "put"])
@pytest.mark.parametrize("strategy", ["parallel", "simple", "lazy"])
def test_parameters_that_are_no_mapping_are_refused(db: piql.Database, strategy: Any, query: str, given: Any) -> None:
    with pytest.raises(piql.InvalidParameter, match=r"the parameters are an? \w+: give values by name, such as \{"):
        db.execute(query, given, strategy=strategy)


def test_any_mapping_is_taken(db: piql.Database) -> None:
    assert db.execute("one", MappingProxyType({"k": 1})).rows == []
    assert db.execute("everything", MappingProxyType({})).rows == []


@pytest.mark.parametrize("row", [(1, 2), "k", 5])
def test_a_row_to_load_that_is_no_mapping_is_refused(db: piql.Database, row: Any) -> None:
    with pytest.raises(piql.ConstraintViolation, match="give its columns by name"):
        db.load("t", [row])
