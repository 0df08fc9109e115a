"""Where the versions of a schema follow one another: in a file, in one without transactions, on a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]

CLUSTER = pytest.param("cluster", marks=[pytest.mark.cluster, pytest.mark.long])


@pytest.fixture(params=("embedded", CLUSTER))
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(request, tmp_path)


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    """What holds at once where there are transactions holds elsewhere when everybody has looked, a second later."""
    return f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL&wait_ms=120000"


@pytest.fixture(params=("stepwise", CLUSTER))
def stepped_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(request, tmp_path)


def url_of(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "cluster":
        given: str = request.getfixturevalue("cluster_url")()
        return given
    return f"{request.param}:{tmp_path / 'a.db'}?synchronous=NORMAL&wait_ms=120000"
