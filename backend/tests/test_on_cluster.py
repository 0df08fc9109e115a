"""The workbench on a cluster: what its health says, and that a sample is deployed and run there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from cluster.running import Cluster
from piql_backend.settings import SampleSize, Settings

from .conftest import Running

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]

pytestmark = pytest.mark.cluster


async def test_health_names_the_nodes_the_keyspace_and_the_driver(
    tmp_path: Path, running: Running, settings: Settings, cluster: Cluster, cluster_url: Callable[[], str]
) -> None:
    sample = SampleSize(users=5, thoughts_per_user=3, subscriptions_per_user=2)
    here = replace(settings, data=tmp_path / "cluster", store=cluster_url(), sample_size=sample)
    async with running(here) as client:
        health = (await client.get("/api/health")).json()
        assert (health["status"], health["store"]["kind"], health["store"]["message"]) == ("ok", "cql", None)
        found = health["store"]["cluster"]
        assert [(node["address"], node["is_up"]) for node in found["nodes"]] == [
            (address, True) for address in cluster.addresses
        ]
        assert found["nodes"][0]["version"].startswith("5.0")
        assert found["replication"] == f"{min(3, len(cluster.nodes))} in datacenter1"
        assert found["driver"].startswith("scylla-driver 3.")
        url = "/api/deployments/live/queries/findUser/executions"
        ran = await client.post(url, json={"parameters": {"username": "ada_bell"}})
        assert (ran.status_code, len(ran.json()["rows"])) == (200, 1), ran.text
        deployments = (await client.get("/api/deployments")).json()
        assert [each["is_live"] for each in deployments] == [True]
