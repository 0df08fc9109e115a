"""One nursery for all tests here, and databases that outlive those who write to them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from processes.nursery import Nursery, nursery

from .workload import SOURCE, new_database

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]


@pytest.fixture(scope="module")
def nurse() -> Iterator[Nursery]:
    with nursery(SOURCE) as family:
        yield family


@pytest.fixture
def url(tmp_path: Path) -> str:
    return new_database(f"embedded:{tmp_path / 'a.db'}")
