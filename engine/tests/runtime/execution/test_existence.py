"""SELECT EXISTS (…) without FROM says in one row whether a query finds anything, and reads its first row alone."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, a INT, n INT NOT NULL, CARDINALITY LIMIT 10 (n));
CREATE TABLE u (a INT, k INT, PRIMARY KEY (a, k));
"""
# a query, its bound of requests, and what it says for 1 and for 5
CASES = {
    "SELECT EXISTS (SELECT 1 FROM t WHERE id = :p) AS e": (1, True, False),
    "SELECT EXISTS (SELECT id, id FROM t WHERE n = :p) AS e": (1, True, False),
    "SELECT NOT EXISTS (SELECT 1 FROM u WHERE a = :p) AS e": (1, False, True),
    "SELECT EXISTS (SELECT 1 FROM u WHERE a = :p AND k > 7) AS e": (1, True, False),
    "SELECT EXISTS (SELECT 1 FROM t JOIN u ON u.a = t.a WHERE t.n = :p) AS e": (11, True, False),
    "SELECT EXISTS (SELECT 1 FROM u WHERE a = :p LIMIT 0) AS e": (0, False, False),
    "SELECT EXISTS (SELECT a FROM u WHERE a = :p ORDER BY k DESC) AS e": (1, True, False),
    "SELECT EXISTS (SELECT DISTINCT a FROM t WHERE n = :p) AS e": (1, True, False),
    "SELECT EXISTS (SELECT n FROM t WHERE n = :p GROUP BY n HAVING COUNT(*) > 1) AS e": (1, True, False),
    "SELECT EXISTS (SELECT id FROM t WHERE id = :p UNION SELECT k FROM u WHERE a = :p) AS e": (2, True, False),
    "SELECT EXISTS (SELECT COUNT(*) FROM t WHERE n = :p) AS e": (1, True, True),
}


@pytest.fixture(scope="module", params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        texts = (f"CREATE QUERY q{number} AS {text};\n" for number, text in enumerate(CASES))
        database.deploy(piql.compile(SCHEMA + "".join(texts)))
        database.load("t", [{"id": 1, "a": 1, "n": 1}, {"id": 2, "a": 9, "n": 1}])
        database.load("u", [{"a": 1, "k": 7}, {"a": 1, "k": 8}])
        yield database


@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES.items())))
def test_one_row_says_whether_there_is_any(
    db: piql.Database, number: int, case: tuple[str, tuple[int, bool, bool]]
) -> None:
    text, (bound, *expected) = case
    query = piql.compile(f"{SCHEMA}CREATE QUERY q AS {text};").queries["q"]
    assert query.bound is not None
    assert query.bound.operations == bound
    pages = [db.execute(f"q{number}", {"p": value}) for value in (1, 5)]
    assert [page.rows for page in pages] == [[{"e": answer}] for answer in expected]
    assert all(page.operations <= bound for page in pages)


def test_without_an_alias_the_column_is_called_exists(db: piql.Database) -> None:
    assert db.run("SELECT EXISTS (SELECT 1 FROM t WHERE id = 1)").rows == [{"exists": True}]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT 1 AS x", "missing-from"),
        ("SELECT EXISTS (SELECT 1 FROM nothing)", "unknown-table"),
        ("SELECT EXISTS (SELECT 1 FROM u WHERE a = 1 PAGINATE 2)", "nested-page"),
    ],
)
def test_what_has_no_answer_is_refused(text: str, code: str) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS {text};")
    assert [finding.code for finding in compilation.diagnostics if finding.severity == "error"] == [code]


def test_without_a_bound_it_is_refused_like_any_query() -> None:
    text = "SELECT EXISTS (SELECT 1 FROM t x JOIN t y ON y.a < x.a WHERE x.n = 1 AND y.id > x.id)"
    assert not piql.compile(f"{SCHEMA}CREATE QUERY q AS {text};").queries["q"].is_bounded
