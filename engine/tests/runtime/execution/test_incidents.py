"""A store made to lie: executions say so, and answer from what they may rely on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from piql.runtime.execution.incidents import Incident
from piql.runtime.execution.strategy import Strategy

SOURCE = """
CREATE TABLE users (name VARCHAR(9) PRIMARY KEY, town VARCHAR(9), bio VARCHAR(4000));
CREATE TABLE follows (
  owner VARCHAR(9), target VARCHAR(9), PRIMARY KEY (owner, target), CARDINALITY LIMIT 3 (owner)
);
CREATE QUERY following AS SELECT target FROM follows WHERE owner = [1: me];
CREATE QUERY of_both AS SELECT target FROM follows WHERE owner IN [1: us] MAX 2;
CREATE QUERY after AS SELECT target FROM follows WHERE owner = [1: me] AND target > [2: start];
CREATE QUERY first AS SELECT target FROM follows WHERE owner = [1: me] LIMIT 2;
CREATE QUERY friends AS
SELECT g.target FROM follows f JOIN follows g ON g.owner = f.target WHERE f.owner = [1: me];
CREATE QUERY neighbours AS SELECT name, bio FROM users WHERE town = [1: town] LIMIT 5;
"""
PASSED = Incident("limit-passed", "follows", "CARDINALITY LIMIT 3 (owner)")
STRATEGIES: tuple[Strategy, ...] = ("lazy", "simple", "parallel")


@pytest.fixture
def lying(tmp_path: Path) -> Iterator[piql.Database]:
    """A store in which ada follows 5 where 3 are allowed, and eve's record is gone, but not her index entry."""
    file = tmp_path / "store.db"
    with piql.connect(f"embedded:{file}") as db:
        db.deploy(piql.compile(SOURCE))
        db.load("users", [{"name": name, "town": "oslo", "bio": ""} for name in ("ada", "bob", "eve")])
        db.load("follows", [{"owner": owner, "target": "ada"} for owner in ("bob", "ada")])
    with sqlite3.connect(file) as behind:
        behind.executemany('INSERT INTO "table follows" VALUES (?, ?)', [("ada", name) for name in "bcde"])
        behind.execute("""DELETE FROM "table users" WHERE name = 'eve'""")
    behind.close()
    with piql.connect(f"embedded:{file}") as db:
        yield db


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("query", "parameters", "rows", "requests"),
    [
        ("following", {"me": "ada"}, 3, 1),
        ("of_both", {"us": ["ada", "bob"]}, 4, 2),
        ("after", {"me": "ada", "start": ""}, 3, 1),
        ("friends", {"me": "bob"}, 3, 2),
    ],
)
def test_a_limit_that_is_passed_is_told_and_the_rows_beyond_it_are_left_out(
    lying: piql.Database, strategy: Strategy, query: str, parameters: dict[str, object], rows: int, requests: int
) -> None:
    page = lying.execute(query, parameters, strategy=strategy)
    assert (len(page.rows), page.operations, page.incidents) == (rows, requests, (PASSED,))
    assert str(PASSED) == "a group of follows has more rows than its CARDINALITY LIMIT 3 (owner) allows"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_entry_without_its_record_is_told_and_its_row_is_left_out(lying: piql.Database, strategy: Strategy) -> None:
    page = lying.execute("neighbours", {"town": "oslo"}, strategy=strategy)
    assert [row["name"] for row in page.rows] == ["ada", "bob"]
    assert page.incidents == (Incident("dangling-entry", "users"),)


def test_what_is_within_its_limits_is_no_incident(lying: piql.Database) -> None:
    for query, parameters in (
        ("following", {"me": "bob"}),
        ("of_both", {"us": ["bob", "eve"]}),
        ("after", {"me": "ada", "start": "c"}),
        ("first", {"me": "ada"}),
        ("neighbours", {"town": "rome"}),
    ):
        assert lying.execute(query, parameters).incidents == ()
