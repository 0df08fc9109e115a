"""IS DISTINCT FROM compares as if NULL were a value, and an index finds what IS NOT DISTINCT FROM a parameter."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, n INT NOT NULL, CARDINALITY LIMIT 10 (n));
CREATE QUERY first AS SELECT id FROM t WHERE a IS NOT DISTINCT FROM :p ORDER BY id LIMIT 5;
CREATE QUERY page AS SELECT id FROM t WHERE a IS NOT DISTINCT FROM :p ORDER BY id PAGINATE 1;
CREATE QUERY group AS SELECT id FROM t WHERE n IS NOT DISTINCT FROM :p ORDER BY id;
CREATE QUERY change AS UPDATE t SET b = 9 WHERE id IS NOT DISTINCT FROM :id IF a IS NOT DISTINCT FROM :a;
""".replace("QUERY group", 'QUERY "group"').replace("QUERY first", 'QUERY "first"')
VALUES = ((1, 1, 1), (2, None, 1), (3, 2, None), (4, None, None))


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("t", [{"id": number, "a": a, "b": b, "n": 1} for number, a, b in VALUES])
        yield database


def ids(db: piql.Database, condition: str, **parameters: object) -> list[object]:
    text = f"SELECT id FROM t WHERE n = 1 AND {condition} ORDER BY id"
    return [row["id"] for row in db.run(text, parameters).rows]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a IS DISTINCT FROM b", [2, 3]),
        ("a IS NOT DISTINCT FROM b", [1, 4]),
        ("NOT a IS NOT DISTINCT FROM b", [2, 3]),
        ("a IS DISTINCT FROM 1", [2, 3, 4]),
        ("a IS NOT DISTINCT FROM 1", [1]),
        ("NOT (a IS NOT DISTINCT FROM 1)", [2, 3, 4]),
        ("a IS NOT DISTINCT FROM NULL", [2, 4]),
        ("NULL IS DISTINCT FROM a", [1, 3]),
        ("a IS NOT DISTINCT FROM 2.5", []),
        ("n IS NOT DISTINCT FROM a", [1]),
        ("a + 1 IS DISTINCT FROM b + 1", [2, 3]),
        ("(a IS NOT DISTINCT FROM b) = FALSE", [2, 3]),
        ("(a IS DISTINCT FROM b OR a IS NOT DISTINCT FROM 1)", [1, 2, 3]),
        ("CASE WHEN a IS NOT DISTINCT FROM b THEN FALSE ELSE TRUE END", [2, 3]),
    ],
)
def test_null_is_a_value(db: piql.Database, condition: str, expected: list[int]) -> None:
    assert ids(db, condition) == expected


def test_it_is_never_unknown(db: piql.Database) -> None:
    text = "SELECT a IS DISTINCT FROM b AS x, a IS NOT DISTINCT FROM :p AS y FROM t WHERE n = 1 ORDER BY id"
    rows = [tuple(row.values()) for row in db.run(text, {"p": None}).rows]
    assert rows == [(False, False), (True, True), (True, False), (False, True)]


@pytest.mark.parametrize(("value", "expected"), [(1, [1]), (2, [3]), (7, []), (None, [2, 4])])
def test_a_parameter_finds_its_value_or_null_by_an_index(
    db: piql.Database, value: int | None, expected: list[int]
) -> None:
    page = db.execute("first", {"p": value})
    assert [row["id"] for row in page.rows] == expected
    assert page.operations <= 2
    found: list[object] = []
    cursor = None
    while True:
        page = db.execute("page", {"p": value}, cursor=cursor)
        found += [row["id"] for row in page.rows]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == expected


def test_a_column_that_is_never_null_is_an_equality(db: piql.Database) -> None:
    compilation = piql.compile(SCHEMA)
    bounds = {name: query.bound.operations for name, query in compilation.queries.items() if query.bound is not None}
    assert (bounds["group"], bounds["first"]) == (1, 2)
    assert [row["id"] for row in db.execute("group", {"p": 1}).rows] == [1, 2, 3, 4]
    assert db.execute("group", {"p": None}).rows == []


def test_a_write_may_ask_for_a_row_as_it_was(db: piql.Database) -> None:
    db.execute("change", {"id": 4, "a": None})
    with pytest.raises(piql.ConditionFailed):
        db.execute("change", {"id": 3, "a": None})
    assert db.run("SELECT id, b FROM t WHERE id IN (3, 4) ORDER BY id").rows == [
        {"id": 3, "b": None},
        {"id": 4, "b": 9},
    ]


@pytest.mark.parametrize(
    ("condition", "code", "marked"),
    [
        ("a IS DISTINCT 1", "syntax-error", "1"),
        ("a IS DISTINCT FROM 'x'", "type-mismatch", "'x'"),
        ("(a, b) IS DISTINCT FROM 1", "row-value", "(a, b)"),
        ("nothing IS DISTINCT FROM 1", "unknown-column", "nothing"),
        ("a IS DISTINCT FROM 1 = TRUE", "syntax-error", "="),
    ],
)
def test_a_wrong_test_is_marked_once_where_it_is_wrong(condition: str, code: str, marked: str) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT id FROM t WHERE n = 1 AND {condition};")
    errors = [finding for finding in compilation.diagnostics if finding.severity == "error"]
    assert [(finding.code, finding.span.text) for finding in errors] == [(code, marked)]
