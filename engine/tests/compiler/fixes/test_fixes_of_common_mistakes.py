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


TREE = "CREATE TABLE stories (id INT PRIMARY KEY, merged INT REFERENCES stories, title TEXT);\n"
WITH_NULL = "CREATE TABLE stories (id INT PRIMARY KEY, merged INT NULL REFERENCES stories, title TEXT);\n"


@pytest.mark.parametrize(
    ("code", "query"),
    [
        ("null-value", "CREATE QUERY q AS INSERT INTO stories (id, merged) VALUES ([id], NULL);"),
        ("missing-value", "CREATE QUERY q AS INSERT INTO stories (id) VALUES ([id]);"),
        ("never-true", "CREATE QUERY q AS SELECT title FROM stories WHERE merged IS NULL LIMIT 5;"),
    ],
)
def test_a_foreign_key_that_ought_to_be_null_may_be_declared_so(code: str, query: str) -> None:
    (finding,) = (finding for finding in piql.compile(TREE + query).diagnostics if finding.code == code)
    (fix,) = finding.fixes
    assert fix.title == "Declare stories.merged as NULL"
    text = TREE + query
    for edit in fix.edits:
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert text == WITH_NULL + query
    assert code not in [finding.code for finding in piql.compile(text).diagnostics]


def test_a_column_that_says_not_null_or_is_a_part_of_the_key_is_not_declared_null() -> None:
    schema = "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY REFERENCES a, %s);"
    for column, query in (
        ("n INT NOT NULL REFERENCES a", "CREATE QUERY q AS SELECT id FROM b WHERE n IS NULL LIMIT 5;"),
        ("n INT", "CREATE QUERY q AS SELECT n FROM b WHERE id IS NULL LIMIT 5;"),
    ):
        (finding,) = piql.compile(schema % column + query).diagnostics
        assert (finding.code, finding.fixes) == ("never-true", ())


def test_of_two_columns_of_one_name_the_one_that_is_written_is_renamed() -> None:
    schema = "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY, a INT REFERENCES a);"
    query = "CREATE QUERY q AS SELECT b.id, a.* FROM b JOIN a ON a.id = b.a WHERE b.id = [b];"
    (finding,) = piql.compile(schema + query).diagnostics
    assert [fix.title for fix in finding.fixes] == ["Call the first one id2"]
