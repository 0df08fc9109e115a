"""Each experiment that takes a store runs on a cluster."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url

from .stores import PARAMETERS, run_on

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]


@pytest.mark.cluster
@pytest.mark.parametrize("name", PARAMETERS)
def test_an_experiment_runs_on_a_cluster(name: str, cluster_url: Callable[[], str]) -> None:
    run_on(name, cluster_url())
