"""A policy asks as many copies as it says: if half of them are missing, EVENTUAL is answered, QUORUM not."""

from __future__ import annotations

from collections.abc import Callable

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from cluster.running import Cluster

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]
pytestmark = pytest.mark.cluster

LEVELS = ("eventual", "quorum", "session")
SOURCE = """
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE QUERY put AS INSERT INTO users (name, town) VALUES ([1: name], [2: town]);
CREATE QUERY usual AS SELECT town FROM users WHERE name = [1: name];
""" + "".join(
    f"CREATE QUERY {level} WITH READ {level.upper()} AS SELECT town FROM users WHERE name = [1: name];\n"
    for level in LEVELS
)
ADA = {"name": "ada"}


@pytest.mark.parametrize("consistency", ["LOCAL_QUORUM", "ONE"])
def test_each_policy_asks_as_many_copies_as_it_says(
    cluster: Cluster, cluster_url: Callable[[], str], consistency: str
) -> None:
    nodes = len(cluster.nodes)
    with piql.connect(f"{cluster_url()}&consistency={consistency}&retries=0") as db:
        db.deploy(piql.compile(SOURCE))
        db.execute("put", {**ADA, "town": "London"})
        for name in ("usual", *LEVELS):
            assert db.execute(name, ADA).rows == [{"town": "London"}]
        keyspace = db.store.keyspace_and_prefix[0]
        replication = "{{'class': 'NetworkTopologyStrategy', 'datacenter1': {}}}"
        alter = f"ALTER KEYSPACE {keyspace} WITH replication = {replication}"
        db.store.connection.change_schema([alter.format(2 * nodes)])  # a majority is one node more than there are
        try:
            answered = [name for name in ("usual", *LEVELS) if _is_answered(db, name, ADA)]
            assert answered == (["usual", "eventual"] if consistency == "ONE" else ["eventual"])
            assert not _is_answered(db, "put", {**ADA, "town": "Paris"})
        finally:
            db.store.connection.change_schema([alter.format(min(3, nodes))])
        assert db.execute("quorum", ADA).rows == [{"town": "London"}]


def test_a_write_to_all_copies_is_acknowledged_by_all_of_them_or_not_at_all(
    cluster: Cluster, cluster_url: Callable[[], str]
) -> None:
    nodes = len(cluster.nodes)
    put = "INSERT INTO users (name, town) VALUES ([1: name], [2: town]);\n"
    with piql.connect(f"{cluster_url()}&retries=0") as db:
        db.deploy(piql.compile(f"{SOURCE}CREATE QUERY to_all WITH WRITE ALL AS {put}"))
        for town in ("London", "Paris", "Paris"):  # the last one finds the row as it shall be
            db.execute("to_all", {**ADA, "town": town})
            assert db.execute("eventual", ADA).rows == [{"town": town}]
        if nodes < 3:  # with a copy more than nodes there would be no majority
            return
        keyspace = db.store.keyspace_and_prefix[0]
        replication = "{{'class': 'NetworkTopologyStrategy', 'datacenter1': {}}}"
        alter = f"ALTER KEYSPACE {keyspace} WITH replication = {replication}"
        db.store.connection.change_schema([alter.format(nodes + 1)])
        try:
            for town in ("Rome", "Paris"):
                with pytest.raises(piql.StoreUnavailable):
                    db.execute("to_all", {**ADA, "town": town})
            db.execute("put", {**ADA, "town": "Oslo"})
            assert db.execute("quorum", ADA).rows == [{"town": "Oslo"}]
        finally:
            db.store.connection.change_schema([alter.format(min(3, nodes))])


def _is_answered(db: piql.Database, name: str, parameters: dict[str, str]) -> bool:
    try:
        db.execute(name, parameters)
    except piql.StoreUnavailable:
        return False
    return True
