"""What a health check says."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from piql.store.schemes import StoreKind

from piql_backend.schema import Read


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


class ProblemRead(Read):
    """A problem, or with `is_over` one that the start has mended, and one thing to do about it."""

    what: Literal["store", "deployments", "observations", "history", "disk", "environment", "saves"]
    message: str
    help: str | None
    is_over: bool = False


class HealthRead(Read):
    """`status` is degraded while there is a problem that is not over.

    `instance_id` is new at each start, so a page sees that the backend was restarted.
    """

    status: Literal["ok", "degraded"]
    version: str
    instance_id: str
    started_at: datetime
    problems: list[ProblemRead]


class EnvironmentHealthRead(HealthRead):
    """The workbench as it serves one environment."""

    store: StoreRead
