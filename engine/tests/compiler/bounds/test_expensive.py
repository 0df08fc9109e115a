"""What is bounded, and still too expensive: the warning, its thresholds, and what it points at."""

from __future__ import annotations

import piql
import pytest
from piql import Diagnostic

FOLLOWS = """
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64));
CREATE TABLE follows (owner VARCHAR(32), target VARCHAR(32), CARDINALITY LIMIT {limit} (owner),
                      PRIMARY KEY (owner, target));
CREATE QUERY friends AS
SELECT u.hometown FROM follows f JOIN users u ON u.username = f.target WHERE f.owner = [me];
"""


def expensive(text: str) -> list[Diagnostic]:
    return [finding for finding in piql.compile(text).diagnostics if finding.code.startswith("expensive-")]


def test_a_query_of_a_thousand_requests_is_not_expensive_and_of_one_more_it_is() -> None:
    assert expensive(FOLLOWS.format(limit=999)) == []
    (finding,) = expensive(FOLLOWS.format(limit=1000))
    assert finding.severity == "warning"
    assert finding.message == "one execution may make 1,001 requests; above 1,000 a query is called expensive"
    assert (finding.query, finding.span.text) == ("friends", "friends")


def test_the_warning_points_at_the_limit_that_makes_the_bound_large() -> None:
    (finding,) = expensive(FOLLOWS.format(limit=4321))
    assert [(label.span.text, label.text) for label in finding.labels] == [
        ("4321", "at most 4321 follows share one owner")
    ]


def test_rows_and_bytes_have_thresholds_of_their_own() -> None:
    schema = (
        "CREATE TABLE notes (id INT PRIMARY KEY, owner INT, body VARCHAR({width}), CARDINALITY LIMIT 20000 (owner));"
    )
    query = "CREATE QUERY q AS SELECT {columns} FROM notes WHERE owner = [me];"
    few = "SET expensive_rows = 100000;"
    (rows,) = expensive(schema.format(width=10) + query.format(columns="id"))
    assert "may read 20,000 rows" in rows.message
    assert expensive(few + schema.format(width=10) + query.format(columns="id")) == []
    (bytes_read,) = expensive(few + schema.format(width=1000) + query.format(columns="body"))
    assert "may fetch" in bytes_read.message
    assert "bytes" in bytes_read.message


def test_the_bytes_of_a_column_without_a_length_are_a_guess_and_make_nothing_expensive() -> None:
    schema = "CREATE TABLE notes (id INT PRIMARY KEY, owner INT, body TEXT, CARDINALITY LIMIT 100 (owner));"
    text = schema + "CREATE QUERY q AS SELECT body FROM notes WHERE owner = [me];"
    assert {finding.code for finding in piql.compile(text).diagnostics} == {"unsized-column"}


def test_a_write_is_expensive_by_the_words_that_it_indexes() -> None:
    schema = "CREATE TABLE articles (id INT PRIMARY KEY, body VARCHAR(3000));"
    search = "CREATE QUERY search AS SELECT id FROM articles WHERE body CONTAINS [word] LIMIT 10;"
    (finding,) = expensive(
        schema + search + "CREATE QUERY add AS INSERT INTO articles (id, body) VALUES ([id], [body]);"
    )
    assert (finding.code, finding.query) == ("expensive-write", "add")
    assert finding.help[0] == (
        "3,000 of them are new entries of articles_by_token_body, before the row is there and after"
    )


ITEMS = """
CREATE TABLE items (id INT PRIMARY KEY, title VARCHAR({length}), stock INT);
CREATE QUERY search AS SELECT {columns} FROM items WHERE title CONTAINS [word] LIMIT 10;
CREATE QUERY sell AS UPDATE items SET stock = [stock] WHERE id = [id];
"""


def test_a_write_is_expensive_by_the_copies_that_a_query_of_all_columns_makes_it_keep() -> None:
    (finding,) = expensive(ITEMS.format(length=64, columns="*"))
    assert (finding.query, finding.span.text) == ("sell", "sell")
    assert finding.message == (
        "one execution may make 68 requests; without the copies of stock in items_by_token_title it would make 2"
    )
    assert [(label.span.text, label.text) for label in finding.labels] == [
        (
            "stock = [stock]",
            "a row has 32 entries in items_by_token_title with a copy of stock, one for each word of title",
        )
    ]


@pytest.mark.parametrize(
    ("length", "columns"), [pytest.param(64, "id, title", id="not copied"), pytest.param(13, "*", id="few words")]
)
def test_few_copies_make_no_write_expensive(length: int, columns: str) -> None:
    assert expensive(ITEMS.format(length=length, columns=columns)) == []


def test_the_copies_of_a_write_are_allowed_by_a_comment() -> None:
    text = ITEMS.format(length=64, columns="*").replace(
        "CREATE QUERY sell", "-- allow(expensive-write): a title has few words\nCREATE QUERY sell"
    )
    assert [finding.severity for finding in expensive(text)] == ["info"]


def test_an_application_sets_its_thresholds_and_an_edit_of_them_reaches_every_query() -> None:
    compiler = piql.compiler.Compiler()
    text = FOLLOWS.format(limit=500)
    files = {"settings.piql": "SET expensive_requests = 600;", "app.piql": text}
    assert compiler.compile(files).diagnostics == ()
    lower = compiler.compile({**files, "settings.piql": "SET expensive_requests = 60;"})
    assert [finding.code for finding in lower.diagnostics] == ["expensive-query"]
    assert compiler.compile(files).diagnostics == ()


def test_an_unknown_setting_is_an_error_with_the_nearest_as_a_fix_and_a_second_one_is_refused() -> None:
    (unknown,) = piql.compile("SET expensive_row = 5;").diagnostics
    assert (unknown.code, [fix.title for fix in unknown.fixes]) == ("unknown-setting", ["Write expensive_rows"])
    (twice,) = piql.compile("SET expensive_rows = 5; SET expensive_rows = 5;").diagnostics
    assert twice.code == "duplicate-setting"
    assert [finding.code for finding in piql.compile("SET expensive_rows = 0;").diagnostics] == ["bad-number"]
    (text,) = piql.compile("SET expensive_rows = 'many';").diagnostics
    assert text.message == "expected the number of a setting, but found `'many'`"
