"""Only what nothing bounds is named: a read that rows of a bounded section would find is not."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE users (name INT PRIMARY KEY, town INT);
CREATE TABLE posts (owner INT, posted INT, about INT, PRIMARY KEY (owner, posted));
CREATE TABLE tags (tag INT, owner INT, posted INT, PRIMARY KEY (tag, owner, posted));
"""


def growing_tables_of(test: str) -> list[str]:
    query = f"CREATE QUERY q AS SELECT p.posted FROM posts p WHERE p.owner = [me] AND {test};"
    return [relation.table for relation in piql.compile(SCHEMA + query).queries["q"].unbounded]


@pytest.mark.parametrize(
    "test",
    [
        "EXISTS (SELECT 1 AS o FROM users u WHERE u.name = p.about)",
        "NOT EXISTS (SELECT 1 AS o FROM users u WHERE u.name = p.about AND u.town = 3)",
        "NOT EXISTS (SELECT 1 AS o FROM tags t WHERE t.tag = 2 AND t.owner = p.owner AND t.posted = p.posted)",
        "NOT EXISTS (SELECT 1 AS o FROM tags t JOIN users u ON u.name = t.owner "
        "WHERE t.tag = 2 AND t.owner = p.owner AND t.posted = p.posted)",
        "(p.posted = 3 OR EXISTS (SELECT 1 AS o FROM users u WHERE u.name = p.about))",
    ],
)
def test_what_each_row_looks_up_by_its_key_does_not_grow(test: str) -> None:
    assert growing_tables_of(test) == ["posts"]


def test_what_no_row_could_look_up_is_named_too() -> None:
    assert growing_tables_of("NOT EXISTS (SELECT 1 AS o FROM tags t WHERE t.tag <> 2)") == ["posts", "tags"]
    assert growing_tables_of("p.about NOT IN (SELECT u.name FROM users u WHERE u.town = 3)") == ["posts", "users"]


def test_what_could_lead_to_the_rows_if_it_were_limited_is_named_with_its_limit() -> None:
    select = "SELECT u.name FROM users u WHERE u.name IN (SELECT t.posted FROM tags t WHERE t.tag = [tag])"
    query = piql.compile(f"{SCHEMA}CREATE QUERY q AS {select};").queries["q"]
    assert [relation.table for relation in query.unbounded] == ["users", "tags"]
    fixes = {fix.title for diagnostic in query.diagnostics for fix in diagnostic.fixes}
    assert "Add CARDINALITY LIMIT 100 (tag) to tags" in fixes
