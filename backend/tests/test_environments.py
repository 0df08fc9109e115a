"""Environments: found by their path, apart from each other, opened when needed and closed when nobody uses them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import httpx
import piql
import pytest
from piql_backend.alerts.service import Alerts
from piql_backend.environments.environment import Environment
from piql_backend.environments.registry import IDLE_SECONDS, EnvironmentName, Environments
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError
from piql_backend.workbench import Workbench
from piql_backend.workers.pool import WorkerPool

from .conftest import DEVELOPMENT, folder_of

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
SCADR = EnvironmentName("scadr", "development")
OF_SECOND = DEVELOPMENT.replace("scadr", "second")
TEXT = "CREATE TABLE users (id INT PRIMARY KEY, x INT); CREATE QUERY findUser AS SELECT x FROM users WHERE id = [1: i];"


@dataclass
class Clock:
    now: float = 10.0**9

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def second(settings: Settings) -> str:
    """A second application, made by hand: a folder with a file that names a table and a query as SCADr does."""
    folder = settings.data / "applications" / "second"
    folder.mkdir()
    (folder / "schema.piql").write_text(TEXT)
    return "second"


@asynccontextmanager
async def opened(settings: Settings, workers: WorkerPool) -> AsyncIterator[Environments]:
    workbench = Workbench(settings, workers)
    await workbench.open()
    try:
        yield workbench.environments
    finally:
        await workbench.close()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/applications/none/environments/development", "unknown-application"),
        ("/api/applications/scadr/environments/none", "unknown-environment"),
        ("/api/applications/scadr/environments/..", "not-found"),
        ("/api/applications/scadr/environments/%2e%2e%2f%2e%2e", "not-found"),
        ("/api/applications/%2e%2e/environments/development", "unknown-application"),
    ],
)
async def test_an_environment_that_is_not_there_is_said_in_words(
    client: httpx.AsyncClient, path: str, code: str
) -> None:
    for resource in ("deployments", "slos", "profile-runs", "health"):
        answer = await client.get(f"{path}/{resource}")
        assert (answer.status_code, answer.json()["code"]) == (404, code)


async def test_what_one_application_deploys_changes_nothing_for_another(
    second: str, client: httpx.AsyncClient, settings: Settings
) -> None:
    before = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()
    made = await client.post(f"{OF_SECOND}/deployments", json={})
    assert (made.status_code, made.json()["version"], made.json()["application_id"]) == (201, 1, second)
    assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json() == before
    await client.put(f"{OF_SECOND}/slos/findUser", json={"threshold_ms": 5})
    assert (await client.get(f"{DEVELOPMENT}/slos")).json()["items"] == []
    ran = await client.post(f"{OF_SECOND}/deployments/live/queries/findUser/executions", json={"parameters": {"i": 1}})
    assert (ran.status_code, ran.json()["columns"][0]["name"]) == (200, "x")
    with piql.connect(f"embedded:{folder_of(settings, second) / 'store'}") as db:
        assert set(db.deployment.compilation.queries) == {"findUser"}


@pytest.mark.parametrize("broken", ['{"store": 1}', '{"storr": {}}', "{", '{"store": {"kind": "none"}}'])
async def test_an_environment_that_is_broken_says_so_and_stops_no_other(
    second: str, client: httpx.AsyncClient, settings: Settings, broken: str
) -> None:
    folder = folder_of(settings, second)
    folder.mkdir(parents=True)
    (folder / "environment.json").write_text(broken)
    answer = await client.get(f"{OF_SECOND}/deployments")
    assert (answer.status_code, answer.json()["code"]) == (503, "environment-not-read")
    health = await client.get(f"{OF_SECOND}/health")
    assert (health.status_code, health.json()["status"]) == (503, "degraded")
    assert "second/development/environment.json cannot be read" in health.json()["problems"][0]["message"]
    assert (await client.get(f"{DEVELOPMENT}/health")).json()["status"] == "ok"
    assert (await client.get("/readyz")).status_code == 200
    (folder / "environment.json").unlink()
    assert (await client.get(f"{OF_SECOND}/health")).json()["status"] == "ok"


async def test_a_duckdb_file_of_a_folder_that_cannot_be_read_is_a_problem_of_its_environment(
    second: str, client: httpx.AsyncClient, settings: Settings
) -> None:
    folder_of(settings, second).parent.mkdir(parents=True, exist_ok=True)
    folder_of(settings, second).write_text("a file where the folder should be")
    health = await client.get(f"{OF_SECOND}/health")
    assert (health.status_code, health.json()["problems"][0]["what"]) == (503, "environment")
    assert (await client.get(f"{DEVELOPMENT}/health")).status_code == 200


async def test_one_that_nobody_uses_is_closed_and_opened_again(settings: Settings, workers: WorkerPool) -> None:
    clock = Clock()
    async with opened(settings, workers) as environments:
        environments.clock = clock
        async with environments.using("scadr", "development") as environment:
            clock.now += 10 * IDLE_SECONDS
            await environments.close_idle()
            assert list(environments.open_ones) == [SCADR]  # it is used
        clock.now += IDLE_SECONDS / 2
        await environments.close_idle()
        assert list(environments.open_ones) == [SCADR]
        clock.now += IDLE_SECONDS
        await environments.close_idle()
        assert list(environments.open_ones) == []
        async with environments.using("scadr", "development") as again:
            assert again is not environment
            assert again.deployments.live("live").read.version == 1


async def test_one_that_could_not_be_opened_is_named_as_long_as_somebody_tries(
    second: str, settings: Settings, workers: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    folder_of(settings, second).parent.mkdir(parents=True, exist_ok=True)
    folder_of(settings, second).write_text("a file where the folder should be")
    clock, broken = Clock(), EnvironmentName(second, "development")
    async with opened(settings, workers) as environments:
        environments.clock = clock
        for _ in range(3):
            with pytest.raises(ApiError, match="cannot be opened"):
                await environments.opened(broken)
            clock.now += IDLE_SECONDS / 2
            await environments.close_idle()
            assert list(environments.problems) == [broken]
        clock.now += IDLE_SECONDS / 2
        await environments.close_idle()
        assert not environments.problems
    (logged,) = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert logged.startswith("The environment second/development cannot be opened: ")


async def test_one_whose_store_nobody_has_confirmed_is_closed_on_purpose(
    second: str, settings: Settings, workers: WorkerPool
) -> None:
    folder = folder_of(settings, second)
    folder.mkdir(parents=True)
    (folder / "environment.json").write_text('{"store": {"kind": "unconfirmed", "named": {"url": "embedded:/x"}}}')
    async with opened(settings, workers) as environments:
        with pytest.raises(ApiError, match="came with an archive"):
            await environments.opened(EnvironmentName(second, "development"))
        assert not environments.problems


async def test_one_in_which_something_is_under_way_is_not_closed(
    settings: Settings, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    async with opened(settings, workers) as environments:
        environments.clock = clock
        await environments.opened(SCADR)
        monkeypatch.setattr(Environment, "is_busy", True)
        clock.now += 2 * IDLE_SECONDS
        await environments.close_idle()
        assert list(environments.open_ones) == [SCADR]
        monkeypatch.setattr(Environment, "is_busy", False)
        await environments.close_idle()
        assert list(environments.open_ones) == []


async def test_one_of_which_something_is_to_be_told_is_not_closed(
    settings: Settings, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    async with opened(settings, workers) as environments:
        environments.clock = clock
        await environments.opened(SCADR)
        monkeypatch.setattr(Alerts, "is_settled", lambda _: False)
        clock.now += 2 * IDLE_SECONDS
        await environments.close_idle()
        assert list(environments.open_ones) == [SCADR]
        monkeypatch.undo()  # nobody is told anything here
        await environments.close_idle()
        assert list(environments.open_ones) == []


async def test_those_that_were_open_at_the_end_are_open_after_the_next_start(
    second: str, settings: Settings, workers: WorkerPool
) -> None:
    clock = Clock()
    async with opened(settings, workers) as environments:
        assert set(environments.open_ones) == {SCADR}
        await environments.opened(EnvironmentName(second, "development"))
    async with opened(settings, workers) as environments:
        assert {str(name) for name in environments.open_ones} == {"scadr/development", "second/development"}
        environments.clock = clock
        clock.now += 2 * IDLE_SECONDS + 10**6
        await environments.close_idle()
    async with opened(settings, workers) as environments:
        assert list(environments.open_ones) == []


async def test_many_that_ask_at_once_get_the_same_one(settings: Settings, workers: WorkerPool) -> None:
    async with opened(settings, workers) as environments:
        environments.clock = clock = Clock()
        await environments.close_idle()
        clock.now += 1
        found = await asyncio.gather(*(environments.opened(SCADR) for _ in range(20)))
        assert len({id(environment) for environment in found}) == 1
