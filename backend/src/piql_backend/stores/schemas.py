"""What is known of the store of an environment, and of the cluster behind it."""

from __future__ import annotations

from piql.store.schemes import StoreKind

from piql_backend.web.schemas import Read


class NodeRead(Read):
    """A node of the cluster, and whether the driver sees it."""

    address: str
    is_up: bool
    version: str
    datacenter: str
    rack: str


class ClusterRead(Read):
    """The cluster behind an environment; `replication` says how many copies of a row there are, and where."""

    keyspace: str
    replication: str
    consistency: str
    driver: str
    nodes: list[NodeRead]


class StoreRead(Read):
    """The store of an environment; passwords in its URL are left out. An embedded store has no `cluster`."""

    url: str
    kind: StoreKind
    healthy: bool
    message: str | None
    cluster: ClusterRead | None
