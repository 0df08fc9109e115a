"""Queries of one scan take the fast path, with the same outcome as the ordinary way."""

from collections.abc import Iterator
from dataclasses import replace

import piql
import pytest
from piql.errors import BoundExceeded
from piql.runtime.execution.prepared_query import Page, PreparedQuery
from piql.store.base import Store
from piql.store.embedded.store import EmbeddedStore
from piql.store.stepwise.store import StepwiseStore

SOURCE = """
CREATE TABLE users (name VARCHAR(9) PRIMARY KEY, town VARCHAR(9), age INT);
CREATE TABLE posts (owner VARCHAR(9), number INT, PRIMARY KEY (owner, number));
CREATE QUERY one AS SELECT name, age + 1 AS next FROM users WHERE name = [1: name];
CREATE QUERY some AS SELECT name, age FROM users WHERE name IN [1: names] MAX 5;
CREATE QUERY latest AS SELECT number FROM posts WHERE owner = [1: name] ORDER BY number DESC LIMIT [2: count] MAX 5;
CREATE QUERY merged AS SELECT number FROM posts WHERE owner IN [1: names] MAX 3 ORDER BY number DESC LIMIT 4;
CREATE QUERY pages AS SELECT number FROM posts WHERE owner = [1: name] ORDER BY number PAGINATE 2;
CREATE QUERY early AS SELECT number FROM posts WHERE owner = [1: name] AND number < [2: end] LIMIT 5;
CREATE QUERY neighbours AS SELECT name FROM users WHERE town = [1: town] LIMIT 5;
"""
SHORT = {
    "one": ({"name": "ada"}, {"name": "eve"}, {"name": None}),
    "some": ({"names": ["ada", "eve", "bob"]}, {"names": []}),
    "latest": ({"name": "ada", "count": 3}, {"name": "ada", "count": 0}),
}
OF_ONE_REQUEST = ("one", "latest")  # those of several need a snapshot where there is one
LONG = {
    "merged": {"names": ["ada", "bob"]},
    "pages": {"name": "ada"},
    "early": {"name": "ada", "end": 3},
    "neighbours": {"town": "oslo"},
}


def filled(store: Store) -> piql.Database:
    database = piql.Database(store)
    database.deploy(piql.compile(SOURCE))
    database.load("users", [{"name": name, "town": "oslo", "age": at} for at, name in enumerate(("ada", "bob"))])
    database.load("posts", [{"owner": name, "number": at} for name in ("ada", "bob") for at in range(5)])
    return database


@pytest.fixture
def db() -> Iterator[piql.Database]:
    with filled(StepwiseStore()) as database:
        yield database


@pytest.fixture
def embedded() -> Iterator[piql.Database]:
    with filled(EmbeddedStore()) as database:
        yield database


def prepared(db: piql.Database, name: str) -> PreparedQuery:
    query = db._prepared.queries[name]
    assert isinstance(query, PreparedQuery)
    return query


def outcome(page: Page) -> tuple[object, ...]:
    return page.rows, page.cursor, page.operations, page.round_trips, page.attempts, page.statements


def assert_both_ways_agree(db: piql.Database, name: str) -> None:
    for parameters in SHORT[name]:
        db.observer = None
        short = db.execute(name, parameters)
        assert prepared(db, name)._fast_path is not None
        db.observer = lambda _: None  # who observes sees each operator, and goes the long way
        assert outcome(short) == outcome(db.execute(name, parameters))


@pytest.mark.parametrize("name", SHORT)
def test_the_short_way_gives_what_the_long_one_gives(db: piql.Database, name: str) -> None:
    assert_both_ways_agree(db, name)


@pytest.mark.parametrize("name", OF_ONE_REQUEST)
def test_a_query_of_one_request_goes_the_short_way_on_the_embedded_store_too(
    embedded: piql.Database, name: str
) -> None:
    assert_both_ways_agree(embedded, name)


@pytest.mark.parametrize("name", sorted(SHORT.keys() - OF_ONE_REQUEST | LONG.keys()))
def test_on_the_embedded_store_several_requests_go_the_long_way_which_is_of_one_moment(
    embedded: piql.Database, name: str
) -> None:
    assert embedded.execute(name, LONG.get(name) or SHORT[name][0]).rows
    assert prepared(embedded, name)._fast_path is None


@pytest.mark.parametrize("name", LONG)
def test_a_query_with_more_above_or_with_a_range_a_page_or_entries_goes_the_long_way(
    db: piql.Database, name: str
) -> None:
    assert db.execute(name, LONG[name]).rows
    assert prepared(db, name)._fast_path is None


def test_more_requests_than_the_bound_are_never_made(db: piql.Database) -> None:
    db.execute("some", {"names": ["ada"]})
    fast_path = prepared(db, "some")._fast_path
    assert fast_path is not None
    tight = replace(fast_path, bound=1).generate(None)
    with pytest.raises(BoundExceeded, match="stopped before request 2 of at most 1"):
        tight({"names": ["ada", "bob"]})
