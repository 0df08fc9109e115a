"""A load run that is carried out elsewhere is listed, followed while it goes on, and compared as any other."""

from __future__ import annotations

import asyncio
import gzip
import json

import httpx
import pytest
from piql_backend.load_runs import service

from .conftest import DEVELOPMENT
from .test_load_runs import SHORT, started, until

RUNS = f"{DEVELOPMENT}/load-runs"
BEGIN = {
    "label": "nightly",
    "queries": [{"name": "findUser", "weight": 3}, {"name": "thoughtstream"}],
    "rates": [40.0],
    "seconds": 2.0,
    "seconds_total": 2.0,
    "connections": 16,
    "clients": 1,
    "seed": 1,
    "stop_if": ["p99 > 5s"],
}


def second(at: float) -> dict[str, object]:
    """A second of a run, as the command has it."""
    percentiles = dict.fromkeys(("p50_ms", "p99_ms", "window_p50_ms", "window_p99_ms"), 1.5)
    counts = {"errors": 0, "refused": 0, "backlog": 0}
    return {"at": at, "asked": 40.0, "done": 39.0, **counts, **percentiles, "computing": 0.1, "queries": []}


async def report(client: httpx.AsyncClient, path: str, **fields: object) -> httpx.Response:
    """Post what the command posts: JSON that is compressed."""
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    return await client.post(f"{RUNS}/{path}", content=gzip.compress(json.dumps(fields).encode()), headers=headers)


async def begun(client: httpx.AsyncClient, **changes: object) -> str:
    answer = await report(client, "reported", **{**BEGIN, **changes})
    assert answer.status_code == 201, answer.text
    run = answer.json()
    assert (run["state"], run["is_reported"]) == ("running", True)
    return str(run["id"])


async def test_a_reported_run_is_followed_and_compared_with_one_that_the_workbench_carried_out(
    client: httpx.AsyncClient,
) -> None:
    own = await started(client, SHORT)
    run_id = await begun(client)  # another run goes on meanwhile
    await until(client, own, "done")
    result = json.loads((await client.get(f"{RUNS}/{own}/file?kind=json")).text)

    following = asyncio.create_task(client.get(f"{RUNS}/{run_id}/events"))
    for at in (1.0, 2.0):
        answer = await report(client, f"{run_id}/seconds", seconds=[second(at)])
        assert (answer.status_code, answer.json()["seconds_done"]) == (200, at)
    await asyncio.sleep(0.1)
    ended = (await report(client, f"{run_id}/reported-result", result=result)).json()
    assert (ended["state"], ended["has_result"]) == ("done", True)
    events = [event.split("\ndata: ") for event in (await following).text.strip().split("\n\n")]
    seconds = [second for kind, data in events if kind == "event: seconds" for second in json.loads(data)]
    assert [second["at"] for second in seconds] == [1.0, 2.0]

    compared = (await client.get(f"{RUNS}/{own}/comparisons/{run_id}")).json()
    assert {row[0] for row in compared["rows"]} == {"findUser", "thoughtstream"}
    assert "Tag=findUser:40:rt" in (await client.get(f"{RUNS}/{run_id}/file?kind=hlog")).text
    assert (await client.get(f"{RUNS}/{run_id}/page")).text.startswith("<!doctype html>")
    again = await report(client, f"{run_id}/reported-result", result=result)
    assert (again.status_code, again.json()["code"]) == (409, "run-ended")


async def test_who_reports_a_run_is_told_that_somebody_cancelled_it(client: httpx.AsyncClient) -> None:
    run_id = await begun(client)
    assert (await client.post(f"{RUNS}/{run_id}/cancel")).json()["state"] == "cancelling"
    answer = await report(client, f"{run_id}/seconds", seconds=[second(1.0)])
    assert answer.json()["state"] == "cancelling"


async def test_a_run_of_which_nothing_is_heard_has_failed(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "SILENT_SECONDS", 0.05)
    run_id = await begun(client)
    while (run := (await client.get(f"{RUNS}/{run_id}")).json())["state"] == "running":
        await asyncio.sleep(0.02)
    assert (run["state"], run["message"]) == ("failed", "Nothing was heard of it for 0.05 s.")
    late = await report(client, f"{run_id}/seconds", seconds=[second(1.0)])
    assert (late.status_code, late.json()["code"]) == (409, "run-ended")


async def test_what_cannot_be_right_is_refused(client: httpx.AsyncClient) -> None:
    unknown = await client.post(f"{RUNS}/reported", json={**BEGIN, "queries": [{"name": "findUsers"}]})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-query")
    run_id = await begun(client)
    wrong = await client.post(f"{RUNS}/{run_id}/reported-result", json={"result": {"format": "other"}})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid-load-result")
    own = await started(client, SHORT)
    meddling = await client.post(f"{RUNS}/{own}/seconds", json={"seconds": [second(1.0)]})
    assert (meddling.status_code, meddling.json()["code"]) == (409, "run-not-reported")
    await until(client, own, "done")
