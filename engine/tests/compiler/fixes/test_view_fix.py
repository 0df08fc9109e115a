"""The fix that keeps a view: it compiles, says what writes pay, and gives what DuckDB gives for the query before."""

from __future__ import annotations

import random
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import duckdb
import piql
import pytest
from piql.text.diagnostics.diagnostic import Fix

COLUMNS = "id INT PRIMARY KEY, b INT NOT NULL, c VARCHAR(4), v INT, w DECIMAL(8, 2) NOT NULL, x DOUBLE"
TABLE = f"CREATE TABLE t ({COLUMNS});\n"
PUT = "CREATE QUERY put AS INSERT INTO t (id, b, c, v, w) VALUES ([id], [b], [c], [v], [w]);\n"


def view_fix(text: str) -> Fix | None:
    errors = [finding for finding in piql.compile({"a": text}).diagnostics if finding.severity == "error"]
    assert errors
    return next((fix for error in errors for fix in error.fixes if fix.title.startswith("Keep the view")), None)


def mended(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("select", "parameters"),
    [
        ("SELECT COUNT(*) FROM t WHERE b = [b]", {"b": 1}),
        ("SELECT COUNT(*) AS n, SUM(v) AS s, COUNT(v) AS m FROM t WHERE b = [b]", {"b": 99}),
        ("SELECT AVG(v) AS a FROM t WHERE b = [b]", {"b": 1}),
        ("SELECT AVG(w), SUM(w) AS s FROM t WHERE b = [b]", {"b": 99}),
        ("SELECT b, AVG(w) AS a FROM t GROUP BY b ORDER BY a DESC, b LIMIT 3", {}),
        ("SELECT COUNT(*) AS n, SUM(w) AS s FROM t x WHERE x.c = [c] AND x.b = 2", {"c": "a"}),
        ("SELECT b, COUNT(*) AS n, SUM(v) + COUNT(v) AS s FROM t WHERE b = [b] GROUP BY b", {"b": 2}),
        ("SELECT b, SUM(w) AS s FROM t GROUP BY b ORDER BY s DESC, b LIMIT 3", {}),
        ("SELECT t.b, COUNT(*) AS n FROM t WHERE t.c = [c] GROUP BY t.b ORDER BY COUNT(*) DESC, b LIMIT 2", {"c": "b"}),
        ("SELECT b, COUNT(v) AS n FROM t WHERE b > [b] GROUP BY b ORDER BY b LIMIT 5", {"b": 1}),
        (
            "SELECT COALESCE(c, 'no') AS c, COUNT(*) AS n FROM t GROUP BY COALESCE(c, 'no') ORDER BY n DESC, c LIMIT 2",
            {},
        ),
        ("SELECT COALESCE(x.c, 'a'), COUNT(v) FROM t AS x GROUP BY 1 ORDER BY 1 LIMIT 9", {}),
        ("SELECT IFNULL(c, '') || '!' AS k, SUM(w) AS s FROM t GROUP BY IFNULL(c, '') ORDER BY s LIMIT 9", {}),
        ("SELECT IFNULL(v, -7) AS k, AVG(w) AS a FROM t WHERE b = [b] GROUP BY k ORDER BY k LIMIT 9", {"b": 1}),
        ("SELECT COUNT(*) AS n, AVG(v) AS a FROM t WHERE COALESCE(c, 'b') = [c]", {"c": "b"}),
        ("SELECT COUNT(*) AS n FROM t WHERE [c] = COALESCE(c, 'b') AND b = [b]", {"c": "zz", "b": 2}),
        (
            "SELECT COALESCE(v, 1) AS v, COUNT(*) AS row_count FROM t WHERE COALESCE(c, 'b') = 'b' AND b = [b] "
            "GROUP BY COALESCE(v, 1) ORDER BY v LIMIT 9",
            {"b": 3},
        ),
    ],
)
def test_a_view_answers_what_the_refused_query_asks(select: str, parameters: Mapping[str, Any]) -> None:
    text = f"{TABLE}{PUT}CREATE QUERY q AS {select};"
    fix = view_fix(text)
    assert fix is not None
    text = mended(text, fix)
    compilation = piql.compile({"a": text})
    assert not compilation.has_errors
    chance = random.Random(3)
    rows = [
        (n, chance.randrange(5), chance.choice(("a", "b", None)), chance.choice((None, 1, -7)), Decimal(n) / 4)
        for n in range(60)
    ]
    with duckdb.connect() as duck, piql.connect("embedded:") as db:
        duck.execute(f"CREATE TABLE t ({COLUMNS})")
        duck.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, NULL)", rows)
        for name in parameters:
            select = select.replace(f"[{name}]", f"${name}")
        expected = duck.execute(select, dict(parameters) or None).fetchall()
        db.deploy(compilation)
        db.load("t", [dict(zip(("id", "b", "c", "v", "w"), row, strict=True)) for row in rows])
        page = db.execute("q", parameters)
    assert [tuple(row.values()) for row in page.rows] == expected
    bound = compilation.queries["q"].bound
    assert bound is not None
    assert page.operations <= bound.operations


