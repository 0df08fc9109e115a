"""A file or a cluster that several processes have open, and the processes."""

from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from processes.nursery import Nursery, nursery

from .jobs import SOURCE

ROWS = 12
CLUSTER = pytest.param("cluster", marks=[pytest.mark.cluster, pytest.mark.long])
__all__ = ["cluster", "cluster_keyspace", "cluster_url"]


@pytest.fixture(scope="module")
def nurse() -> Iterator[Nursery]:
    with nursery(SOURCE) as family:
        yield family


@pytest.fixture(params=["embedded", "stepwise", CLUSTER])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_file = request.param != "cluster"
    address = (
        f"{request.param}:{tmp_path / 'a.db'}?wait_ms=120000" if is_file else request.getfixturevalue("cluster_url")()
    )
    with piql.connect(address) as db:
        db.deploy(piql.compile(SOURCE))
        db.load("counters", [{"id": row, "value": 0} for row in range(ROWS)])
    return address
