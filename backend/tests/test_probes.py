"""What machines ask: alive, ready, and how much of what."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import duckdb
import httpx
import pytest
from piql_backend.database.connection import Database
from piql_backend.environments.environment import Environment
from piql_backend.executions.observations import Observations
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT
from .test_reports import HEADERS, REPORTS, shipment

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
EXECUTION = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"


async def test_a_workbench_that_is_well_says_so(client: httpx.AsyncClient) -> None:
    for url in ("/healthz", "/readyz"):
        answer = await client.get(url)
        assert (answer.status_code, answer.json()) == (200, {"is_well": True, "problems": []})


async def test_a_store_that_does_not_answer_is_named_and_its_environment_alone_is_not_well(
    settings: Settings, running: Running
) -> None:
    away = replace(settings, store=f"embedded:{settings.data}")  # a folder is no store
    async with running(away) as client:
        health = await client.get(f"{DEVELOPMENT}/health")
        assert (health.status_code, health.json()["status"]) == (503, "degraded")
        said = [f"scadr/development: {problem['message']}" for problem in health.json()["problems"]]
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()) == (200, {"is_well": True, "problems": said})
        assert said[0].startswith("scadr/development: cannot open the embedded store ")
        assert (await client.get("/healthz")).status_code == 200


async def test_a_database_that_does_not_answer_is_named_and_its_environment_alone_is_not_well(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Database) -> None:
        raise duckdb.IOException("the file is gone")

    with monkeypatch.context() as patched:
        patched.setattr(Database, "read", fails)
        health = await client.get(f"{DEVELOPMENT}/health")
        ready = await client.get("/readyz")
    said = "DuckDB does not answer: the file is gone"
    assert (health.status_code, [problem["message"] for problem in health.json()["problems"]]) == (503, [said])
    assert (ready.status_code, ready.json()["problems"]) == (200, [f"scadr/development: {said}"])
    assert (await client.get("/readyz")).json()["problems"] == []


async def test_an_environment_that_cannot_be_opened_is_named_until_its_application_is_in_the_archive(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_: Environment) -> None:
        raise duckdb.IOException("no such file")

    monkeypatch.setattr(Environment, "open", fails)
    async with running(settings) as client:
        ready = await client.get("/readyz")
        said = "The environment scadr/development cannot be opened: no such file"
        assert (ready.status_code, ready.json()["problems"]) == (200, [f"scadr/development: {said}"])
        assert (await client.get(f"{DEVELOPMENT}/health")).status_code == 503
        assert (await client.patch("/api/applications/scadr", json={"is_archived": True})).status_code == 200
        assert (await client.get("/readyz")).json()["problems"] == []


async def test_without_its_data_folder_it_is_not_ready(client: httpx.AsyncClient, settings: Settings) -> None:
    aside = settings.data.with_name("aside")
    settings.data.rename(aside)
    ready = await client.get("/readyz")
    aside.rename(settings.data)
    assert ready.status_code == 503
    assert f"The data folder {settings.data} is gone: nothing is saved." in ready.json()["problems"]
    assert (await client.get("/readyz")).status_code == 200


async def test_a_thread_that_ended_is_not_alive(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Observations, "is_running", False)
    answer = await client.get("/healthz")
    assert (answer.status_code, answer.json()["is_well"]) == (503, False)


async def test_metrics_count_requests_and_executions_in_prometheus_form(client: httpx.AsyncClient) -> None:
    for _ in range(3):
        assert (await client.post(EXECUTION, json={"parameters": {"username": "none"}})).status_code == 200
    assert (await client.post(EXECUTION, json={})).status_code == 422
    answer = await client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    sample = re.compile(r'[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? [0-9.e+-]+')
    assert [line for line in lines if not line.startswith("# ") and not sample.fullmatch(line)] == []
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("# "))
    assert values['piql_execution_seconds_count{application="scadr",environment="development",query="findUser"}'] == "3"
    assert (
        values[
            'piql_execution_seconds_bucket{application="scadr",environment="development",query="findUser",le="+Inf"}'
        ]
        == "3"
    )
    assert values['piql_executions_failed_total{application="scadr",environment="development",query="findUser"}'] == "0"
    assert values['piql_http_requests_total{method="POST",status="200"}'] == "3"
    assert values['piql_http_requests_total{method="POST",status="422"}'] == "1"
    assert float(values["process_resident_memory_bytes"]) > 10_000_000
    buckets = [int(value) for name, value in values.items() if name.startswith("piql_execution_seconds_bucket")]
    assert buckets == sorted(buckets)
    families = re.findall(r"^# TYPE (\w+) (?:counter|gauge|histogram)$", answer.text, re.MULTILINE)
    assert len(families) == len(set(families)) == len(re.findall(r"^# HELP ", answer.text, re.MULTILINE))


async def test_metrics_have_what_was_reported_with_a_bucket_at_each_slo(client: httpx.AsyncClient) -> None:
    slo = {"quantile": 0.99, "threshold_ms": 3.7, "interval_seconds": 600}
    assert (await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo)).status_code == 200
    for sequence, (count, ms, size) in enumerate([(7, 2.0, 1), (2, 3.9, 1), (1, 2.0, 9)]):
        content = shipment(count, ms, sequence, size=size)
        for _ in range(2):  # what comes again is not counted again
            assert (await client.post(REPORTS, content=content, headers=HEADERS)).status_code == 200
    lines = (await client.get("/metrics")).text.splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("# "))
    labels = 'application="scadr",environment="development",query="findUser"'
    bucket = f'piql_reported_execution_seconds_bucket{{{labels},le="%s"}}'
    assert [values[bucket % edge] for edge in ("0.001", "0.0037", "0.005", "+Inf")] == ["0", "8", "10", "10"]
    assert values[f'piql_reported_executions_total{{{labels},outcome="ok"}}'] == "10"
    assert values[f"piql_reported_over_bound_total{{{labels}}}"] == "1"
    assert float(values[f"piql_reported_execution_seconds_sum{{{labels}}}"]) == pytest.approx(0.0238, rel=0.023)
