"""What is live in one environment is deployed to another: compiled there anew, and checked against what is there."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import piql
import pytest
from piql_backend.commands.applications import app
from piql_backend.data_folder.layout import environment_folder
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT

OF_SCADR = "/api/applications/scadr/environments"
STAGING = f"{OF_SCADR}/staging"


@pytest.fixture
async def staging(client: httpx.AsyncClient) -> str:
    """An environment beside development, with nothing in it."""
    assert (await client.post(OF_SCADR, json={"title": "Staging"})).status_code == 201
    return "staging"


async def seen(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.post(f"{STAGING}/deployments/promotions/preview", json={"environment": "development"})
    assert answer.status_code == 200, answer.text
    preview: dict[str, Any] = answer.json()
    return preview


async def promoted(client: httpx.AsyncClient, **given: Any) -> httpx.Response:
    """Promote development, and wait for the end of the build."""
    answer = await client.post(f"{STAGING}/deployments/promotions", json={"environment": "development", **given})
    while answer.status_code < 300 and answer.json()["phase"] in ("filling", "checking"):
        await asyncio.sleep(0.02)
        answer = await client.get(f"{STAGING}/deployments/builds/latest")
    return answer


async def test_what_is_live_in_one_environment_becomes_live_in_the_other(
    client: httpx.AsyncClient, staging: str, settings: Settings
) -> None:
    preview = await seen(client)
    assert (preview["version"], preview["base_version"], len(preview["added"])) == (1, 0, 12)
    assert not (environment_folder(settings.data, "scadr", staging) / "store").exists()
    text = "CREATE QUERY unfinished AS SELECT"  # what is saved is not what is live
    await client.post("/api/applications/scadr/files", json={"path": "queries/new.piql", "text": text})
    answer = await promoted(client, version=1, base_version=0)
    assert answer.json()["deployment_id"] == "d1", answer.text
    there, here = [(await client.get(f"{path}/deployments/live")).json() for path in (STAGING, DEVELOPMENT)]
    assert [query["name"] for query in there["queries"]] == [query["name"] for query in here["queries"]]
    assert there["files"] == here["files"]
    assert here["version"] == 1
    body = {"parameters": {"username": "ada_bell"}}
    run = await client.post(f"{STAGING}/deployments/live/queries/findUser/executions", json=body)
    assert (run.status_code, run.json()["rows"]) == (200, [])
    assert (await seen(client))["added"] == []


async def test_what_nobody_saw_is_not_promoted(client: httpx.AsyncClient, staging: str) -> None:
    other = await promoted(client, version=2, base_version=0)
    assert (other.status_code, other.json()["code"]) == (409, "deployed-meanwhile")
    assert "version 1 is live in development, and not 2" in other.json()["message"]
    await promoted(client, version=1, base_version=0)
    assert (await promoted(client, version=1)).status_code == 428
    assert (await promoted(client, version=1, base_version=7)).status_code == 409
    body = {"environment": "none", "version": 1}
    assert (await client.post(f"{STAGING}/deployments/promotions", json=body)).status_code == 404
    empty = await client.post(f"{DEVELOPMENT}/deployments/promotions/preview", json={"environment": staging})
    assert empty.status_code == 200
    await client.post(OF_SCADR, json={"title": "Empty"})
    empty = await client.post(f"{DEVELOPMENT}/deployments/promotions/preview", json={"environment": "empty"})
    assert (empty.status_code, empty.json()["code"]) == (404, "nothing-deployed")


async def test_data_that_a_version_does_not_allow_refuse_it_there_alone(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    folder = settings.data / "applications" / "small"
    folder.mkdir()
    limits = {"production": 5, "development": 2}
    table = "CREATE TABLE t (id INT PRIMARY KEY, g INT, CARDINALITY LIMIT {} (g));"
    schema = f"{table} CREATE QUERY q AS SELECT id FROM t WHERE g = [1: g];"
    path = "/api/applications/small/environments"
    for environment, limit in limits.items():
        (folder / "schema.piql").write_text(schema.format(limit))
        if environment != "development":
            await client.post(path, json={"title": environment})
        assert (await client.post(f"{path}/{environment}/deployments", json={})).status_code == 201
    with piql.connect(f"embedded:{environment_folder(settings.data, 'small', 'production') / 'store'}") as db:
        db.load("t", [{"id": number, "g": 1} for number in range(4)])
    body = {"environment": "development", "version": 1, "base_version": 1}
    answer = await client.post(f"{path}/production/deployments/promotions", json=body)
    while answer.status_code < 300 and answer.json()["phase"] in ("filling", "checking"):
        await asyncio.sleep(0.02)
        answer = await client.get(f"{path}/production/deployments/builds/latest")
    refusal = answer.json().get("reason") or answer.json().get("message")
    assert "4" in refusal, answer.text
    assert (await client.get(f"{path}/production/deployments/live")).json()["version"] == 1


def test_the_command_promotes_and_says_what_is_live(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        code = app(["--url", address, "env", *arguments])
        output = capsys.readouterr()
        return code, output.out + output.err

    assert said("add", "scadr", "Staging")[0] == 0
    assert said("promote", "scadr", "development", "staging") == (
        0,
        "Version 1 of development is live in staging, as version 1.\n",
    )
    code, output = said("promote", "scadr", "none", "staging")
    assert (code, "no environment none" in output) == (1, True)
