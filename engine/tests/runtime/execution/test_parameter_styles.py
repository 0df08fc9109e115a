"""Parameters written `?` and `$1` are called p1, p2, …, and mean what named ones mean."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest

SOURCE = """
CREATE TABLE t (id INT PRIMARY KEY, a INT, b TEXT, CARDINALITY LIMIT 50 (a));
CREATE QUERY put AS INSERT INTO t (id, a, b) VALUES (?, ?, ?);
CREATE QUERY change AS UPDATE t SET b = $2 WHERE id = $1;
CREATE QUERY places AS SELECT id FROM t WHERE a = ? AND id > ? ORDER BY id LIMIT ? MAX 5;
CREATE QUERY numbers AS SELECT id FROM t WHERE a = $2 AND id > $1 ORDER BY id;
CREATE QUERY among AS SELECT id FROM t WHERE id = ANY($1 MAX 3) ORDER BY id;
CREATE QUERY amongOthers AS SELECT id FROM t WHERE a = $1 AND id <> ALL($2 MAX 3) ORDER BY id;
CREATE QUERY one AS SELECT id FROM t WHERE id IN (?);
"""


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SOURCE))
        for number in range(1, 6):
            database.execute("put", {"p1": number, "p2": number % 2, "p3": "x"})
        yield database


def ids(db: piql.Database, query: str, *values: object) -> list[object]:
    page = db.execute(query, {f"p{number}": value for number, value in enumerate(values, start=1)})
    return [row["id"] for row in page.rows]


def test_a_question_mark_is_called_by_its_place_in_the_statement(db: piql.Database) -> None:
    assert ids(db, "places", 1, 1, 5) == [3, 5]
    assert ids(db, "places", 1, 1, 1) == [3]


def test_a_number_says_which_parameter_is_meant_wherever_it_stands(db: piql.Database) -> None:
    assert ids(db, "numbers", 1, 1) == [3, 5]
    db.execute("change", {"p1": 3, "p2": "y"})
    assert db.run("SELECT b FROM t WHERE id = $1", {"p1": 3}).rows == [{"b": "y"}]


def test_any_of_a_list_is_in_and_all_of_a_list_is_not_in(db: piql.Database) -> None:
    assert ids(db, "among", [5, 1, 99]) == [1, 5]
    assert ids(db, "amongOthers", 1, [5, 1]) == [3]


def test_a_list_of_any_has_its_max(db: piql.Database) -> None:
    with pytest.raises(piql.InvalidParameter, match="p1"):
        ids(db, "among", [1, 2, 3, 4])


def test_one_parameter_in_the_parentheses_of_in_is_one_value(db: piql.Database) -> None:
    assert ids(db, "one", 4) == [4]
    with pytest.raises(piql.InvalidParameter, match="p1"):
        ids(db, "one", [4])


def test_a_statement_counts_its_own_question_marks() -> None:
    queries = piql.compile(SOURCE).queries
    assert [parameter.name for parameter in queries["places"].parameters] == ["p1", "p2", "p3"]
    assert [parameter.name for parameter in queries["one"].parameters] == ["p1"]


def test_a_fix_writes_its_parameter_as_the_query_writes_them() -> None:
    table = "CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b), CARDINALITY LIMIT 9 (a));\n"
    query = f"{table}CREATE QUERY q AS SELECT COUNT(*) AS n FROM t WHERE c > "
    for written, added in (("?", "a = ?"), ("$1", "a = $2"), ("[c]", "a = [a]")):
        titles = [fix.title for finding in piql.compile(f"{query}{written};").diagnostics for fix in finding.fixes]
        assert any(added in title for title in titles), titles
