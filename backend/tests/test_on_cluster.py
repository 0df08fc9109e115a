"""The workbench on a cluster: what its health says, that a sample is run there, and a cluster that goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from cluster.running import Cluster
from piql_backend.settings import SampleSize, Settings

from .conftest import DEVELOPMENT, Running

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]

pytestmark = pytest.mark.cluster


async def test_health_names_the_nodes_the_keyspace_and_the_driver(
    tmp_path: Path, running: Running, settings: Settings, cluster: Cluster, cluster_url: Callable[[], str]
) -> None:
    sample = SampleSize(users=5, thoughts_per_user=3, subscriptions_per_user=2)
    here = replace(settings, data=tmp_path / "cluster", store=cluster_url(), sample_size=sample)
    async with running(here) as client:
        health = (await client.get(f"{DEVELOPMENT}/health")).json()
        assert (health["status"], health["store"]["kind"], health["store"]["message"]) == ("ok", "cql", None)
        found = health["store"]["cluster"]
        assert [(node["address"], node["is_up"]) for node in found["nodes"]] == [
            (address, True) for address in cluster.addresses
        ]
        assert found["nodes"][0]["version"].startswith("5.0")
        assert found["replication"] == f"{min(3, len(cluster.nodes))} in datacenter1"
        assert found["driver"].startswith("scylla-driver 3.")
        url = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"
        ran = await client.post(url, json={"parameters": {"username": "ada_bell"}})
        assert (ran.status_code, len(ran.json()["rows"])) == (200, 1), ran.text
        deployments = (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]
        assert [deployment["is_live"] for deployment in deployments] == [True]


async def test_a_cluster_that_goes_away_is_a_typed_error_and_works_again_without_a_restart(
    tmp_path: Path, running: Running, settings: Settings, cluster: Cluster, cluster_url: Callable[[], str]
) -> None:
    sample = SampleSize(users=5, thoughts_per_user=3, subscriptions_per_user=2)
    patient = replace(settings, data=tmp_path / "cluster", store=cluster_url(), sample_size=sample)
    async with running(patient):
        pass  # the sample is deployed and loaded
    hasty = replace(patient, store=(patient.store or "").replace("timeout=30", "timeout=2"))
    async with running(hasty) as client:

        async def find_user() -> httpx.Response:
            url = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"
            return await client.post(url, json={"parameters": {"username": "ada_bell"}})

        async def until(status: str) -> dict[str, Any]:
            for _ in range(60):
                health: dict[str, Any] = (await client.get(f"{DEVELOPMENT}/health")).json()
                if health["status"] == status:
                    return health
                await asyncio.sleep(0.5)
            raise AssertionError(f"the health is {health} and not {status}")

        before = await until("ok")
        under_way = [asyncio.create_task(find_user()) for _ in range(20)]
        for node in cluster.nodes:
            node.pause()
        try:
            ended = [await request for request in under_way]
            late = await find_user()
            health = await until("degraded")
        finally:
            for node in cluster.nodes:
                node.resume()
        assert {answer.status_code for answer in ended} <= {200, 503}
        assert (late.status_code, late.json()["code"]) == (503, "store-unavailable"), late.text
        assert "did not answer within 2 s" in health["store"]["message"]
        assert len(health["store"]["cluster"]["nodes"]) == len(cluster.nodes)
        assert (await until("ok"))["instance_id"] == before["instance_id"]
        assert len((await find_user()).json()["rows"]) == 1
