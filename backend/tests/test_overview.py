"""The dashboard over all applications: what is in danger, and only where one may look."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people.service import People
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, Running

PASSWORD = "correct horse battery"


async def places(client: httpx.AsyncClient, query: str = "") -> list[str]:
    answer = await client.get(f"/api/overview{query}")
    assert answer.status_code == 200, answer.text
    return [f"{item['application']}/{item['environment']}" for item in answer.json()["items"]]


async def make_other(client: httpx.AsyncClient) -> None:
    """An application beside SCADr, in which nothing is live."""
    made = await client.post("/api/applications/scadr/duplicates", json={"title": "Other"})
    assert (made.status_code, made.json()["id"]) == (201, "other")


async def test_a_query_that_breaks_its_slo_is_in_danger_beside_what_else_is_live(client: httpx.AsyncClient) -> None:
    await make_other(client)
    slo = {"quantile": 0.5, "threshold_ms": 0.0001, "interval_seconds": 3600}
    await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo)
    live = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()
    burst = {"deployment_id": live["id"], "query": "findUser", "executions": 20, "concurrency": 1}
    begun = (await client.post(f"{DEVELOPMENT}/bursts", json=burst)).json()
    while (await client.get(f"{DEVELOPMENT}/bursts/{begun['id']}")).json()["state"] == "running":
        await asyncio.sleep(0.05)
    other, scadr = (await client.get("/api/overview?window_seconds=3600")).json()["items"]
    assert (scadr["application"], scadr["version"], scadr["promised"]) == ("scadr", live["version"], 1)
    assert (scadr["executed"], scadr["executions"], scadr["in_danger"]) == (1, 20, 1)
    assert [query["query"] for query in scadr["worst"]] == ["findUser"]
    assert (other["application_title"], other["version"], other["in_danger"], other["worst"]) == ("Other", None, 0, [])


async def test_what_is_archived_is_left_out_and_pages_go_on(client: httpx.AsyncClient) -> None:
    await make_other(client)
    assert await places(client, "?limit=1") == ["other/development"]
    first = (await client.get("/api/overview?limit=1")).json()
    assert await places(client, f"?limit=1&cursor={first['next']}") == ["scadr/development"]
    await client.patch("/api/applications/other", json={"is_archived": True})
    assert await places(client) == ["scadr/development"]


async def test_each_person_sees_the_applications_in_which_they_have_a_role_and_no_other(
    settings: Settings, running: Running
) -> None:
    people = People(settings.data / PEOPLE_FILE)
    for name, place in (("ada", ""), ("ben", "scadr"), ("eve", None)):
        people.accounts.add(name, PASSWORD)
        if place is not None:
            people.accounts.set_role(name, place, "administrator" if name == "ada" else "viewer")
    people.close()
    seen = {}
    async with running(replace(settings, team=True)) as client:
        assert (await client.get("/api/overview")).status_code == 401
        for name in ("ada", "ben", "eve"):  # what is kept for Ada is shown to nobody who may not see it
            await client.post("/api/session", json={"name": name, "password": PASSWORD})
            if name == "ada":
                await make_other(client)
            seen[name] = await places(client)
    assert seen == {"ada": ["other/development", "scadr/development"], "ben": ["scadr/development"], "eve": []}


async def test_an_environment_that_cannot_be_read_says_why_and_hides_no_other(
    settings: Settings, running: Running
) -> None:
    async with running(settings) as client:
        await make_other(client)
        await client.get("/api/overview")
    (settings.data / "environments/other/development/environment.json").write_text("{")
    async with running(settings) as client:
        other, scadr = (await client.get("/api/overview")).json()["items"]
    assert (scadr["problem"], other["version"], other["worst"]) == (None, None, [])
    assert other["problem"]
