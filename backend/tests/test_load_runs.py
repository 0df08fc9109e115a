"""Load runs are real ones: `piql load-test` in a process of its own, on the sample's store, for a second or two."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from patience import PATIENCE
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.load_runs.repository import LoadRunFiles
from piql_backend.people.service import People
from piql_backend.settings import Settings
from piql_backend.web.visitor import EVERYWHERE
from piql_profiler.load_runs.result_file import read_result

from .conftest import DEVELOPMENT, PASSWORD, Running, folder_of

SHORT = {"label": "short", "queries": [{"name": "findUser", "weight": 3}, {"name": "thoughtstream"}], "rates": [40],
         "seconds": 2}  # fmt: skip
LONG = {**SHORT, "label": "long", "seconds": 600}
ADD = {"queries": [{"name": "addUser"}], "rates": [20], "seconds": 1}


async def started(client: httpx.AsyncClient, body: dict) -> str:
    answer = await client.post(f"{DEVELOPMENT}/load-runs", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def until(client: httpx.AsyncClient, run_id: str, *states: str) -> dict:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        run = (await client.get(f"{DEVELOPMENT}/load-runs/{run_id}")).json()
        if run["state"] in states:
            return run
        assert run["state"] not in ("failed", "done", "cancelled", "stopped"), run
        await asyncio.sleep(0.05)
    raise AssertionError(f"the run does not become {states}: {run}")


async def test_a_run_calls_its_queries_and_its_result_opens_again(
    settings: Settings, running: Running, tmp_path: Path
) -> None:
    slo = {"quantile": 0.99, "threshold_ms": 500, "interval_seconds": 600}
    async with running(settings) as client:
        assert (await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo)).status_code == 200
        run_id = await started(client, SHORT)
        refused = await client.post(f"{DEVELOPMENT}/load-runs", json=SHORT)
        assert (refused.status_code, refused.json()["code"]) == (409, "load-run-under-way")
        run = await until(client, run_id, "done")
        assert run["has_result"]
        assert run["seconds_done"] == pytest.approx(2.0)
        (found, stream) = run["queries"]
        assert (found["name"], found["weight"], found["slo_threshold_ms"]) == ("findUser", 3.0, 500.0)
        assert stream["bound_operations"] == 101

    async with running(settings) as client:  # another start of the workbench
        listed = (await client.get(f"{DEVELOPMENT}/load-runs")).json()["items"]
        assert [run["id"] for run in listed] == [run_id]
        result = (await client.get(f"{DEVELOPMENT}/load-runs/{run_id}/result")).json()
        (step,) = result["steps"]
        assert step["heading"] == "Step 1: 40 calls a second for 2 s"
        assert [row[0] for row in step["rows"]] == ["findUser", "thoughtstream"]
        assert any("SLO p99 ≤ 500 ms" in remark for remark in step["remarks"])
        calls = sum(query["calls"] for second in result["timeline"] for query in second["queries"])
        kept = await client.get(f"{DEVELOPMENT}/load-runs/{run_id}/file?kind=json")
        (tmp_path / "run.json").write_text(kept.text)
        lines = read_result(tmp_path / "run.json").lines
        assert calls == sum(line.due for line in lines) > 40
        log = await client.get(f"{DEVELOPMENT}/load-runs/{run_id}/file?kind=hlog")
        assert "Tag=findUser:40:rt" in log.text
        page = await client.get(f"{DEVELOPMENT}/load-runs/{run_id}/page")
        assert page.text.startswith("<!doctype html>")
        assert "attachment" in page.headers["content-disposition"]
        compared = (await client.get(f"{DEVELOPMENT}/load-runs/{run_id}/comparisons/{run_id}")).json()
        assert {row[0] for row in compared["rows"]} == {"findUser", "thoughtstream"}
        assert (await client.delete(f"{DEVELOPMENT}/load-runs/{run_id}")).status_code == 204
        assert (await client.get(f"{DEVELOPMENT}/load-runs/{run_id}")).status_code == 404


async def test_whoever_listens_is_sent_every_second_and_a_cancelled_run_keeps_what_it_measured(
    client: httpx.AsyncClient,
) -> None:
    run_id = await started(client, LONG)
    while (await client.get(f"{DEVELOPMENT}/load-runs/{run_id}")).json()["seconds_done"] < 2:
        await asyncio.sleep(0.1)
    following = asyncio.create_task(client.get(f"{DEVELOPMENT}/load-runs/{run_id}/events"))
    await asyncio.sleep(0.5)
    assert (await client.post(f"{DEVELOPMENT}/load-runs/{run_id}/cancel")).json()["state"] == "cancelling"
    run = await until(client, run_id, "cancelled")
    assert run["has_result"]
    events = [event.split("\ndata: ") for event in (await following).text.strip().split("\n\n")]
    seconds = [second for kind, data in events if kind == "event: seconds" for second in json.loads(data)]
    assert [second["at"] for second in seconds[:2]] == [1.0, 2.0]  # also those before it began to listen
    assert seconds[1]["queries"][0]["query"] == "findUser"
    assert json.loads(events[-1][1])["state"] == "cancelled"
    result = (await client.get(f"{DEVELOPMENT}/load-runs/{run_id}/result")).json()
    assert any("partial" in sentence for sentence in result["endings"])
    again = await client.post(f"{DEVELOPMENT}/load-runs/{run_id}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "run-ended")


async def test_a_threshold_stops_a_run_and_says_so(client: httpx.AsyncClient) -> None:
    run_id = await started(client, {**LONG, "rates": [200], "stop_if": ["findUser p50 > 1us"]})
    run = await until(client, run_id, "stopped")
    assert run["message"].startswith("findUser p50 > 1us at second")


async def test_a_closed_loop_has_no_rate(client: httpx.AsyncClient) -> None:
    run_id = await started(client, {"queries": [{"name": "findUser"}], "seconds": 1, "connections": 2})
    assert (await until(client, run_id, "done"))["rates"] is None
    result = (await client.get(f"{DEVELOPMENT}/load-runs/{run_id}/result")).json()
    assert "Closed loop" in result["heading"]
    assert {second["asked"] for second in result["timeline"]} == {None}


async def test_a_write_that_nobody_has_seen_is_not_called(client: httpx.AsyncClient) -> None:
    refused = await client.post(f"{DEVELOPMENT}/load-runs", json=ADD)
    assert (refused.status_code, refused.json()["code"]) == (422, "load-run-writes")
    assert "addUser writes" in refused.json()["message"]
    assert (await client.get(f"{DEVELOPMENT}/load-runs")).json()["items"] == []
    run_id = await started(client, {**ADD, "allow_writes": ["addUser"]})
    await until(client, run_id, "done")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"queries": [{"name": "findUsers"}]}, "No query 'findUsers' is deployed: did you mean findUser?"),
        ({"stop_if": ["p99 < 5ms"]}, "'p99 < 5ms'"),
        ({"seconds": 3600, "rates": [1, 2]}, "The run would take 7,200 s"),
        ({"seconds": 3600, "rates": [100_000]}, "The run would make 360,000,000 calls"),
        ({"connections": 1, "clients": 2}, "Each client needs a connection"),
    ],
)
async def test_what_cannot_be_called_is_refused_with_the_reason(
    client: httpx.AsyncClient, change: dict, sentence: str
) -> None:
    refused = await client.post(f"{DEVELOPMENT}/load-runs", json={**SHORT, **change})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-load-run")
    assert sentence in refused.json()["message"]


async def test_a_run_that_was_under_way_when_the_backend_was_killed_has_failed(
    settings: Settings, running: Running
) -> None:
    async with running(settings) as client:
        run_id = await started(client, SHORT)
        run = await until(client, run_id, "done")
    state = folder_of(settings) / "load-runs" / run_id / "state.json"
    state.write_text(json.dumps({**run, "state": "running", "ended_at": None, "has_result": False}))
    LoadRunFiles(folder_of(settings) / "load-runs").folder("load-damaged").mkdir()
    (folder_of(settings) / "load-runs" / "load-damaged" / "state.json").write_text("{")
    async with running(settings) as client:
        (listed,) = (await client.get(f"{DEVELOPMENT}/load-runs")).json()["items"]
        assert (listed["state"], listed["has_result"]) == ("failed", True)
    result = state.with_name("result.json")
    result.write_bytes(result.read_bytes()[:200])  # as a process that is killed while it writes leaves it
    state.write_text(json.dumps({**run, "state": "running", "ended_at": None, "has_result": False}))
    async with running(settings) as client:
        (listed,) = (await client.get(f"{DEVELOPMENT}/load-runs")).json()["items"]
        assert (listed["state"], listed["has_result"]) == ("failed", False)
        assert (await client.get(f"{DEVELOPMENT}/load-runs/{run_id}/result")).json()["code"] == "run-without-result"


async def test_the_rules_of_an_environment_say_who_may_start_a_run(settings: Settings, running: Running) -> None:
    people, shown = People(settings.data / PEOPLE_FILE), {}
    for name, role in (("ada", "administrator"), ("dora", "developer"), ("dan", "deployer")):
        people.accounts.add(name, PASSWORD)
        people.accounts.set_role(name, EVERYWHERE, role)
        shown[name] = {"cookie": f"piql-session={people.sessions.begin(people.accounts.id_of(name), None)}"}
    people.close()
    async with running(replace(settings, team=True)) as client:

        async def rule(who: str) -> None:
            url = f"{DEVELOPMENT}/deploy-requests/rules"
            assert (await client.put(url, json={"load_runs_by": who}, headers=shown["ada"])).status_code == 200

        async def start(name: str) -> httpx.Response:
            return await client.post(f"{DEVELOPMENT}/load-runs", json=SHORT, headers=shown[name])

        await rule("nobody")
        assert (await start("ada")).json()["code"] == "load-runs-not-allowed"
        await rule("deployer")
        assert (await start("dora")).json()["code"] == "role-needed"
        begun = await start("dan")
        assert (begun.status_code, begun.json()["started_by"]) == (201, "dan")
