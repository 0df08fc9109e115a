"""Workbenches are killed at each step of a deployment: after the next start the history and the store agree.

What was acknowledged is live; what was not is live whole, or not at all; every live query runs, and no other one.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx
import piql
import pytest
from patience import PATIENCE
from piql_backend.file_history.repository import FileHistory
from piql_backend.settings import Settings

from . import dying

DEVELOPMENT = "/api/applications/scadr/environments/development"
Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
Texts = dict[str, str]
HOW = ("deployment", "build", "rollback", "request", "cancel")
BY_TEXT = "CREATE QUERY byText AS SELECT owner, posted FROM thoughts WHERE text = [1: text] LIMIT 3;"


def life(settings: Settings, how: str, texts: Texts, kill_at: int, told: Path) -> tuple[str | None, int]:
    """Let a process deploy until it is killed; give what it acknowledged, if anything, and the steps that it made."""
    return dying.life(dying.deploy, (settings, how, texts), kill_at, told)


async def texts_of(client: httpx.AsyncClient) -> Texts:
    application = (await client.get("/api/applications/scadr")).json()
    return {file["path"]: file["text"] for file in application["files"]}


async def requests_agree(client: httpx.AsyncClient, versions: list[dict[str, Any]]) -> None:
    """A request is deployed if, and only if, a version names it; an approval that was given is still there."""
    named = {version["request"]: version["version"] for version in versions if version["request"] is not None}
    requests = (await client.get(f"{DEVELOPMENT}/deploy-requests", params={"limit": 500})).json()["items"]
    assert named == {read["number"]: read["deployed_version"] for read in requests if read["deployed_version"]}
    assert all(read["status"] == "deployed" for read in requests if read["number"] in named)
    assert all(read["approvals"] == 1 for read in requests if read["number"] in named)


async def names_agree(settings: Settings, versions: list[dict[str, Any]]) -> None:
    """Each version has its name in the history of the files, perhaps a moment after its row."""
    history, wanted = FileHistory(settings.data / "histories" / "scadr.git"), {read["version"] for read in versions}
    async with asyncio.timeout(PATIENCE):
        while history.marks() != {f"development/{version}" for version in wanted}:
            await asyncio.sleep(0.02)


async def agreed(client: httpx.AsyncClient, settings: Settings) -> tuple[str, frozenset[str]]:
    """Hold the history against the store, and give the id and the queries of what is live."""
    while (build := (await client.get(f"{DEVELOPMENT}/deployments/builds/latest")).json()) and build["is_running"]:
        await asyncio.sleep(0.02)
    assert (await client.get(f"{DEVELOPMENT}/health")).json()["status"] == "ok"
    reads = (await client.get(f"{DEVELOPMENT}/deployments", params={"limit": 500})).json()["items"]
    await requests_agree(client, reads)
    await names_agree(settings, reads)
    live = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()
    assert [read["id"] for read in reads if read["is_live"]] == [live["id"]] == [reads[0]["id"]]
    with piql.connect(dying.store_url_of(settings)) as db:
        assert db.build is None
        stored = db.deployment
    assert stored.version == live["version"]
    queries = frozenset(query["name"] for query in live["queries"])
    assert queries == set(stored.compilation.queries)
    for query, parameters in (("findUser", {"username": "nobody"}), ("byText", {"text": "none"})):
        url = f"{DEVELOPMENT}/deployments/live/queries/{query}/executions"
        answer = await client.post(url, json={"parameters": parameters})
        assert answer.status_code == (200 if query in queries else 404), answer.text
    return live["id"], queries


async def kill(settings: Settings, running: Running, tmp_path: Path, kills: int, seed: int) -> Counter[str]:
    """Kill each way of deploying by turns, each at a step that was not tried yet while there is one."""
    chance, counted = random.Random(seed), Counter[str]()
    untried: dict[str, list[int]] = {}
    async with running(settings) as client:
        first = await texts_of(client)
        before, queries = await agreed(client, settings)
    second = {path: text for path, text in first.items() if path != "queries/findUser.piql"} | {"byText.piql": BY_TEXT}
    sets = {frozenset(piql.compile(texts).queries): texts for texts in (first, second)}
    for at in range(kills + len(HOW)):
        how = HOW[at % len(HOW)]
        (wanted,) = (texts for names, texts in sets.items() if names != queries)
        if untried.get(how) == []:
            del untried[how]  # all were tried: how many there are may have changed
        kill_at = untried[how].pop() if how in untried else dying.NEVER
        acknowledged, steps = life(settings, how, wanted, kill_at, tmp_path / "told")
        if kill_at == dying.NEVER:
            assert acknowledged is not None
            untried[how] = chance.sample(range(steps), steps)
        async with running(settings) as client:
            after, queries = await agreed(client, settings)
        assert queries in sets
        if acknowledged is not None:
            assert after == acknowledged
        counted["acknowledged" if acknowledged else "live" if after != before else "absent"] += 1
        counted["killed"] += kill_at != dying.NEVER and acknowledged is None
        before = after
    return counted


async def test_after_a_kill_history_and_store_agree(settings: Settings, running: Running, tmp_path: Path) -> None:
    counted = await kill(settings, running, tmp_path, kills=4, seed=1)
    assert counted["killed"] >= 3, counted


@pytest.mark.long
async def test_after_each_of_two_hundred_kills_history_and_store_agree(
    settings: Settings, running: Running, tmp_path: Path
) -> None:
    counted = await kill(settings, running, tmp_path, kills=230, seed=2)
    print(dict(counted))
    assert counted["killed"] >= 200, counted
    assert counted["live"] > 0
    assert counted["absent"] > 0
