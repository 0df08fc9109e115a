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
        assert (await client.post(f"{LONG}/cancel")).json()["state"] == "cancelling"
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
