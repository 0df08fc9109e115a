"""Workbenches are killed at each step of a decision about what is tried: store, request and history agree after it.

A version is tried, gets another share, and is promoted or withdrawn. What was acknowledged stands; of what was not,
either all or nothing. Executions follow the share, and each decision is in the history once.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import piql
import pytest
from patience import PATIENCE
from piql.versions.change import steps
from piql.versions.deploy import versions
from piql_backend.canaries import watching
from piql_backend.settings import Settings

from . import dying, dying_canary

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
Files = list[dict[str, str]]
DEVELOPMENT = "/api/applications/scadr/environments/development"
CANARY = f"{DEVELOPMENT}/canary"
REQUESTS = f"{DEVELOPMENT}/deploy-requests"
BY_TEXT = "CREATE QUERY byText AS SELECT owner, posted FROM thoughts WHERE text = [1: text] LIMIT 3;"
ENDS = ("promoted", "withdrawn")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here waits for other processes, and the watch looks often."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", dying_canary.SOON_SECONDS)
    monkeypatch.setattr(watching, "_SECONDS_BETWEEN_LOOKS", dying_canary.SOON_SECONDS)


async def files_of(client: httpx.AsyncClient) -> Files:
    """The files of SCADr, with one query more."""
    read = (await client.get("/api/applications/scadr")).json()["files"]
    return [*({"path": file["path"], "text": file["text"]} for file in read), {"path": "byText.piql", "text": BY_TEXT}]


async def opened(client: httpx.AsyncClient, files: Files) -> int:
    """The number of a new request for the files."""
    answer = await client.post(REQUESTS, json={"title": "Kill", "text": {"files": files}})
    assert answer.status_code == 201, answer.text
    number: int = answer.json()["number"]
    return number


@dataclass(frozen=True)
class Stand:
    """What is so after a start: the share on which a request is tried, None where none is, and the live version."""

    number: int
    share: float | None
    version: int


async def settled(client: httpx.AsyncClient, number: int) -> Stand:
    """Wait until nothing is on its way and the history knows what was decided; hold all against the store."""
    async with asyncio.timeout(PATIENCE):
        while True:
            read = (await client.get(CANARY)).json()
            request = (await client.get(f"{REQUESTS}/{number}")).json()
            events = request["canaries"]
            is_tried = read is not None and read["stage"] == "open"
            last = events[-1]["act"] if events else None
            if read is None and request["status"] != "deploying" and (last is None or last in ENDS):
                break
            if is_tried and last not in (None, *ENDS) and events[-1]["share"] == read["share"]:
                break
            await asyncio.sleep(0.02)
    hold_history(events)
    current = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()
    assert request["status"] == ("tried" if is_tried else "deployed" if last == "promoted" else "open")
    assert (current["request"] == number) == (last == "promoted")
    if is_tried:
        assert (read["request"], read["base_version"]) == (number, current["version"])
    return Stand(number, read["share"] if is_tried else None, current["version"])


def hold_history(events: list[dict[str, Any]]) -> None:
    """Each version that was tried began once and ended at most once, and no share was written twice."""
    by_version: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        by_version.setdefault(event["version"], []).append(event)
    for decided in by_version.values():
        acts = [event["act"] for event in decided]
        assert acts[0] == "began"
        assert acts.count("began") == 1
        assert not {*ENDS} & {*acts[:-1]}
        shares = [event["share"] for event in decided if event["act"] in ("began", "share")]
        assert all(before != after for before, after in pairwise(shares)), events


async def executions_follow(client: httpx.AsyncClient, stand: Stand) -> None:
    path = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"
    for _ in range(5):
        answer = await client.post(path, json={"parameters": {"username": "user0000001"}})
        assert answer.status_code == 200, answer.text
        assert (answer.json()["tried_version"] is not None) == (stand.share == 1.0)


def store_agrees(settings: Settings, stand: Stand) -> None:
    with piql.connect(dying.store_url_of(settings)) as db:
        shares = [living.canary.share for living in versions(db.store) if living.canary is not None]
        assert shares == ([] if stand.share is None else [stand.share])
        assert db.deployment.version == stand.version


@dataclass
class Plan:
    """Which step of each way of deciding is the last one: each of them once, in any order."""

    chance: random.Random
    untried: dict[str, list[int]] = field(default_factory=dict)

    def step_of(self, how: str) -> int:
        if self.untried.get(how) == []:
            del self.untried[how]  # all were tried: how many there are may have changed
        return self.untried[how].pop() if how in self.untried else dying.NEVER

    def learn(self, how: str, count: int) -> None:
        self.untried[how] = self.chance.sample(range(count), count)


def next_act(stand: Stand, chance: random.Random) -> tuple[str, float]:
    """Try what is not tried; of what is, mostly change the share."""
    if stand.share is None:
        return "try", chance.choice([0.0, 1.0])
    how = chance.choice(["share", "promote", "withdraw"])
    return how, 1.0 - stand.share if how == "share" else stand.share


def hold_acknowledged(acknowledged: str | None, how: str, share: float, before: Stand, after: Stand) -> str:
    """What was acknowledged stands; of what was not, all or nothing. Tell which of the three it was."""
    wanted = share if how in ("try", "share") else None
    is_done = after.share == wanted and (after.version > before.version) == (how == "promote")
    if acknowledged is not None:
        assert is_done, (how, acknowledged, before, after)
        return "acknowledged"
    is_as_before = (after.share, after.version) == (before.share, before.version)
    assert is_done or is_as_before, (how, share, before, after)
    return "done" if is_done else "as before"


async def kill(settings: Settings, running: Running, tmp_path: Path, kills: int, seed: int) -> Counter[str]:
    chance, counted = random.Random(seed), Counter[str]()
    plan = Plan(chance)
    async with running(settings) as client:
        files = await files_of(client)
        before = await settled(client, await opened(client, files))
    while counted["killed"] < kills:
        how, share = next_act(before, chance)
        kill_at = plan.step_of(how)
        arguments = (settings, how, before.number, share)
        acknowledged, count = dying.life(dying_canary.decide, arguments, kill_at, tmp_path / "told")
        if kill_at == dying.NEVER:
            assert acknowledged is not None
            plan.learn(how, count)
        async with running(settings) as client:
            after = await settled(client, before.number)
            await executions_follow(client, after)
            store_agrees(settings, after)
            counted[hold_acknowledged(acknowledged, how, share, before, after)] += 1
            counted["killed"] += acknowledged is None
            is_promoted = how == "promote" and after.version != before.version
            before = await begun_anew(client, files, after) if is_promoted else after  # back, to ask for the same
    return counted


async def begun_anew(client: httpx.AsyncClient, files: Files, stand: Stand) -> Stand:
    rollback = await client.post(f"{DEVELOPMENT}/deployments/rollback", json={"base_version": stand.version})
    assert rollback.status_code == 201, rollback.text
    return await settled(client, await opened(client, files))


async def test_after_a_kill_store_request_and_history_agree(
    settings: Settings, running: Running, tmp_path: Path
) -> None:
    await kill(settings, running, tmp_path, kills=4, seed=1)


@pytest.mark.long
async def test_after_each_of_a_hundred_kills_store_request_and_history_agree(
    settings: Settings, running: Running, tmp_path: Path
) -> None:
    counted = await kill(settings, running, tmp_path, kills=100, seed=2)
    print(dict(counted))
    assert counted["done"] > 0
    assert counted["as before"] > 0
