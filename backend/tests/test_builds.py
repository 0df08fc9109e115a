"""Versions on their way: built while the live one runs; followed, paused, resumed, cancelled, and rolled back."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import httpx
import piql
import pytest
from patience import PATIENCE
from piql.errors import StoreUnavailable
from piql.versions.change import build
from piql.versions.change.build import new_driver
from piql.versions.change.progress import SETTING, read_progress
from piql_backend.deployments.building import Building
from piql_backend.settings import Settings
from piql_backend.stores.connection import StoreConnection

from .conftest import DEVELOPMENT, store_url_of

Files = list[dict[str, str]]
Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
BY_TEXT = "CREATE QUERY byText AS SELECT owner, posted FROM thoughts WHERE text = [1: text] LIMIT 3;"
LATEST = f"{DEVELOPMENT}/deployments/builds/latest"


def with_query(files: Files, text: str = BY_TEXT) -> Files:
    return [*files, {"path": "queries/byText.piql", "text": text}]


async def begin(client: httpx.AsyncClient, files: Files, rows_per_second: float | None = None) -> httpx.Response:
    live = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["version"]
    body = {"files": files, "base_version": live, "rows_per_second": rows_per_second}
    return await client.post(f"{DEVELOPMENT}/deployments/builds", json=body)


async def until_done(client: httpx.AsyncClient) -> dict[str, Any]:
    while True:
        found: dict[str, Any] = (await client.get(LATEST)).json()
        if found["phase"] in ("refused", "cancelled") or found["deployment_id"] is not None:
            return found
        await asyncio.sleep(0.05)


async def test_a_build_ends_as_the_live_version(client: httpx.AsyncClient, files: Files) -> None:
    assert (await client.get(LATEST)).json() is None
    assert (await client.post(f"{LATEST}/pause")).json()["code"] == "no-build"
    begun = await begin(client, with_query(files), 2000)
    assert begun.status_code == 202, begun.text
    found = await until_done(client)
    assert (found["phase"], found["deployment_id"]) == ("in force", "d2")
    live = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()
    assert (live["id"], live["files"]) == ("d2", with_query(files))
    run = await client.post(
        f"{DEVELOPMENT}/deployments/live/queries/byText/executions", json={"parameters": {"text": "none"}}
    )
    assert run.status_code == 200, run.text


async def test_what_needs_no_index_is_live_at_once(client: httpx.AsyncClient, files: Files) -> None:
    text = "CREATE QUERY townOf AS SELECT hometown FROM users WHERE username = [1: u];"
    begun = (await begin(client, with_query(files, text))).json()
    assert (begun["phase"], begun["deployment_id"]) == ("in force", "d2")


async def test_a_build_is_paused_and_resumed(client: httpx.AsyncClient, files: Files) -> None:
    await begin(client, with_query(files), 40)
    paused = (await client.post(f"{LATEST}/pause")).json()
    assert (paused["phase"], paused["is_paused"], paused["is_running"]) == ("filling", True, False)
    assert 0 <= paused["rows_done"] < paused["rows_estimate"] == 360
    assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["id"] == "d1"
    other = await begin(client, files)
    assert (other.status_code, other.json()["code"]) == (409, "deployment-in-progress")
    body = {"files": files, "base_version": 1}
    other = await client.post(f"{DEVELOPMENT}/deployments", json=body)
    assert (other.status_code, other.json()["code"]) == (409, "deployment-in-progress")
    await client.post(f"{LATEST}/cancel")


async def test_a_cancelled_build_leaves_the_live_version(client: httpx.AsyncClient, files: Files) -> None:
    await begin(client, with_query(files), 40)
    assert (await client.post(f"{LATEST}/cancel")).json()["phase"] == "cancelled"
    again = await client.post(f"{LATEST}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "deployment-in-progress")
    assert [item["id"] for item in (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]] == ["d1"]
    assert (await begin(client, with_query(files))).status_code == 202
    assert (await until_done(client))["deployment_id"] == "d2"


def begun_beside(db: piql.Database, files: Files) -> piql.Build:
    """Begin a build as a program beside the workbench does."""
    texts = {file["path"]: file["text"] for file in with_query(files)}
    return db.deploy(piql.compile(texts), background=True, rows_per_second=40)


async def test_what_another_process_builds_is_shown_and_can_be_cancelled(
    client: httpx.AsyncClient, settings: Settings, files: Files
) -> None:
    with piql.connect(store_url_of(settings)) as db:
        begun = begun_beside(db, files)
        found = (await client.get(LATEST)).json()
        assert (found["phase"], found["is_running"], found["rows_estimate"]) == ("filling", True, 360)
        assert (await client.post(f"{LATEST}/pause")).json()["is_paused"]
        assert (await client.post(f"{LATEST}/cancel")).json()["phase"] == "cancelled"
        assert begun.progress.phase == "cancelled"
    assert (await begin(client, with_query(files))).status_code == 202
    assert (await until_done(client))["deployment_id"] == "d2"


async def test_a_build_whose_process_is_gone_goes_on_here(
    client: httpx.AsyncClient, settings: Settings, files: Files
) -> None:
    with piql.connect(store_url_of(settings)) as db:
        begun_beside(db, files).stop()
    while (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"][0][
        "id"
    ] != "d2":  # nobody asks for the build
        await asyncio.sleep(0.05)
    assert (await until_done(client))["deployment_id"] == "d2"


async def test_a_build_goes_on_after_a_kill_though_another_process_has_the_number_of_the_one_that_built(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(settings) as client:
        application = (await client.get("/api/applications/scadr")).json()
    files = [{"path": file["path"], "text": file["text"]} for file in application["files"]]
    monkeypatch.setattr(build, "LEASE_SECONDS", 1.0)
    with piql.connect(store_url_of(settings)) as db:
        begun_beside(db, files).stop()
        with db.store.transaction() as transaction:
            progress = read_progress(db.store)
            assert progress is not None
            driven = replace(progress, driver=new_driver(), beat=time.time())
            transaction.set_setting(SETTING, driven.as_text())
    async with running(settings) as client:
        assert (await until_done(client))["deployment_id"] == "d2"


def test_a_build_goes_on_once_a_store_that_was_away_at_the_start_answers() -> None:
    progress = SimpleNamespace(phase="filling", is_done=False, is_paused=False, is_running=False, reason=None)
    away = SimpleNamespace(progress=progress)
    started = threading.Event()
    away.start = started.set
    stores = iter([StoreUnavailable("it does not answer"), SimpleNamespace(build=away)])

    def database() -> SimpleNamespace:
        answer = next(stores)
        if isinstance(answer, StoreUnavailable):
            raise answer
        return answer

    store = SimpleNamespace(database=database)
    building = Building(cast(Any, None), cast(Any, store), lambda: None, threading.Lock())
    building.find()
    building.find()
    assert started.wait(PATIENCE)
    away.progress.is_done = True


class BuildOfLostStore:
    """A build whose store stops to answer as soon as it has been cancelled."""

    def __init__(self) -> None:
        self.was_cancelled = False

    @property
    def progress(self) -> SimpleNamespace:
        if self.was_cancelled:
            raise StoreUnavailable("it does not answer")
        return SimpleNamespace(is_done=False, is_paused=True)

    def cancel(self) -> None:
        self.was_cancelled = True


def test_a_cancel_ends_though_the_store_does_not_answer_any_more() -> None:
    build, answers = BuildOfLostStore(), list[str]()
    store = SimpleNamespace(database=lambda: SimpleNamespace(build=build))
    building = Building(cast(Any, None), cast(Any, store), lambda: None, threading.Lock())
    building.find()

    def cancel() -> None:
        try:
            building.cancel()
        except StoreUnavailable as error:
            answers.append(str(error))

    thread = threading.Thread(target=cancel, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert answers == ["it does not answer"]


async def test_data_in_the_way_are_counted(client: httpx.AsyncClient, files: Files) -> None:
    changed = [file | {"text": file["text"].replace("LIMIT 100 (owner)", "LIMIT 2 (owner)")} for file in files]
    refused = await begin(client, changed)
    assert (refused.status_code, refused.json()["code"]) == (422, "compilation-refused")
    assert "but 30 values break this" in refused.json()["message"]
    assert [item["id"] for item in (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]] == ["d1"]


async def test_a_build_goes_on_after_a_restart(running: Running, settings: Settings) -> None:
    async with running(settings) as client:
        application = (await client.get("/api/applications/scadr")).json()
        files = [{"path": file["path"], "text": file["text"]} for file in application["files"]]
        await begin(client, with_query(files), 40)
    async with running(settings) as client:
        assert (await until_done(client))["deployment_id"] == "d2"
        assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["files"] == with_query(files)


async def test_a_build_goes_on_when_a_store_is_back_that_was_away_at_the_restart(
    running: Running, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: StoreConnection) -> piql.Database:
        raise StoreUnavailable("it does not answer")

    async with running(settings) as client:
        application = (await client.get("/api/applications/scadr")).json()
        files = [{"path": file["path"], "text": file["text"]} for file in application["files"]]
        await begin(client, with_query(files), 40)
    with monkeypatch.context() as patched:
        patched.setattr(StoreConnection, "database", away)
        async with running(settings) as client:
            assert (await client.get(f"{DEVELOPMENT}/health")).status_code == 503
            patched.undo()
            while (await client.get(LATEST)).json() is None:
                await asyncio.sleep(0.05)
            assert (await until_done(client))["deployment_id"] == "d2"


async def test_a_rollback_makes_the_version_before_live(client: httpx.AsyncClient, files: Files) -> None:
    nothing = await client.post(f"{DEVELOPMENT}/deployments/rollback", json={"base_version": 1})
    assert (nothing.status_code, nothing.json()["code"]) == (409, "nothing-before")
    await begin(client, with_query(files))
    await until_done(client)
    back = await client.post(f"{DEVELOPMENT}/deployments/rollback", json={"base_version": 2})
    assert (back.status_code, back.json()["id"], back.json()["is_live"]) == (201, "d3", True)
    assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["files"] == files
    body = {"files": files, "base_version": 3}
    again = await client.post(f"{DEVELOPMENT}/deployments", json=body)
    assert again.json()["id"] == "d3"  # the same files again: nothing changes
    missing = await client.post(
        f"{DEVELOPMENT}/deployments/live/queries/byText/executions", json={"parameters": {"text": "x"}}
    )
    assert missing.status_code == 404
    forth = await client.post(f"{DEVELOPMENT}/deployments/rollback", json={"base_version": 3})
    assert (forth.status_code, forth.json()["id"]) == (201, "d4")
    assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["files"] == with_query(files)
