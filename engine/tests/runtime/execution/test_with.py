"""A query of WITH is a derived table wherever it is used: the same rows, the same bound."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, g INT, s VARCHAR(9), CARDINALITY LIMIT 9 (g));
CREATE TABLE u (id INT PRIMARY KEY, s VARCHAR(9));
"""
SPELLINGS = {
    "once": (
        "WITH x AS (SELECT id, s FROM t WHERE g = [g]) SELECT x.id FROM x WHERE x.s = 'b'",
        "SELECT x.id FROM (SELECT id, s FROM t WHERE g = [g]) x WHERE x.s = 'b'",
    ),
    "twice": (
        "WITH x AS (SELECT id, s FROM t WHERE g = [g]) SELECT a.id, b.id AS n FROM x a JOIN x b ON b.s = a.s",
        "SELECT a.id, b.id AS n FROM (SELECT id, s FROM t WHERE g = [g]) a"
        " JOIN (SELECT id, s FROM t WHERE g = [g]) b ON b.s = a.s",
    ),
    "one over another": (
        "WITH x AS (SELECT id, s FROM t WHERE g = [g] ORDER BY id LIMIT 2), y AS (SELECT MAX(id) AS id FROM x)"
        " SELECT u.s FROM y JOIN u ON u.id = y.id",
        "SELECT u.s FROM (SELECT MAX(id) AS id FROM (SELECT id, s FROM t WHERE g = [g] ORDER BY id LIMIT 2) x) y"
        " JOIN u ON u.id = y.id",
    ),
    "columns of a UNION in an order": (
        "WITH x (k, v) AS (SELECT id, s FROM t WHERE g = [g] UNION SELECT id, s FROM t WHERE g = 3"
        " ORDER BY s, id LIMIT 3) SELECT v, k FROM x ORDER BY k",
        "SELECT x.s AS v, x.id AS k FROM (SELECT id, s FROM t WHERE g = [g] UNION SELECT id, s FROM t WHERE g = 3"
        " ORDER BY s, id LIMIT 3) x ORDER BY x.id",
    ),
    "in a subquery": (
        "SELECT id FROM t WHERE g = [g] AND s IN (WITH x AS (SELECT s FROM u WHERE id = t.id) SELECT s FROM x)",
        "SELECT id FROM t WHERE g = [g] AND s IN (SELECT x.s FROM (SELECT s FROM u WHERE id = t.id) x)",
    ),
    "a name that hides a table": (
        "WITH u AS (SELECT id, s FROM t WHERE g = [g]) SELECT id FROM u",
        "SELECT u.id FROM (SELECT id, s FROM t WHERE g = [g]) u",
    ),
}


@pytest.fixture(scope="module", params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SCHEMA))
        letters = ["a", "b", None]
        database.load("t", [{"id": n, "g": n % 4, "s": letters[n % 3]} for n in range(20)])
        database.load("u", [{"id": n, "s": letters[n % 3]} for n in range(10)])
        yield database


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_rows_are_those_of_the_derived_table(db: piql.Database, spelling: str) -> None:
    with_names, derived = (db.run(text, {"g": 1}) for text in SPELLINGS[spelling])
    assert with_names.rows
    assert sorted(map(str, with_names.rows)) == sorted(map(str, derived.rows))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_bound_is_that_of_the_derived_table(spelling: str) -> None:
    text = "".join(f"CREATE QUERY q{number} AS {query};\n" for number, query in enumerate(SPELLINGS[spelling]))
    queries = piql.compile(SCHEMA + text).queries
    assert queries["q0"].bound is not None
    assert queries["q0"].bound == queries["q1"].bound


def test_a_query_without_a_bound_is_marked_inside_the_text_of_its_with() -> None:
    text = SCHEMA + "CREATE QUERY q AS WITH x AS (SELECT id FROM t WHERE s = 'b') SELECT id FROM x;"
    errors = [finding for finding in piql.compile(text).diagnostics if finding.severity == "error"]
    assert [(error.code, error.span.text) for error in errors] == [("unbounded-scan", "s = 'b'")]
    assert errors[0].fixes


def test_a_change_of_a_table_reaches_the_queries_that_read_it_through_a_name() -> None:
    query = "CREATE QUERY q AS WITH x AS (SELECT id FROM t WHERE g = 1) SELECT id FROM x;"
    assert not piql.compile(SCHEMA + query).has_errors
    assert [f.code for f in piql.compile(SCHEMA.replace("g INT", "h INT") + query).diagnostics if f.query == "q"]


def test_copies_of_copies_are_refused_before_they_are_many() -> None:
    entries = ["w0 AS (SELECT id FROM t WHERE id = 1)"]
    entries += [f"w{n} AS (SELECT a.id FROM w{n - 1} a, w{n - 1} b WHERE a.id = b.id)" for n in range(1, 30)]
    text = f"{SCHEMA}CREATE QUERY q AS WITH {', '.join(entries)} SELECT id FROM w29;"
    assert [finding.code for finding in piql.compile(text).diagnostics] == ["too-many"]


def test_a_name_that_nothing_reads_is_told_and_its_fix_removes_it() -> None:
    for entries, left in (
        ("x AS (SELECT id FROM t WHERE g = 1)", ""),
        ("x AS (SELECT id FROM t WHERE g = 1), y AS (SELECT id FROM u WHERE id = 2)", "y"),
    ):
        text = f"{SCHEMA}CREATE QUERY q AS WITH {entries} SELECT id FROM {left or 'u WHERE id = 3'};"
        (finding,) = piql.compile(text).diagnostics
        assert (finding.code, finding.severity, finding.span.text) == ("unused-with", "warning", "x")
        ((edit,),) = [fix.edits for fix in finding.fixes]
        assert piql.compile(text[: edit.start] + edit.text + text[edit.end :]).diagnostics == ()


def test_a_query_that_does_not_read_itself_has_no_levels() -> None:
    text = SCHEMA + "CREATE QUERY q AS WITH x AS (SELECT id FROM t WHERE g = 1) MAX 3 LEVELS SELECT id FROM x;"
    assert [(finding.code, finding.span.text) for finding in piql.compile(text).diagnostics] == [
        ("recursive-query", "3")
    ]


def test_a_column_list_of_another_length_is_refused() -> None:
    text = SCHEMA + "CREATE QUERY q AS WITH x (a, b) AS (SELECT id FROM t WHERE g = 1) SELECT a FROM x;"
    assert [finding.code for finding in piql.compile(text).diagnostics] == ["union-columns"]


def test_what_is_wrong_in_a_query_that_is_read_twice_is_said_once() -> None:
    text = SCHEMA + "CREATE QUERY q AS WITH x AS (SELECT nonsense FROM t WHERE g = 1) SELECT a.id FROM x a, x b;"
    assert [finding.code for finding in piql.compile(text).diagnostics] == ["unknown-column"]
