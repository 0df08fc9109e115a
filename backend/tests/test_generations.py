"""Rows are generated in the background: counted first, then loaded, where no rows are or new ones are to be added."""

import asyncio
import json
from typing import Any

import httpx
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, Running, folder_of


async def generate(client: httpx.AsyncClient, **request: Any) -> Any:
    answer = await client.post(f"{DEVELOPMENT}/generations", json=request)
    assert answer.status_code == 201, answer.text
    state = answer.json()
    while state["state"] in ("making", "loading"):
        await asyncio.sleep(0.05)  # requests without a pause are refused (429)
        state = (await client.get(f"{DEVELOPMENT}/generations/{state['id']}")).json()
    return state


async def rows_of(client: httpx.AsyncClient, table: str) -> int:
    tables = (await client.get(f"{DEVELOPMENT}/tables")).json()["items"]
    return next(read["rows_estimate"] for read in tables if read["name"] == table)


async def test_a_dry_run_says_what_would_be_made_and_writes_nothing(client: httpx.AsyncClient) -> None:
    before = await rows_of(client, "users")
    made = await generate(client, rows=300)
    assert made["state"] == "made"
    assert [table["table"] for table in made["tables"]] == ["users", "subscriptions", "thoughts"]
    subscriptions = made["tables"][1]
    assert subscriptions["rows"] == subscriptions["asked"] == 300
    (limit,) = subscriptions["limits"]
    assert limit["fullest"] == limit["limit"]
    assert await rows_of(client, "users") == before


async def test_rows_are_added_to_those_that_are_there_only_on_demand(client: httpx.AsyncClient) -> None:
    refused = await client.post(f"{DEVELOPMENT}/generations", json={"rows": 10, "dry_run": False})
    assert (refused.status_code, refused.json()["code"]) == (409, "rows-are-there")
    before = await rows_of(client, "thoughts")
    loaded = await generate(client, rows=150, dry_run=False, add=True)
    assert loaded["state"] == "loaded"
    thoughts = loaded["tables"][2]
    assert (thoughts["rows"], thoughts["left_out"]) == (150, 0)
    assert await rows_of(client, "thoughts") == before + 150


async def test_what_cannot_be_made_is_refused(client: httpx.AsyncClient) -> None:
    for request, code in (
        ({"rows_of": {"nobody": 5}}, "invalid-parameter"),
        ({"full": 100_000}, "invalid-parameter"),
    ):
        answer = await client.post(f"{DEVELOPMENT}/generations", json=request)
        assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert (await client.get(f"{DEVELOPMENT}/generations/g9")).status_code == 404


async def test_a_generation_that_is_stopped_says_what_is_in(client: httpx.AsyncClient) -> None:
    begun = (await client.post(f"{DEVELOPMENT}/generations", json={"rows": 900_000})).json()
    beside = await client.post(f"{DEVELOPMENT}/generations", json={})
    assert (beside.status_code, beside.json()["code"]) == (409, "generation-under-way")
    assert (await client.post(f"{DEVELOPMENT}/generations/{begun['id']}/cancel")).status_code == 200
    while (state := (await client.get(f"{DEVELOPMENT}/generations/{begun['id']}")).json())["state"] == "making":
        await asyncio.sleep(0.05)  # requests without a pause are refused (429)
    assert state["state"] == "stopped"
    assert state["tables"][0]["rows"] < 900_000
    again = await client.post(f"{DEVELOPMENT}/generations/{begun['id']}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "generation-state")


async def test_what_is_in_is_said_after_the_workbench_was_stopped_meanwhile(
    settings: Settings, running: Running
) -> None:
    async with running(settings) as client:
        before = await rows_of(client, "users")
        wish = {"rows": 200_000, "dry_run": False, "add": True}
        begun = (await client.post(f"{DEVELOPMENT}/generations", json=wish)).json()
        address = f"{DEVELOPMENT}/generations/{begun['id']}"
        while not (await client.get(address)).json()["rows_done"]:
            await asyncio.sleep(0.05)  # requests without a pause are refused (429)
    file = folder_of(settings) / "generation.json"
    async with running(settings) as client:
        stopped = (await client.get(address)).json()
        assert stopped["state"] == "stopped"
        assert 0 < stopped["tables"][0]["rows"] == await rows_of(client, "users") - before
        assert (await client.get(f"{address}0")).status_code == 404
    file.write_text(json.dumps(stopped | {"state": "loading", "tables": []}))  # as it is after kill -9
    async with running(settings) as client:
        killed = (await client.get(address)).json()
        assert (killed["state"], "Rows that it had loaded by then are in" in killed["message"]) == ("failed", True)
