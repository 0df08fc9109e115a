"""When a prefix in a keyspace of a cluster counts as empty: a first start may then put sample data there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from piql.errors import CompilationRefused
from piql.store.base import Store
from piql.store.cql.address import parse_address
from piql.store.cql.opening import open_link
from piql.store.open import open_store

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]
pytestmark = pytest.mark.cluster

TABLE = "CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));"
PAGES = "CREATE QUERY pages AS SELECT name FROM users ORDER BY name PAGINATE 2;"


@pytest.fixture(params=["scylla", pytest.param("rust", marks=pytest.mark.long)])
def url(request: pytest.FixtureRequest, cluster_url: Callable[[], str]) -> str:
    return f"{cluster_url()}&driver={request.param}"


def is_empty(url: str) -> bool:
    store: Store = open_store(url)
    with closing(store):
        return store.is_empty()


def execute(url: str, cql: str) -> None:
    """Do what another program does in a keyspace."""
    link = open_link(parse_address(url))
    with closing(link):
        link.change_schema([cql])


def test_a_prefix_is_empty_until_something_is_deployed_to_it(url: str) -> None:
    with piql.connect(url) as db:
        assert db.store.is_empty()
        with pytest.raises(CompilationRefused):
            db.deploy(piql.compile("CREATE QUERY broken AS SELECT"))
        assert db.store.is_empty()
    assert is_empty(url)
    with piql.connect(url) as db:
        db.deploy(piql.compile(TABLE + PAGES))
        assert not db.store.is_empty()
    assert not is_empty(url)


def test_a_deployment_whose_tables_were_dropped_is_no_empty_store(cluster_url: Callable[[], str]) -> None:
    url = cluster_url()
    with piql.connect(url) as db:
        db.deploy(piql.compile(TABLE))
    address = parse_address(url)
    execute(url, f"DROP TABLE {address.keyspace}.{address.prefix}users")
    assert not is_empty(url)
