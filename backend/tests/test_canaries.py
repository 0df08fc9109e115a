"""A deploy request is tried on a share of the executions: watched beside the live version, promoted or withdrawn."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import piql
import pytest
from piql.client.database import Observation
from piql.versions.change import steps
from piql_backend.canaries import watching
from piql_backend.canaries.counting import Side, Sides, count_sides
from piql_backend.canaries.schemas import ThresholdsRead
from piql_backend.canaries.thresholds import passed
from piql_backend.database.connection import Database, now
from piql_backend.executions.observations import Observations, ObservedExecution
from piql_backend.settings import Settings
from piql_backend.slos.schemas import SloRead
from piql_profiler.validation.two_versions import Ran

from .conftest import DEVELOPMENT, Running, store_url_of
from .test_deploy_requests import (
    DEPLOYMENTS,
    REQUESTS,
    approve,
    asked,
    changed,
    code_of,
    deploy,
    deploy_directly,
    files_of,
    live,
    opened,
    rule,
    with_query,
)
from .test_deploy_requests_of_a_team import PEOPLE, signed_in

Files = list[dict[str, str]]
CANARY = f"{DEVELOPMENT}/canary"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here waits for other processes, and the watch looks often."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.05)
    monkeypatch.setattr(watching, "_SECONDS_BETWEEN_LOOKS", 0.1)


def shouting(files: Files) -> Files:
    """The files with one more column of users, which findUser gives."""
    with_column = changed(files, "hometown VARCHAR(64)\n", "hometown VARCHAR(64),\n  shout VARCHAR(9)\n")
    return changed(with_column, "SELECT username, hometown\nFROM users", "SELECT username, hometown, shout\nFROM users")


async def begin(client: httpx.AsyncClient, share: float, number: int = 1, **more: Any) -> httpx.Response:
    return await client.post(f"{REQUESTS}/{number}/canary", json={"revision": 1, "share": share, **more})


async def tried(client: httpx.AsyncClient, files: Files, share: float, **more: Any) -> dict[str, Any]:
    """Open a request for the files, and try it."""
    await opened(client, shouting(files))
    answer = await begin(client, share, **more)
    assert answer.status_code == 202, answer.text
    return await canary(client, lambda read: read is not None and read["stage"] == "open")


async def canary(client: httpx.AsyncClient, is_there: Callable[[Any], bool]) -> Any:
    """Wait until what is tried is as it should be."""
    for _ in range(600):
        answer = await client.get(CANARY)
        assert answer.status_code == 200, answer.text
        if is_there(answer.json()):
            return answer.json()
        await asyncio.sleep(0.05)
    raise AssertionError(answer.json())


async def decide(client: httpx.AsyncClient, act: str, version: int = 2, **more: Any) -> httpx.Response:
    if act == "share":
        return await client.put(f"{CANARY}/share", json={"version": version, **more})
    return await client.post(f"{CANARY}/{act}", json={"version": version, **more})


async def execute(client: httpx.AsyncClient, count: int, deployment: str = "live") -> int:
    """Execute findUser so often; return how often the version that is tried answered."""
    path = f"{DEPLOYMENTS}/{deployment}/queries/findUser/executions"
    reads = []
    for _ in range(count):
        answer = await client.post(path, json={"parameters": {"username": "user0000001"}})
        assert answer.status_code == 200, answer.text
        reads.append(answer.json())
    for read in reads:
        assert (read["tried_version"] == 2) == ("shout" in [column["name"] for column in read["columns"]])
    return sum(read["tried_version"] == 2 for read in reads)


async def last_act(client: httpx.AsyncClient, act: str) -> tuple[str, float, str]:
    """Wait until the last decision about the request is of a kind."""
    for _ in range(200):
        decided = acts(await asked(client))
        if decided and decided[-1][0] == act:
            return decided[-1]
        await asyncio.sleep(0.05)
    raise AssertionError(decided)


def acts(request: dict[str, Any]) -> list[tuple[str, float, str]]:
    return [(event["act"], event["share"], event["why"]) for event in request["canaries"]]


async def test_a_request_is_tried_on_a_share_and_promoted(client: httpx.AsyncClient, files: Files) -> None:
    read = await tried(client, files, 0.25, why="a quarter first")
    assert (read["version"], read["base_version"], read["request"], read["share"]) == (2, 1, 1, 0.25)
    assert (await asked(client))["status"] == "tried"
    assert 50 - 4 * 7 < await execute(client, 200) < 50 + 4 * 7  # four standard errors
    assert (await live(client))["version"] == 1
    assert (await decide(client, "share", share=1.0, why="looks well")).status_code == 200
    assert await execute(client, 20) == 20
    answer = await decide(client, "promotion", why="as fast")
    assert (answer.status_code, answer.json()["version"], answer.json()["request"]) == (201, 2, 1)
    request = await asked(client)
    assert (request["status"], request["deployed_version"]) == ("deployed", 2)
    assert acts(request) == [
        ("began", 0.25, "a quarter first"),
        ("share", 1.0, "looks well"),
        ("promoted", 1.0, "as fast"),
    ]
    assert (await client.get(CANARY)).json() is None
    assert (await live(client))["version"] == 2


async def test_a_request_that_is_withdrawn_may_be_tried_again_as_another_version(
    client: httpx.AsyncClient, files: Files
) -> None:
    await tried(client, files, 1.0)
    assert await execute(client, 10) == 10
    answer = await decide(client, "withdrawal", why="not yet")
    assert (answer.status_code, answer.json()[-1]["why"]) == (201, "not yet")
    assert await execute(client, 10) == 0
    await canary(client, lambda read: read is None)
    request = await asked(client)
    assert (request["status"], request["deployed_version"], request["may_be_deployed"]) == ("open", None, True)
    assert (await begin(client, 0.5)).status_code == 202
    read = await canary(client, lambda read: read is not None and read["stage"] == "open")
    assert read["version"] == 3
    await last_act(client, "began")
    assert acts(await asked(client)) == [("began", 1.0, ""), ("withdrawn", 0.0, "not yet"), ("began", 0.5, "")]


async def test_what_a_version_executed_is_counted_apart(client: httpx.AsyncClient, files: Files) -> None:
    await tried(client, files, 0.5)
    count = await execute(client, 60)

    def is_counted(read: Any) -> bool:
        sides = next(query for query in read["queries"] if query["query"] == "findUser")
        return bool(sides["tried"]["executions"] == count and sides["live"]["executions"] == 60 - count)

    read = await canary(client, is_counted)
    assert read["queries"][0]["query"] == "findUser"
    assert (read["looks"]["count"], read["looks"]["next_at"]) == (0, 100)
    assert read["queries"][0]["verdict"] == {"p99": "too few", "errors": "too few", "requests": "too few"}
    latency = (await client.get(f"{DEVELOPMENT}/latency/live?window_seconds=600")).json()
    assert next(query for query in latency["queries"] if query["query"] == "findUser")["executions"] == 60 - count


async def test_the_first_look_is_made_at_a_hundred_executions_and_kept(client: httpx.AsyncClient, files: Files) -> None:
    await tried(client, files, 0.5)
    await execute(client, 260)
    read = await canary(client, lambda read: read["looks"]["count"] == 1)
    assert (read["looks"]["next_at"], read["looks"]["error"]) == (200, 0.05)
    assert read["queries"][0]["verdict"]["errors"] == "no difference shown"
    await decide(client, "share", share=0.75)
    read = (await client.get(CANARY)).json()
    assert (read["looks"]["next_at"], read["queries"][0]["tried"]["executions"]) == (100, 0)  # it begins anew


async def test_it_is_withdrawn_by_itself_once_the_burn_passes_its_threshold(
    client: httpx.AsyncClient, files: Files
) -> None:
    slo = {"quantile": 0.99, "threshold_ms": 0.001, "interval_seconds": 600}
    assert (await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo)).status_code == 200
    await tried(client, files, 1.0, thresholds={"burn": 14.4})
    await execute(client, 12)
    await canary(client, lambda read: read is None)
    (_, withdrawn) = acts(await asked(client))
    assert withdrawn[0] == "withdrawn"
    assert withdrawn[2].startswith("Withdrawn by itself: findUser broke its SLO in ")
    assert withdrawn[2].endswith(", 100.0 times as often as it allows, over 14.4.")
    assert await execute(client, 5) == 0


async def test_without_a_threshold_nothing_is_withdrawn_by_itself(client: httpx.AsyncClient, files: Files) -> None:
    slo = {"quantile": 0.99, "threshold_ms": 0.001, "interval_seconds": 600}
    await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo)
    await tried(client, files, 1.0)
    await execute(client, 20)
    read = await canary(client, lambda read: read["queries"][0]["tried"]["executions"] == 20)
    await asyncio.sleep(0.5)
    assert read["queries"][0]["burn"] == pytest.approx(100)
    assert (await client.get(CANARY)).json()["stage"] == "open"


async def test_what_two_versions_cannot_share_is_refused_in_words(client: httpx.AsyncClient, files: Files) -> None:
    await opened(client, changed(files, "CARDINALITY LIMIT 100 (owner)", "CARDINALITY LIMIT 50 (owner)"))
    answer = await begin(client, 0.1)
    assert code_of(answer) == (422, "compilation-refused")
    assert "subscriptions would get a tighter CARDINALITY LIMIT 50 (owner)" in answer.json()["message"]
    assert (await deploy(client)).status_code == 202  # at once it may be deployed


async def test_while_one_is_tried_nothing_else_is_deployed_and_its_text_stays(
    client: httpx.AsyncClient, files: Files
) -> None:
    await tried(client, files, 0.1)
    assert code_of(await deploy_directly(client, with_query(files)))[0] == 409
    revision = {"revision": 1, "text": {"files": with_query(files)}}
    assert code_of(await client.post(f"{REQUESTS}/1/revisions", json=revision)) == (409, "request-tried")
    assert code_of(await deploy(client)) == (409, "request-tried")
    assert code_of(await begin(client, 0.2)) == (409, "request-tried")
    assert code_of(await decide(client, "promotion", version=7)) == (409, "canary-changed")


async def test_where_nothing_is_tried_nothing_is_decided(client: httpx.AsyncClient) -> None:
    assert (await client.get(CANARY)).json() is None
    for act, more in (("share", {"share": 0.5}), ("promotion", {}), ("withdrawal", {})):
        assert code_of(await decide(client, act, **more)) == (404, "nothing-tried")


async def test_a_share_and_thresholds_stand_after_a_restart(settings: Settings, running: Running) -> None:
    async with running(settings) as client:
        await tried(client, await files_of(client), 1.0, thresholds={"errors_percent": 5})
        await last_act(client, "began")
    async with running(settings) as client:
        read = await canary(client, lambda read: read is not None)
        assert (read["share"], read["stage"]) == (1.0, "open")
        assert read["thresholds"] == {"errors_percent": 5, "burn": None}
        assert await execute(client, 5) == 5
        assert [event["act"] for event in read["events"]] == ["began"]


async def test_what_programs_decide_is_in_the_history_too(
    client: httpx.AsyncClient, files: Files, settings: Settings
) -> None:
    await tried(client, files, 0.5)
    await last_act(client, "began")
    with piql.connect(store_url_of(settings)) as db:
        assert db.build is not None
        db.build.set_share(0.75)
        assert await last_act(client, "share") == ("share", 0.75, "")
        db.build.cancel("by hand")
    assert await last_act(client, "withdrawn") == ("withdrawn", 0.0, "by hand")


async def test_checks_and_roles_hold_for_a_canary_as_for_a_deployment(settings: Settings, running: Running) -> None:
    async with signed_in(settings, running, **PEOPLE) as team:
        dev, rev, dot = (team[name] for name in ("dev", "rev", "dot"))
        await rule(team["ada"], needs_request=True, approvals=1)
        await opened(dev, shouting(await files_of(dev)))
        assert code_of(await begin(dot, 0.1)) == (409, "request-blocked")
        await approve(rev)
        for person in (dev, rev):
            assert code_of(await begin(person, 0.1)) == (403, "role-needed")
        assert (await begin(dot, 0.1, why="slowly")).status_code == 202
        await canary(dev, lambda read: read is not None and read["stage"] == "open")
        for act, more in (("share", {"share": 0.5}), ("promotion", {}), ("withdrawal", {})):
            assert code_of(await decide(rev, act, **more)) == (403, "role-needed")
        assert (await decide(dot, "promotion", why="fine")).status_code == 201
        request = await asked(dev)
        assert [(event["act"], event["person"]) for event in request["canaries"]] == [
            ("began", "dot"),
            ("promoted", "dot"),
        ]
        entries = (await team["ada"].get("/api/audit", params={"person": "dot"})).json()["items"]
        done = [entry["operation"] for entry in entries if entry["status"] in (201, 202)]
        assert sorted(done) == ["promote_canary", "try_request"]


def _filled(path: Path, executions: list[tuple[int, float, int, bool]]) -> Database:
    """A database with executions of findUser: version, milliseconds, requests, and whether it failed."""
    database = Database(path)
    observations = Observations(database)
    at = datetime.now(UTC).replace(tzinfo=None) - timedelta(seconds=1)
    for version, elapsed_ms, operations, failed in executions:
        observation = Observation("findUser", version, at, elapsed_ms, operations, 1, 1)
        observations.add(ObservedExecution(observation, 10, failed))
    observations.flush()
    return database


def test_executions_are_counted_beyond_what_both_versions_have_in_common(tmp_path: Path) -> None:
    draw = random.Random(1)
    fast = [(1, draw.uniform(1, 2), 1, False) for _ in range(990)]
    slow = [(2, draw.uniform(3, 4), 3, False) for _ in range(9)]
    database = _filled(tmp_path / "a.duckdb", [*fast, *slow, (2, 0.1, 0, True)])
    sides = count_sides(database, 1, 2, now() - timedelta(minutes=1))["findUser"]
    assert sides.live is not None
    assert sides.tried is not None
    assert sides.live.ran == Ran(990, 0, 0, 0, 0)
    assert sides.tried.ran == Ran(10, 1, 9, 9, 0)
    assert sides.tried.most_requests == 3
    database.close()


def side(executions: int, failures: int = 0, broke: int = 0) -> Sides:
    return Sides(None, Side(Ran(executions, failures), broke=broke))


def test_few_failures_of_few_executions_pass_no_threshold_and_many_do() -> None:
    thresholds = ThresholdsRead(errors_percent=5, burn=None)
    assert passed(thresholds, {"findUser": side(3, 1)}, {}) is None
    assert passed(thresholds, {"findUser": side(1000, 55)}, {}) is None  # 5.5 %, and not beyond chance
    assert passed(thresholds, {"findUser": side(10, 8)}, {}) == (
        "Withdrawn by itself: 8 of 10 executions failed, 80.0 %, over 5 %."
    )
    assert passed(thresholds, {"findUser": side(1000, 100)}, {}) is not None
    assert passed(ThresholdsRead(errors_percent=None, burn=None), {"findUser": side(10, 10)}, {}) is None


def test_the_burn_is_that_of_each_query_by_its_own_slo() -> None:
    slos = {
        name: SloRead(query=name, quantile=quantile, threshold_ms=10, interval_seconds=60, updated_at=datetime.now(UTC))
        for name, quantile in (("findUser", 0.99), ("thoughtstream", 0.5))
    }
    thresholds = ThresholdsRead(errors_percent=None, burn=2)
    counted = {"findUser": side(1000, 0, 15), "thoughtstream": side(1000, 0, 600)}
    assert passed(thresholds, counted, slos) is None
    why = passed(thresholds, {**counted, "findUser": side(1000, 0, 60)}, slos)
    assert why is not None
    assert "findUser broke its SLO in 60 of 1,000 executions, 6.0 times as often as it allows, over 2." in why
