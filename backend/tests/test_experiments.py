"""Experiments over HTTP: real runs of `piql experiment`, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE
from piql_backend.experiments.service import Experiments
from piql_backend.measuring.process import MeasuringProcess
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError
from piql_backend.web.needs import Role
from piql_backend.web.pages import PageWish
from piql_backend.web.visitor import EVERYWHERE, Visitor

from .conftest import Running

TABLE_1, LONG = "/api/experiments/vldb-table-1", "/api/experiments/socc-figure-4"


async def until_ended(client: httpx.AsyncClient, path: str) -> dict:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        experiment = (await client.get(path)).json()
        if experiment["state"] not in ("running", "cancelling"):
            return experiment
        await asyncio.sleep(0.05)
    raise AssertionError(f"{path} does not end")


async def test_an_experiment_is_run_and_what_it_found_is_there_after_a_restart(
    settings: Settings, running: Running
) -> None:
    async with running(settings) as client:
        listed = (await client.get("/api/experiments")).json()
        assert {experiment["state"] for experiment in listed} == {"never-run"}
        assert (await client.get(f"{TABLE_1}/result")).json()["code"] == "experiment-without-result"
        started = await client.post(f"{TABLE_1}/runs")
        assert (started.status_code, started.json()["state"]) == (202, "running")
        refused = await client.post(f"{TABLE_1}/runs")
        assert (refused.status_code, refused.json()["code"]) == (409, "experiment-under-way")
        done = await until_ended(client, TABLE_1)
        assert (done["state"], done["verdict"], done["message"]) == ("done", "undecidable", None)
        assert [claim["verdict"] for claim in done["claims"]] == ["agrees", "agrees", "agrees", "undecidable"]
    async with running(settings) as client:
        assert (await client.get(TABLE_1)).json() == done
        result = (await client.get(f"{TABLE_1}/result")).json()
        assert [row[0] for row in result["rows"]][:2] == ["home", "newProducts"]
        page = await client.get(f"{TABLE_1}/page")
        assert page.headers["content-type"].startswith("text/html")
        assert "13 of 13 have a proven bound" in page.text
        assert (await client.get(f"{TABLE_1}/figure")).status_code == 409  # a table has none


async def test_a_cancelled_experiment_leaves_the_result_before(settings: Settings, running: Running) -> None:
    folder = settings.data / "experiments" / "socc-figure-4"
    folder.mkdir(parents=True)
    before = {"verdict": "agrees", "claims": [], "ended_at": 1.0, "seconds": 2.0, "chart": None}
    (folder / "result.json").write_text(json.dumps(before))
    async with running(settings) as client:
        assert (await client.post(f"{LONG}/cancel")).json()["code"] == "run-ended"
        await client.post(f"{LONG}/runs")
        state = (await client.post(f"{LONG}/cancel")).json()["state"]
        assert state in ("cancelling", "done")  # its process may have ended before the answer is made
        experiment = await until_ended(client, LONG)
        assert (experiment["state"], experiment["verdict"], experiment["message"]) == ("done", "agrees", None)


async def test_a_workbench_that_is_closed_does_not_wait_for_an_experiment_that_is_being_started(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiments = Experiments(settings.data / "experiments", settings.samples)
    start, is_closing = MeasuringProcess.start, asyncio.Event()

    async def start_late(*arguments: Any) -> MeasuringProcess:
        await is_closing.wait()
        return await start(*arguments)

    monkeypatch.setattr(MeasuringProcess, "start", start_late)
    await experiments.start("socc-figure-4")
    closing = asyncio.create_task(experiments.close())
    await asyncio.sleep(0)
    is_closing.set()
    await asyncio.wait_for(closing, PATIENCE)
    assert (await experiments.read("socc-figure-4")).verdict is None


async def test_an_experiment_that_fails_says_why(settings: Settings, running: Running, tmp_path: Path) -> None:
    async with running(replace(settings, samples=tmp_path)) as client:
        await client.post(f"{TABLE_1}/runs")
        experiment = await until_ended(client, TABLE_1)
        assert experiment["state"] == "failed"
        assert "has no sample application tpcw" in experiment["message"]


async def test_an_unknown_experiment_is_not_found(settings: Settings, running: Running) -> None:
    async with running(settings) as client:
        assert (await client.get("/api/experiments/figure-99")).json()["code"] == "unknown-experiment"


PAGING = "/api/experiments/paging"


async def test_an_experiment_runs_on_the_store_that_is_chosen_and_says_which(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[list[str], str]] = []
    start = MeasuringProcess.start

    async def start_short(command: str, arguments: list[str], folder: Path, store_url: str) -> MeasuringProcess:
        started.append((arguments, store_url))
        return await start(command, [*arguments, "--short"], folder, store_url)

    monkeypatch.setattr(MeasuringProcess, "start", start_short)
    async with running(settings) as client:
        stores = (await client.get("/api/experiments/stores")).json()["items"]
        assert stores == [{"id": "embedded", "title": "New embedded files", "address": "embedded"}]
        refused = await client.post(f"{TABLE_1}/runs", json={"run_on": "embedded"})
        assert (refused.status_code, refused.json()["code"]) == (422, "experiment-takes-no-store")
        assert "nothing is executed" in refused.json()["message"]
        assert (await client.post(f"{PAGING}/runs", json={"run_on": "embedded"})).status_code == 202
        done = await until_ended(client, PAGING)
        assert (done["state"], done["store"]) == ("done", "embedded:")
        assert "The store embedded:, reached" in (await client.get(f"{PAGING}/result")).json()["how"]
        listed = {experiment["name"]: experiment for experiment in (await client.get("/api/experiments")).json()}
        assert listed["paging"]["not_on_stores"] is None
        assert listed["vldb-table-1"]["not_on_stores"].startswith("nothing is executed")
    assert [(arguments[-1], url) for arguments, url in started] == [("--store", "embedded:")]


SECRET = "cql://ada:secret@127.0.0.9:19042/shop?prefix=p_&consistency=ONE"  # no cluster: nothing is connected to


async def test_the_cluster_of_an_environment_is_for_who_deploys_to_it_and_shows_no_secret(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    async def start(command: str, arguments: list[str], folder: Path, store_url: str) -> MeasuringProcess:
        assert SECRET not in arguments
        started.append(store_url)
        raise OSError("it is not started")

    monkeypatch.setattr(MeasuringProcess, "start", start)
    async with running(replace(settings, store=SECRET)) as client:
        workbench = client._transport.app.state.workbench  # type: ignore[attr-defined]
        stores = workbench.experiment_stores
        (_, cluster) = stores.page(PageWish(), None).items
        place = cluster.id
        assert place.endswith("/development")
        assert cluster.address == "cql://127.0.0.9:19042/shop"
        application = place.partition("/")[0]

        def visitor(role: Role, place: str) -> Visitor:
            return Visitor(1, "ada", {EVERYWHERE: "developer", place: role})

        developer, deployer = visitor("developer", application), visitor("deployer", application)
        assert [store.id for store in stores.page(PageWish(), developer).items] == ["embedded"]
        with pytest.raises(ApiError) as refusal:
            stores.url(place, developer)
        assert (refusal.value.status, refusal.value.body.code) == (403, "role-needed")
        assert [store.id for store in stores.page(PageWish(), deployer).items] == ["embedded", place]
        assert stores.url(place, deployer) == SECRET
        unknown = await client.post(f"{PAGING}/runs", json={"run_on": "nowhere/development"})
        assert unknown.status_code == 404
        assert (await client.post(f"{PAGING}/runs", json={"run_on": SECRET})).status_code == 422
        assert (await client.post(f"{PAGING}/runs", json={"run_on": place})).status_code == 202
        await until_ended(client, PAGING)
    assert started == [SECRET]


async def test_the_file_of_an_environment_is_not_shared_with_an_experiment(
    settings: Settings, running: Running
) -> None:
    async with running(settings) as client:
        (application, *_) = (await client.get("/api/applications")).json()["items"]
        place = f"{application['id']}/{application['environments'][0]}"
        refused = await client.post(f"{PAGING}/runs", json={"run_on": place})
        assert (refused.status_code, refused.json()["code"]) == (409, "store-of-one"), refused.text
