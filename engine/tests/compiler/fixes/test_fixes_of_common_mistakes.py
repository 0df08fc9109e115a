"""Fixes of what users of other SQL write first: NOT IN with a LIMIT, a name in brackets, a write of a whole table."""

from __future__ import annotations

import duckdb
import piql
import pytest
from piql.text.diagnostics.diagnostic import Fix

SCHEMA = "CREATE TABLE users (id INT PRIMARY KEY, town VARCHAR(9), age INT, born DATE);\n"
ROWS = [(number, "abcd"[number % 4], None if number == 7 else number % 5, None) for number in range(12)]


def finding_of(query: str) -> piql.Diagnostic:
    (finding,) = piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};").diagnostics
    return finding


def applied(query: str, fix: Fix) -> str:
    text = f"{SCHEMA}CREATE QUERY q AS {query};"
    for edit in reversed(fix.edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("test", "ranges"),
    [
        ("age NOT IN (3, 1, 3)", "(age < 1 OR age > 1 AND age < 3 OR age > 3)"),
        ("town NOT IN ('c', 'a')", "(town < 'a' OR town > 'a' AND town < 'c' OR town > 'c')"),
    ],
)
def test_not_in_is_read_as_the_ranges_between_its_values(test: str, ranges: str) -> None:
    query = f"SELECT id FROM users WHERE {test} LIMIT 20"
    (fix,) = finding_of(query).fixes
    assert fix.title == "Read what is between the values"
    assert "the answer stays the same" in fix.consequence
    assert applied(query, fix) == f"{SCHEMA}CREATE QUERY q AS SELECT id FROM users WHERE {ranges} LIMIT 20;"
    reference = duckdb.connect()
    reference.execute("CREATE TABLE users (id INT, town VARCHAR, age INT, born DATE)")
    reference.executemany("INSERT INTO users VALUES (?, ?, ?, ?)", ROWS)
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(applied(query, fix)))
        db.load("users", [dict(zip(("id", "town", "age", "born"), row, strict=True)) for row in ROWS])
        page = db.execute("q")
        bound = piql.compile(applied(query, fix)).queries["q"].bound
    assert bound is not None
    assert page.operations <= bound.operations
    assert {row["id"] for row in page.rows} == {key for (key,) in reference.execute(query).fetchall()}


@pytest.mark.parametrize("test", ["born NOT IN ('2024-02-01', '2024-01-01')", "age NOT IN [ages] MAX 3"])
def test_not_in_of_values_whose_order_is_unknown_is_not_rewritten(test: str) -> None:
    fixes = finding_of(f"SELECT id FROM users WHERE {test} LIMIT 20").fixes
    assert "Read what is between the values" not in [fix.title for fix in fixes]


def test_a_column_in_brackets_is_offered_without_them() -> None:
    query = "SELECT [Town] FROM users WHERE id = [id]"
    finding = finding_of(query)
    assert finding.help[0] == "brackets make a parameter: write town without them for the column"
    (fix,) = finding.fixes
    assert applied(query, fix).endswith("SELECT town FROM users WHERE id = [id];")


def test_a_parameter_that_is_no_column_has_no_such_fix() -> None:
    assert finding_of("SELECT [x] FROM users WHERE id = [id]").fixes == ()


@pytest.mark.parametrize("write", ["DELETE FROM users WHERE town = [t]", "UPDATE users SET age = 1 WHERE age > 3"])
def test_a_write_without_a_bound_is_told_of_no_pages(write: str) -> None:
    finding = finding_of(write)
    (line,) = finding.help
    assert line.endswith("or add LIMIT")
    assert not any("PAGINATE" in fix.title for fix in finding.fixes)
