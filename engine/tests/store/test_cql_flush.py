"""A flush makes a cluster's nodes write their memory to files, and leaves the options of tables as they were."""

from collections.abc import Callable

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from piql.store.cql.store import CqlStore

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]


@pytest.mark.cluster
def test_rows_lie_in_files_after_a_flush(cluster_url: Callable[[], str]) -> None:
    with piql.connect(cluster_url()) as database:
        database.deploy(piql.compile(_TEXT))
        database.load("users", [{"name": f"user {at}", "town": "x" * 20} for at in range(200)])
        store = database.store
        assert isinstance(store, CqlStore)
        assert _mebibytes(store) == 0
        store.flush()
        assert _mebibytes(store) == 1
        assert database.execute("town_of", {"name": "user 7"}).rows == [{"town": "x" * 20}]
        ((period,),) = store.connection.execute(
            f"SELECT memtable_flush_period_in_ms FROM system_schema.tables {_of_users(store)}"
        )
        assert period == 0


_TEXT = """
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE QUERY town_of AS SELECT town FROM users WHERE name = [name];
"""


def _mebibytes(store: CqlStore) -> int:
    """Return what the files of the table take on the node that answers, rounded up."""
    ((mebibytes,),) = store.connection.execute(f"SELECT mebibytes FROM system_views.disk_usage {_of_users(store)}")
    return int(mebibytes)


def _of_users(store: CqlStore) -> str:
    return f"WHERE keyspace_name = '{store.address.keyspace}' AND table_name = '{store.address.prefix}users'"
