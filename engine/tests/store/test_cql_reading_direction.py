"""A cluster stores tables in descending order if they are read from the end, and reads by how a table is stored."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from piql.store.cql.store import BACKWARDS, CqlStore

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]

TABLE = "CREATE TABLE thoughts (owner VARCHAR(20), posted TIMESTAMP, mood INT, PRIMARY KEY (owner, posted));"
NEWEST = "CREATE QUERY newest AS SELECT posted FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC LIMIT 3;"
OLDEST = "CREATE QUERY oldest AS SELECT posted FROM thoughts WHERE owner = [1: me] ORDER BY posted LIMIT 3;"
BY_MOOD = """CREATE QUERY by_mood AS SELECT posted FROM thoughts WHERE owner = [1: me] AND mood = [2: mood]
ORDER BY posted {} PAGINATE 2;"""
START = datetime(2026, 1, 1, tzinfo=UTC)
TIMES = [START + timedelta(minutes=at) for at in range(7)]


def filled(database: piql.Database) -> CqlStore:
    rows = [{"owner": "ada", "posted": at, "mood": number % 2} for number, at in enumerate(TIMES)]
    database.load("thoughts", rows)
    assert isinstance(database.store, CqlStore)
    return database.store


def directions(store: CqlStore) -> dict[str, set[str]]:
    """Return how the tables of the prefix are clustered, by what their name begins with."""
    where = f"WHERE keyspace_name = '{store.address.keyspace}'"
    columns = store.connection.execute(f"SELECT table_name, clustering_order FROM system_schema.columns {where}")
    orders_of_table: dict[str, set[str]] = {}
    for table, order in columns:
        if table.startswith(store.address.prefix) and order != "none":
            orders_of_table.setdefault(table.removeprefix(store.address.prefix).partition("_by_")[0], set()).add(order)
    return orders_of_table


def times(page: piql.Page) -> list[datetime]:
    return [row["posted"] for row in page.rows]


@pytest.mark.cluster
def test_a_table_is_kept_as_the_queries_that_stop_early_read_it(cluster_url: Callable[[], str]) -> None:
    url = cluster_url()
    with piql.connect(url) as database:
        database.deploy(piql.compile(TABLE + NEWEST))
        store = filled(database)
        assert directions(store) == {"thoughts": {"desc"}}
        database.deploy(piql.compile(TABLE + NEWEST + OLDEST))  # a table that is there stays as it lies
        for opened in (database, piql.connect(url)):
            assert times(opened.execute("newest", {"me": "ada"})) == TIMES[:-4:-1]
            assert times(opened.execute("oldest", {"me": "ada"})) == TIMES[:3]
        assert directions(store) == {"thoughts": {"desc"}}


@pytest.mark.cluster
def test_tables_read_forwards_or_from_both_ends_lie_as_they_are_named(cluster_url: Callable[[], str]) -> None:
    with piql.connect(cluster_url()) as database:
        database.deploy(piql.compile(TABLE + NEWEST + OLDEST))
        store = filled(database)
        assert directions(store) == {"thoughts": {"asc"}}
        assert times(database.execute("newest", {"me": "ada"})) == TIMES[:-4:-1]
        assert times(database.execute("oldest", {"me": "ada"})) == TIMES[:3]


@pytest.mark.cluster
@pytest.mark.parametrize(("order", "expected"), [("DESC", TIMES[5::-2]), ("", TIMES[1::2])])
def test_pages_of_an_index_go_on_in_either_direction(
    cluster_url: Callable[[], str], order: str, expected: list[datetime]
) -> None:
    with piql.connect(cluster_url()) as database:
        database.deploy(piql.compile(TABLE + BY_MOOD.format(order)))
        filled(database)
        page = database.execute("by_mood", {"me": "ada", "mood": 1})
        more = database.execute("by_mood", {"me": "ada", "mood": 1}, cursor=page.cursor)
        assert times(page) + times(more) == expected


@pytest.mark.cluster
def test_a_table_that_another_deploy_made_meanwhile_is_read_as_it_lies(cluster_url: Callable[[], str]) -> None:
    with piql.connect(cluster_url()) as database:
        store = database.store
        assert isinstance(store, CqlStore)
        compilation = piql.compile(TABLE + NEWEST)
        table = compilation.tables["thoughts"]
        store.tables.create([store.layout(table, table.primary_index())])
        database.deploy(compilation)
        filled(database)
        assert directions(store) == {"thoughts": {"asc"}}
        assert BACKWARDS not in store.settings()
        assert times(database.execute("newest", {"me": "ada"})) == TIMES[:-4:-1]
