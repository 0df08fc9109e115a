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
from piql.store.cql.address import parse_address
from piql.store.cql.opening import open_link
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


async def test_an_environment_on_a_cluster_is_added_without_a_write_and_gets_what_is_promoted(
    running: Running,
    settings: Settings,
    cluster: Cluster,
    cluster_keyspace: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SCADR_USER", "ada")
    monkeypatch.setenv("SCADR_PASSWORD", "of no use: this cluster asks for none")
    keyspace = f"{cluster_keyspace}_live"
    url = cluster.url(keyspace, "timeout=30")
    path = "/api/applications/scadr/environments"
    login = {"user": {"variable": "SCADR_USER"}, "password": {"variable": "SCADR_PASSWORD"}}
    store = {"url": url, "consistency": "QUORUM", **login}
    try:
        async with running(replace(settings, allowed_stores=(url.partition("?")[0],))) as client:
            added = await client.post(path, json={"title": "Live", "colour": "red", "store": store})
            assert added.status_code == 201, added.text
            assert keyspace not in keyspaces(cluster)
            taken = await client.post(path, json={"title": "Other", "store": {"url": cluster.url(keyspace)}})
            assert (taken.status_code, taken.json()["code"]) == (409, "namespace-taken")
            seen = {"environment": "development", "version": 1, "base_version": 0}
            build = await client.post(f"{path}/live/deployments/promotions", json=seen)
            while build.status_code < 300 and build.json()["phase"] in ("filling", "checking"):
                await asyncio.sleep(0.2)
                build = await client.get(f"{path}/live/deployments/builds/latest")
            assert build.json()["deployment_id"] == "d1", build.text
            health = (await client.get(f"{path}/live/health")).json()
            assert (health["status"], health["store"]["cluster"]["consistency"]) == ("ok", "QUORUM")
            run = f"{path}/live/deployments/live/queries/findUser/executions"
            found = await client.post(run, json={"parameters": {"username": "ada_bell"}})
            assert (found.status_code, found.json()["rows"]) == (200, [])
            assert (await client.delete(f"{path}/live", params={"name": "live"})).status_code == 204
            assert keyspace in keyspaces(cluster)
    finally:
        cluster.drop_keyspace(keyspace)


def keyspaces(cluster: Cluster) -> set[str]:
    """The names of the keyspaces of a cluster."""
    link = open_link(parse_address(cluster.url("system", "timeout=30")))
    try:
        return {name for (name,) in link.execute("SELECT keyspace_name FROM system_schema.keyspaces")}
    finally:
        link.close()
