"""CASE gives the value beside the first test that is true, and computes no other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import piql
import pytest
from piql.errors import NumberOutOfRange

SCHEMA = """
CREATE TABLE t (
  id INT PRIMARY KEY, a INT, b DECIMAL(8, 2), c TEXT, d DATE, x DOUBLE, f BOOLEAN, CARDINALITY LIMIT 10 (a)
);
CREATE TABLE u (a INT, k INT, PRIMARY KEY (a, k), CARDINALITY LIMIT 9 (a));
CREATE QUERY labelled AS
SELECT id, CASE WHEN a > 1 THEN 'more' WHEN a = 1 THEN 'one' END AS w FROM t WHERE id IN (1, 2, 4);
"""
ROWS = [
    {"id": 1, "a": 1, "b": "1.5", "c": "p", "d": "2020-01-01", "x": 1.5, "f": True},
    {"id": 2, "a": 2, "b": "2.5", "c": "q", "d": None, "x": 2.5, "f": False},
    {"id": 3, "a": 2, "b": None, "c": None, "d": "2021-01-01", "x": None, "f": None},
    {"id": 4, "a": None, "b": None, "c": None, "d": None, "x": None, "f": None},
]


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("t", ROWS)
        database.load("u", [{"a": 1, "k": 5}, {"a": 2, "k": 7}])
        yield database


def column(db: piql.Database, text: str, **parameters: object) -> list[object]:
    """Return the last value of each row of a SELECT."""
    return [list(row.values())[-1] for row in db.run(text, parameters).rows]


def test_a_deployed_query_with_a_case_gives_null_without_else(db: piql.Database) -> None:
    rows = db.execute("labelled").rows
    assert rows == [{"id": 1, "w": "one"}, {"id": 2, "w": "more"}, {"id": 4, "w": None}]


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("CASE WHEN f THEN 'yes' WHEN NOT f THEN 'no' ELSE 'unknown' END", ["yes", "no", "unknown"]),
        ("CASE a WHEN 1 THEN 1 WHEN 2 THEN 2.5 END", [Decimal(1), Decimal("2.5"), Decimal("2.5")]),
        ("CASE c WHEN 'p' THEN 1 ELSE 2 END", [1, 2, 2]),
        ("CASE c WHEN 'p' THEN b WHEN 'q' THEN a END", [Decimal("1.5"), Decimal(2), None]),
        ("CASE WHEN f THEN a ELSE x END", [1.0, 2.5, None]),
        ("CASE WHEN c IS NULL THEN '2026-01-31' ELSE d END", [date(2020, 1, 1), None, date(2026, 1, 31)]),
        ("CASE WHEN f THEN c = 'p' ELSE a = 2 END", [True, True, True]),
        ("CASE WHEN TRUE THEN CASE a WHEN 1 THEN 'i' ELSE 'j' END END", ["i", "j", "j"]),
        (
            "CASE WHEN EXISTS (SELECT k FROM u WHERE u.a = t.a AND k = 5) THEN 'has' ELSE 'none' END",
            ["has", "none", "none"],
        ),
        ("CASE a WHEN 1 THEN (SELECT COUNT(*) FROM u WHERE u.a = t.a) ELSE -1 END", [1, -1, -1]),
        ("CASE WHEN f THEN NULL ELSE NULL END", [None, None, None]),
    ],
)
def test_a_case_in_a_select_list(db: piql.Database, expression: str, values: list[object]) -> None:
    given = column(db, f"SELECT id, {expression} AS w FROM t WHERE a IN (1, 2) ORDER BY id")
    assert given == values
    assert [type(value) for value in given] == [type(value) for value in values]


def test_a_case_in_conditions_orders_groups_and_aggregates(db: piql.Database) -> None:
    assert column(db, "SELECT id FROM t WHERE a IN (1, 2) AND CASE WHEN f THEN c = 'p' ELSE a = 9 END") == [1]
    assert column(db, "SELECT id FROM t WHERE a = CASE WHEN :p = 'x' THEN 1 ELSE 2 END ORDER BY id", p="y") == [2, 3]
    ordered = "SELECT id FROM t WHERE a IN (1, 2) ORDER BY CASE WHEN c = 'q' THEN 0 ELSE 1 END, id DESC"
    assert column(db, ordered) == [2, 3, 1]
    assert column(db, "SELECT SUM(CASE WHEN f THEN 10 ELSE 1 END) AS n FROM t WHERE a IN (1, 2)") == [12]
    key = "CASE WHEN f THEN 'yes' ELSE 'no' END"
    assert column(db, f"SELECT {key} AS k, COUNT(*) AS n FROM t WHERE a IN (1, 2) GROUP BY {key} ORDER BY k") == [2, 1]
    assert column(db, f"SELECT {key} AS k FROM t WHERE a IN (1, 2) GROUP BY {key} HAVING COUNT(*) > 1") == ["no"]


def test_only_the_value_that_is_chosen_may_raise(db: piql.Database) -> None:
    text = "SELECT CASE WHEN a = 1 THEN 0 ELSE 9223372036854775807 + a END AS w FROM t WHERE a = :a"
    assert column(db, text, a=1) == [0]
    with pytest.raises(NumberOutOfRange):
        column(db, text, a=2)


def test_a_case_of_parameters_takes_the_type_of_its_other_values(db: piql.Database) -> None:
    text = "SELECT CASE WHEN a = 1 THEN :p WHEN a = 2 THEN :q ELSE d END AS w FROM t WHERE a IN (1, 2) ORDER BY id"
    assert column(db, text, p=date(2000, 1, 1), q=None) == [date(2000, 1, 1), None, None]


def test_set_computes_a_case_from_the_row_as_it_was(db: piql.Database) -> None:
    change = (
        "UPDATE t SET a = a + 1, c = CASE a WHEN 1 THEN 'was 1' ELSE c END, d = CASE WHEN f THEN :d END WHERE id = :id"
    )
    db.run(change, {"id": 1, "d": date(2026, 1, 1)})
    db.run(change, {"id": 2, "d": date(2026, 1, 1)})
    rows = db.run("SELECT a, c, d FROM t WHERE id IN (1, 2) ORDER BY id").rows
    assert rows == [{"a": 2, "c": "was 1", "d": date(2026, 1, 1)}, {"a": 3, "c": "q", "d": None}]


def test_rows_that_a_left_join_did_not_find_keep_their_case(db: piql.Database) -> None:
    text = (
        "SELECT t.id, CASE WHEN u.k IS NULL THEN 'none' ELSE 'some' END AS w "
        "FROM t LEFT JOIN u ON u.a = t.a AND u.k = 7 WHERE t.a IN (1, 2) "
        "AND CASE WHEN u.k = 7 THEN FALSE ELSE TRUE END"
    )
    assert column(db, text) == ["none"]


@pytest.mark.parametrize(
    ("expression", "code", "marked"),
    [
        ("CASE WHEN a THEN 1 END", "not-a-condition", "a"),
        ("CASE WHEN f THEN 1 ELSE 'x' END", "type-mismatch", "CASE WHEN f THEN 1 ELSE 'x' END"),
        ("CASE a WHEN 'x' THEN 1 END", "type-mismatch", "'x'"),
        ("CASE a WHEN NULL THEN 1 END", "null-comparison", "NULL"),
        ("CASE nothing WHEN 1 THEN 1 WHEN 2 THEN 2 END", "unknown-column", "nothing"),
        ("CASE WHEN f THEN :p END", "parameter-type-unknown", ":p"),
        ("CASE END", "syntax-error", "AS"),
        ("CASE WHEN f END", "syntax-error", "END"),
        ("CASE WHEN f THEN 1 ELSE 2", "syntax-error", "AS"),
        ("CASE WHEN SUM(a) > 1 THEN b END", "not-grouped", "b"),
    ],
)
def test_a_case_that_is_wrong_is_marked_once_where_it_is_wrong(expression: str, code: str, marked: str) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT {expression} AS w FROM t WHERE a = 1;")
    assert [(finding.code, finding.span.text) for finding in compilation.diagnostics] == [(code, marked)]


def test_a_case_nests_as_deep_as_python_can_read_it() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(SCHEMA))
        db.load("t", ROWS)
        for form in (
            "CASE WHEN {} = 1 THEN a END",
            "CASE WHEN f THEN COALESCE({}, ABS(b)) END",
            "CASE {} WHEN a THEN b END",
        ):
            expression = "a"
            while not piql.compile(
                f"{SCHEMA}CREATE QUERY q AS SELECT {form.format(expression)} AS w FROM t WHERE id = 1;"
            ).diagnostics:
                expression = form.format(expression)
            db.run(f"SELECT {expression} AS w FROM t WHERE id = 1")


@pytest.mark.parametrize(
    "form", ["CASE {} WHEN TRUE THEN TRUE WHEN FALSE THEN FALSE END", "({} BETWEEN FALSE AND TRUE)"]
)
def test_what_is_compared_again_and_again_is_refused_before_it_takes_long(form: str) -> None:
    expression = "f"
    for _ in range(12):
        expression = form.format(expression)
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT {expression} AS w FROM t WHERE id = 1;")
    assert [finding.code for finding in compilation.diagnostics] == ["too-many"]


def test_a_case_has_five_hundred_whens_at_most() -> None:
    def findings(count: int) -> list[str]:
        whens = " ".join(f"WHEN a = {number} THEN {number}" for number in range(count))
        text = f"{SCHEMA}CREATE QUERY q AS SELECT CASE {whens} END AS w FROM t WHERE id = 1;"
        return [finding.code for finding in piql.compile(text).diagnostics]

    assert findings(500) == []
    assert findings(501) == ["too-many"]
