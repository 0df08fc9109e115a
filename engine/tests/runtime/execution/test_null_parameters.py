"""A parameter may be NULL wherever SQL allows it, and then means what the literal NULL would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import piql
import pytest

SOURCE = """
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), n INT NOT NULL, d DECIMAL(8, 2), CARDINALITY LIMIT 50 (a));
CREATE TABLE u (a INT, k INT, PRIMARY KEY (a, k), CARDINALITY LIMIT 9 (a));
CREATE QUERY put AS INSERT INTO t (id, a, b, n, d) VALUES (:id, :a, :b, :n, :d);
CREATE QUERY keep AS INSERT INTO t (id, a, b, n) VALUES (:id, :a, COALESCE(:b, 'none'), :n + 0);
CREATE QUERY change AS UPDATE t SET b = :b, n = :n WHERE id = :id;
CREATE QUERY changeIf AS UPDATE t SET b = 'z' WHERE id = :id IF b = :b;
CREATE QUERY remove AS DELETE FROM t WHERE id = :id;
CREATE QUERY byKey AS SELECT b FROM t WHERE id = :id;
CREATE QUERY byPair AS SELECT k FROM u WHERE a = :a AND k = :k;
CREATE QUERY byLimit AS SELECT id FROM t WHERE a = :a ORDER BY id;
CREATE QUERY page AS SELECT id FROM t WHERE a = :a ORDER BY id PAGINATE 2;
CREATE QUERY optional AS SELECT id FROM t WHERE a = :a AND (:b IS NULL OR b = :b) ORDER BY id;
CREATE QUERY given AS SELECT id FROM t WHERE a = :a AND :b IS NOT NULL AND b = COALESCE(:b, 'x') ORDER BY id;
CREATE QUERY unlike AS SELECT id FROM t WHERE a = :a AND NOT b = :b ORDER BY id;
CREATE QUERY unlikeAny AS SELECT id FROM t WHERE a = :a AND b NOT IN (:b, 'q') ORDER BY id;
CREATE QUERY among AS SELECT k FROM u WHERE a IN (:a, :b) AND k >= 0 ORDER BY k;
CREATE QUERY beyond AS SELECT k FROM u WHERE a = :a AND k > :k ORDER BY k LIMIT 5;
CREATE QUERY inside AS SELECT k FROM u WHERE a = :a AND k BETWEEN :low AND :high ORDER BY k LIMIT 5;
CREATE QUERY joined AS SELECT t.id, u.k FROM t LEFT JOIN u ON u.a = t.a AND u.k = :k WHERE t.id = :id;
CREATE QUERY counted AS SELECT COUNT(*) AS c, MAX(n) AS m FROM t WHERE a = :a;
CREATE QUERY asked AS SELECT id FROM t WHERE id = :id AND NOT EXISTS (SELECT u.k FROM u WHERE u.a = :a AND u.k = t.n);
CREATE QUERY notIn AS SELECT id FROM t WHERE id = :id AND :k NOT IN (SELECT u.k FROM u WHERE u.a = :a);
CREATE QUERY computed AS SELECT :k + n AS s, COALESCE(b, :b) AS b, d > :d AS more, ABS(:x) AS x FROM t WHERE id = :id;
CREATE QUERY word AS SELECT id FROM t WHERE a = :a AND NOT b CONTAINS [w] ORDER BY id;
CREATE QUERY top AS SELECT id FROM t WHERE a = :a ORDER BY id LIMIT [count] MAX 5;
CREATE QUERY listed AS SELECT id FROM t WHERE id IN [ids] MAX 5;
"""


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SOURCE))
        rows = [(1, 1, None, 5), (2, 1, "x", 6), (3, 1, "y", 7), (4, None, "x", 8)]
        database.load("t", [dict(zip(("id", "a", "b", "n"), row, strict=True)) for row in rows])
        database.load("u", [{"a": 1, "k": number} for number in (5, 6)])
        yield database


def rows(db: piql.Database, query: str, **parameters: object) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in db.execute(query, parameters).rows]


def test_a_column_that_may_be_null_takes_it(db: piql.Database) -> None:
    db.execute("put", {"id": 9, "a": None, "b": None, "n": 1, "d": None})
    assert db.run("SELECT * FROM t WHERE id = 9").rows == [{"id": 9, "a": None, "b": None, "n": 1, "d": None}]
    db.execute("change", {"id": 2, "b": None, "n": 2})
    assert rows(db, "byKey", id=2) == [(None,)]
    db.execute("keep", {"id": 10, "a": 1, "b": None, "n": 1})
    assert rows(db, "byKey", id=10) == [("none",)]


def test_a_column_that_is_never_null_refuses_it_and_names_the_parameter(db: piql.Database) -> None:
    for query, parameters, message in (
        (
            "put",
            {"id": None, "a": 1, "b": None, "n": 1, "d": None},
            r"\[id\] is NULL: t\.id is part of the",
        ),
        ("put", {"id": 9, "a": 1, "b": None, "n": None, "d": None}, r"\[n\] is NULL: t\.n is NOT NULL and cannot"),
        ("change", {"id": 2, "b": "x", "n": None}, r"\[n\] is NULL: t\.n is NOT NULL and cannot be NULL"),
        ("keep", {"id": 9, "a": 1, "b": None, "n": None}, r"t\.n is NOT NULL and cannot be NULL"),
    ):
        with pytest.raises(piql.ConstraintViolation, match=message):
            db.execute(query, parameters)
    assert rows(db, "byKey", id=2) == [("x",)]


def test_a_write_by_a_key_that_is_null_finds_no_row(db: piql.Database) -> None:
    assert db.execute("remove", {"id": None}).operations == 0
    assert db.execute("change", {"id": None, "b": "w", "n": 1}).operations == 0
    assert len(rows(db, "byLimit", a=1)) == 3
    with pytest.raises(piql.ConditionFailed, match="b = :b does not hold"):
        db.execute("changeIf", {"id": 1, "b": None})


@pytest.mark.parametrize("strategy", ["parallel", "simple", "lazy"])
def test_what_is_equal_to_null_is_found_nowhere_and_asked_nobody(
    db: piql.Database, strategy: Literal["parallel", "simple", "lazy"]
) -> None:
    asked: tuple[tuple[str, dict[str, object]], ...] = (
        ("byKey", {"id": None}),
        ("byPair", {"a": 1, "k": None}),
        ("byPair", {"a": None, "k": 5}),
        ("byLimit", {"a": None}),
        ("page", {"a": None}),
        ("among", {"a": None, "b": None}),
        ("beyond", {"a": 1, "k": None}),
        ("inside", {"a": 1, "low": 1, "high": None}),
        ("inside", {"a": 1, "low": None, "high": 9}),
        ("optional", {"a": None, "b": None}),
    )
    for query, parameters in asked:
        page = db.execute(query, parameters, strategy=strategy)
        assert (page.rows, page.operations, page.cursor) == ([], 0, None), query


def test_a_filter_that_is_left_out_by_null_keeps_all(db: piql.Database) -> None:
    assert rows(db, "optional", a=1, b=None) == [(1,), (2,), (3,)]
    assert rows(db, "optional", a=1, b="x") == [(2,)]
    assert rows(db, "given", a=1, b=None) == []
    assert rows(db, "given", a=1, b="x") == [(2,)]


def test_a_comparison_with_null_is_neither_true_nor_false(db: piql.Database) -> None:
    assert rows(db, "unlike", a=1, b=None) == []
    assert rows(db, "unlike", a=1, b="x") == [(3,)]
    assert rows(db, "unlikeAny", a=1, b=None) == []
    assert rows(db, "among", a=1, b=None) == [(5,), (6,)]
    assert rows(db, "word", a=1, w=None) == []
    assert rows(db, "word", a=1, w="X") == [(3,)]


def test_joins_subqueries_and_aggregates_take_null_as_no_match(db: piql.Database) -> None:
    assert rows(db, "joined", id=1, k=None) == [(1, None)]
    assert rows(db, "joined", id=1, k=5) == [(1, 5)]
    assert rows(db, "counted", a=None) == [(0, None)]
    assert rows(db, "asked", id=1, a=None) == [(1,)]
    assert rows(db, "asked", id=1, a=1) == []


def test_null_is_not_known_to_be_in_no_list(db: piql.Database) -> None:
    assert rows(db, "notIn", id=1, k=None, a=1) == []
    assert rows(db, "notIn", id=1, k=7, a=1) == [(1,)]
    assert rows(db, "notIn", id=1, k=None, a=None) == [(1,)]


def test_what_is_computed_of_null_is_null(db: piql.Database) -> None:
    assert rows(db, "computed", id=2, k=None, b=None, d=None, x=None) == [(None, "x", None, None)]


def test_a_count_a_list_and_a_value_of_a_list_are_never_null(db: piql.Database) -> None:
    asked: tuple[tuple[str, dict[str, object], str], ...] = (
        ("top", {"a": 1, "count": None}, r"\[count\] is NULL: expected an INT from 0 to 5"),
        ("listed", {"ids": None}, r"\[ids\] is NULL: expected a list"),
        ("listed", {"ids": [1, None]}, r"\[ids\] holds NULL"),
        ("byKey", {}, r"\[id\] is missing"),
    )
    for query, parameters, message in asked:
        with pytest.raises(piql.InvalidParameter, match=message):
            db.execute(query, parameters)
