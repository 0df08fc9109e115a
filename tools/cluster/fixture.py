"""`cluster`: three nodes for the tests of one session, started at the first test that asks for them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cluster.running import Cluster, default_folder, found_cluster, running_cluster

_NUMBERS = itertools.count(1)
_STARTED: list[Cluster] = []
LOGS = Path(__file__).resolve().parents[2] / ".test-results" / "cluster"


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Run three nodes, or use those of `make cluster` when they run; the logs stay in .test-results/cluster.

    Each module that imports this fixture has one of its own. The first of them starts the nodes, and is the last to
    end: it ends them.
    """
    if _STARTED:
        yield _STARTED[0]
        return
    running = found_cluster(default_folder())
    if running.nodes and all(node.is_running() and node.answers() for node in running.nodes):
        yield running
        return
    with running_cluster(LOGS) as started:
        _STARTED.append(started)
        try:
            yield started
        finally:
            _STARTED.clear()


@pytest.fixture(scope="module")
def cluster_keyspace(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[str]:
    """Yield a keyspace that is dropped after the module: hundreds of tables make every change of a schema slow.

    That of the last module goes with the nodes, unless these were running before.
    """
    name = f"piql_tests_{os.getpid()}_{next(_NUMBERS)}"
    yield name
    is_last = request.session.items[-1].path == request.path
    if not (is_last and _STARTED):
        cluster.drop_keyspace(name)


@pytest.fixture
def cluster_url(cluster: Cluster, cluster_keyspace: str) -> Callable[[], str]:
    """Return the URL of a database that no other test has: a prefix of its own."""
    options = os.environ.get("PIQL_CLUSTER_OPTIONS", "")
    return lambda: cluster.url(cluster_keyspace, f"prefix=t{next(_NUMBERS)}_&timeout=30{options and '&'}{options}")
