"""SELECTs that are not deployed, compiled elsewhere and run over the deployment that they were compiled for."""

from __future__ import annotations

import pickle

import piql
import pytest
from piql.client.selects import Selects
from piql.compiler import compile_statement
from piql.compiler.result import CompiledQuery
from piql.runtime.deployment import Redeployed

from .conftest import SCHEMA

STREAM = "SELECT posted FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC PAGINATE 3"


def compiled(db: piql.Database, text: str) -> CompiledQuery:
    """A statement as it comes from another process."""
    query: CompiledQuery = pickle.loads(pickle.dumps(compile_statement(text, db.deployment.compilation)))
    return query


def test_a_select_gives_what_run_gives_within_its_bound(db: piql.Database) -> None:
    query = compiled(db, STREAM)
    assert query.bound is not None
    selects = Selects(db)
    cursor: str | None = None
    rows, has_more = 0, True
    while has_more:
        page = selects.run(query, db.deployment, {"me": "a"}, cursor)
        assert page.operations <= query.bound.operations
        assert page.rows == db.run(STREAM, {"me": "a"}, cursor).rows
        rows += len(page.rows)
        cursor, has_more = page.cursor, page.cursor is not None
    assert rows == 10


@pytest.mark.parametrize("end", ["LIMIT 3", "PAGINATE 3"])
@pytest.mark.parametrize("further", ["", "UNION ALL SELECT id, day FROM posts WHERE kind = [k]"])
def test_a_statement_may_be_run_where_all_that_it_reads_is_deployed_for_a_query_of_the_same_words(
    further: str, end: str
) -> None:
    table = "CREATE TABLE posts (id INT PRIMARY KEY, author INT NULL, town INT NULL, day INT NULL, kind INT NULL);"
    text = (
        f"SELECT id, day FROM posts WHERE author = 2 AND town = 3 OR town = 5 AND kind = 6 {further} ORDER BY day {end}"
    )
    deployed = piql.compile(f"{table} CREATE QUERY q AS {text};")
    assert not deployed.has_errors
    query = compile_statement(text, deployed)
    assert query.bound is not None
    assert deployed.queries["q"].bound is not None
    assert query.bound.operations == deployed.queries["q"].bound.operations


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("INSERT INTO users (username) VALUES ('new')", "only a SELECT"),
        ("UPDATE users SET hometown = 'Rome' WHERE username = 'a'", "only a SELECT"),
        ("DELETE FROM users WHERE username = 'a'", "only a SELECT"),
        ("CREATE TABLE extra (id INT PRIMARY KEY)", "one statement"),
        ("SELECT username FROM users", "users"),
        ("SELECT owner FROM thoughts WHERE text = 'x' LIMIT 5", "not deployed"),
        ("SELECT nothing FROM users WHERE username = 'a'", "nothing"),
    ],
)
def test_what_writes_has_no_bound_or_needs_an_index_is_refused_and_changes_nothing(
    db: piql.Database, text: str, reason: str
) -> None:
    before, rows = db.deployment, db.some_rows("users", ["username", "hometown"], 20)
    with pytest.raises(piql.CompilationRefused, match=reason):
        Selects(db).run(compiled(db, text), db.deployment)
    assert db.deployment is before
    assert db.some_rows("users", ["username", "hometown"], 20) == rows


def test_a_select_that_meets_another_version_is_not_answered(db: piql.Database) -> None:
    query, before = compiled(db, STREAM), db.deployment
    db.deploy(piql.compile(f"{SCHEMA}\nCREATE TABLE extra (id INT PRIMARY KEY);"))
    with pytest.raises(Redeployed):
        Selects(db).run(query, before, {"me": "a"})