def test_the_fix_says_what_each_write_pays() -> None:
    text = f"{TABLE}{PUT}CREATE QUERY q AS SELECT b, SUM(w) AS s FROM t GROUP BY b ORDER BY s DESC LIMIT 3;"
    fix = view_fix(text)
    assert fix is not None
    assert fix.cost == (
        "at most 1 request an execution; a write to t takes 8 more for each group that its row enters or leaves, "
        "and up to 4 to count itself once"
    )
    before = piql.compile({"a": TABLE + PUT}).queries["put"].bound
    after = piql.compile({"a": mended(text, fix)}).queries["put"].bound
    assert before is not None
    assert after is not None
    assert after.operations - before.operations == 2 * 8 + 3


@pytest.mark.parametrize(
    "select",
    [
        "SELECT COUNT(*) AS n FROM t",
        "SELECT AVG(x) AS m FROM t WHERE b = [b]",
        "SELECT SUM(x) AS s FROM t WHERE b = [b]",
        "SELECT COUNT(DISTINCT v) AS n FROM t WHERE b = [b]",
        "SELECT COUNT(*) AS n FROM t WHERE b = [b] AND w > 3",
        "SELECT c, COUNT(*) AS n FROM t GROUP BY c ORDER BY n LIMIT 3",
        "SELECT b, COUNT(*) AS n FROM t GROUP BY b HAVING COUNT(*) > 3 LIMIT 3",
        "SELECT COUNT(*) AS n FROM t WHERE b = [b] OR v = 3",
        "SELECT COUNT(*) AS n FROM t, t u WHERE t.b = [b] AND u.b = t.v",
        "SELECT COALESCE(c, 'no') AS k, COUNT(*) AS n FROM t WHERE c > [c] GROUP BY COALESCE(c, 'no') LIMIT 3",
        "SELECT COUNT(*) AS n FROM t WHERE COALESCE(c, 'no') = [c] AND c = [d]",
        "SELECT COALESCE(v, 0.5) AS k, COUNT(*) AS n FROM t GROUP BY COALESCE(v, 0.5) LIMIT 3",
        "SELECT COALESCE(c, [c]) AS k, COUNT(*) AS n FROM t GROUP BY COALESCE(c, [c]) LIMIT 3",
        "SELECT COALESCE(c, 'longer') AS k, COUNT(*) AS n FROM t GROUP BY COALESCE(c, 'longer') LIMIT 3",
    ],
)
def test_no_view_is_offered_that_would_not_answer_the_query(select: str) -> None:
    assert view_fix(f"{TABLE}CREATE QUERY q AS {select};") is None


def test_a_column_that_is_called_as_a_count_is_not_taken_for_the_count_of_the_view() -> None:
    table = "CREATE TABLE t (id INT PRIMARY KEY, b INT NOT NULL, row_count INT NOT NULL);\n"
    ask = "CREATE QUERY q AS SELECT b, COUNT(*) AS row_count FROM t WHERE b = [b]"
    assert view_fix(f"{table}{ask} AND row_count > 3 GROUP BY b;") is None
    fix = view_fix(f"{table}{ask} AND row_count = 3 GROUP BY b;")
    assert fix is not None
    assert "SELECT b, row_count, COUNT(*) AS row_count_2" in fix.edits[0].text


HELD = (
    "CREATE VIEW held AS SELECT COALESCE(c, 'no') AS c, COUNT(*) AS many, COUNT(v) AS with_v, SUM(v) AS total "
    "FROM t GROUP BY COALESCE(c, 'no');\n"
)


def test_a_view_that_holds_what_is_asked_is_read_and_none_is_added() -> None:
    ask = "CREATE QUERY q AS SELECT IFNULL(c, 'no') AS k, SUM(v) AS s FROM t GROUP BY k ORDER BY k LIMIT 3;"
    text = f"{TABLE}{HELD}{ask}"
    (error,) = [finding for finding in piql.compile({"a": text}).diagnostics if finding.severity == "error"]
    fix = next(fix for fix in error.fixes if "view" in fix.title)
    assert fix.title == "Read the view held of t"
    assert fix.price == "the answer stays the same; at most 1 request an execution"
    fixed = mended(text, fix)
    assert fixed.endswith("AS SELECT c AS k, total AS s FROM held ORDER BY k LIMIT 3;")
    assert not piql.compile({"a": fixed}).has_errors


@pytest.mark.parametrize(
    "held",
    [
        HELD.replace("'no'", "'none'"),
        HELD.replace(", COUNT(v) AS with_v, SUM(v) AS total", ""),
        HELD.replace("FROM t GROUP", "FROM t WHERE b > 3 GROUP"),
        HELD.replace("FROM t GROUP", "FROM t WHERE v IS NOT NULL GROUP"),
        HELD.replace("AS c,", "AS team,"),
        HELD.replace("c, 'no') AS c", "c, 'no') AS c, b").replace("BY COALESCE(c, 'no')", "BY COALESCE(c, 'no'), b"),
    ],
)
def test_a_view_of_other_rows_groups_or_names_is_not_read_in_its_place(held: str) -> None:
    ask = "CREATE QUERY q AS SELECT COALESCE(c, 'no') AS k, SUM(v) AS s FROM t GROUP BY k ORDER BY k LIMIT 3;"
    fix = view_fix(f"{TABLE}{held}{ask}")
    assert fix is not None
    assert fix.title == "Keep the view t_by_c of t"
