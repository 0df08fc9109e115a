"""Profile runs are real ones: the profiler in its own process, on one core, for a fraction of a second."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from patience import PATIENCE
from piql_backend.profile_runs import service
from piql_backend.settings import Settings
from piql_profiler.measure.grid import Operator
from piql_profiler.measure.histogram import Histogram
from piql_profiler.runs.run_files import RunDirectory, read_cells, read_info

from .conftest import DEVELOPMENT, folder_of

GRID = {"row_bytes": [200], "scan_rows": [1, 50], "sorted_child_rows": [5, 20], "sorted_rows": [5, 20]}
SHORT = {"label": "short", "grid": GRID, "interval_seconds": 0.3, "intervals": 2}
LONG = {"label": "long", "grid": GRID, "interval_seconds": 600, "intervals": 2}
SLO = {"quantile": 0.99, "threshold_ms": 500, "interval_seconds": 600}
SLOWED_DOWN = Operator.SORTED_INDEX_JOIN
Files = list[dict[str, str]]


async def started(client: httpx.AsyncClient, body: dict) -> str:
    answer = await client.post(f"{DEVELOPMENT}/profile-runs", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def until(client: httpx.AsyncClient, run_id: str, *states: str) -> dict:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        run = (await client.get(f"{DEVELOPMENT}/profile-runs/{run_id}")).json()
        if run["state"] in states:
            return run
        assert run["state"] not in ("failed", "done", "cancelled"), run
        await asyncio.sleep(0.05)
    raise AssertionError(f"the run does not become {states}: {run}")


async def test_a_run_measures_predicts_and_draws_a_heatmap(client: httpx.AsyncClient, files: Files) -> None:
    run_id = await started(client, SHORT)
    run = await until(client, run_id, "done")
    assert (run["progress"], run["label"], run["settings"]["grid"]) == (1.0, "short", "custom")
    assert {operator["operator"] for operator in run["operators_summary"]} == {"IndexScan", "SortedIndexJoin"}
    assert all(
        operator["samples"] > 0 and operator["p50_ms"] <= operator["p99_ms"] for operator in run["operators_summary"]
    )

    ask = {"files": files, "query": "thoughtstream", "run_id": run_id, "slo": SLO}
    answer = await client.post(f"{DEVELOPMENT}/predictions", json=ask)
    assert answer.status_code == 200, answer.text
    prediction = answer.json()
    assert prediction["p99_ms"] == max(prediction["p99_by_interval_ms"])
    assert 0 < prediction["p50_ms"] <= prediction["p99_ms"]
    assert prediction["meets_slo"] == (prediction["slo_quantile_ms"] <= 500)
    assert {operator["operator"] for operator in prediction["operators"]} == {"IndexScan", "SortedIndexJoin"}
    parts = sum(operator["part_of_p99_ms"] for operator in prediction["operators"])
    assert parts == pytest.approx(prediction["p99_ms"], rel=0.02)
    assert prediction["risk"]["intervals"] == len(prediction["p99_by_interval_ms"])
    assert not prediction["risk"]["is_shown"]
    assert prediction["conservative_p99_ms"] is None  # this grid has too few points
    assert prediction["warnings"]  # 100 subscriptions lie beyond this grid

    axes = {
        "x": {"symbol": "subscriptions.owner", "values": [5, 10, 100]},
        "y": {"symbol": "count", "values": [5, 10, 20]},
    }
    answer = await client.post(f"{DEVELOPMENT}/heatmaps", json=ask | axes)
    assert answer.status_code == 200, answer.text
    heatmap = answer.json()
    assert [len(row) for row in heatmap["p99_ms"]] == [3, 3, 3]
    assert all("extrapolated" not in row[:2] and row[2] == "extrapolated" for row in heatmap["state"])
    assert all(point["x"] <= 10 for point in heatmap["largest_safe"])
    assert heatmap["x"]["current"] == 100
    place = heatmap["x"]["number_range"]
    schema = next(file["text"] for file in files if file["path"] == "schema.piql")
    assert schema[place["start"] : place["end"]] == "100"

    along = {"x": axes["x"], "values": {"count": 10}}
    answer = await client.post(f"{DEVELOPMENT}/heatmaps", json=ask | along)
    assert answer.status_code == 200, answer.text
    curve = answer.json()
    (row,) = curve["p99_ms"]
    assert row == pytest.approx(heatmap["p99_ms"][1], rel=1e-3)  # transforms of one row or many round apart
    assert curve["state"] == [heatmap["state"][1]]
    assert (curve["x"]["current"], curve["x"]["number_range"]) == (100, place)
    assert curve["y"] is None
    assert curve["largest_safe"] in ([{"x": 5, "y": None}], [{"x": 10, "y": None}], [])
    for wrong in (along | {"values": {"none": 1}}, along | {"x": {"symbol": "none"}}):
        answer = await client.post(f"{DEVELOPMENT}/heatmaps", json=ask | wrong)
        assert (answer.status_code, answer.json()["code"]) == (422, "not-predictable")

    page = ask | {"page": "myThoughts, thoughtstream | myThoughts"}
    del page["query"]
    answer = await client.post(f"{DEVELOPMENT}/page-predictions", json=page)
    assert answer.status_code == 200, answer.text
    together = answer.json()
    assert (together["operations"], together["round_trips"]) == (1 + 101 + 1, 1 + 2)
    assert [part["query"] for part in together["parts"]] == ["myThoughts", "thoughtstream", "myThoughts"]
    assert together["parts"][1]["p99_ms"] == pytest.approx(prediction["p99_ms"])
    assert together["p99_ms"] >= prediction["p99_ms"]
    assert sum(part["part_of_p99_ms"] for part in together["parts"]) == pytest.approx(together["p99_ms"], rel=0.02)
    refusals = {
        "myThoughts,": "not-predictable",
        "none": "unknown-query",
        ", ".join(["myThoughts"] * 31): "page-too-long",
    }
    for wrong, code in refusals.items():
        assert (await client.post(f"{DEVELOPMENT}/page-predictions", json=page | {"page": wrong})).json()[
            "code"
        ] == code

    lacking = (
        await client.post(f"{DEVELOPMENT}/page-predictions", json=page | {"page": "myThoughts, postThought"})
    ).json()
    assert (lacking["query"], lacking["kind"]) == ("postThought", "not-measured")

    wide = {"quantile": 0.99, "threshold_ms": 10_000.0}
    answer = await client.post(f"{DEVELOPMENT}/safe-limits", json={"files": files, "run_id": run_id, "slo": wide})
    assert answer.status_code == 200, answer.text
    limits = answer.json()
    followers = next(limit for limit in limits["limits"] if limit["symbol"] == "subscriptions.owner")
    assert (followers["current"], followers["largest"], followers["binding"]) == (100, None, None)
    assert "thoughtstream" in followers["queries"]
    assert followers["number_range"] == place
    assert "thoughtstream" in limits["breaking"]  # pages of 50 were not measured, so nothing says that they are safe
    asked = {"files": files, "run_id": run_id, "slo": wide, "slos": {"myThoughts": wide | {"threshold_ms": 0.001}}}
    limits = (await client.post(f"{DEVELOPMENT}/safe-limits", json=asked)).json()
    pages = next(limit for limit in limits["limits"] if limit["queries"] == ["myThoughts"])
    assert (pages["largest"], pages["binding"]) == (None, "myThoughts")

    made = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "run_id": run_id})
    assert made.status_code == 201, made.text
    assert made.json()["run_id"] == run_id
    predicted = {query["name"]: query["predicted_p99_ms"] for query in made.json()["queries"]}
    assert predicted["thoughtstream"] == pytest.approx(prediction["typical_p99_ms"])
    assert predicted["postThought"] is None
    latency = (await client.get(f"{DEVELOPMENT}/latency/live")).json()
    assert latency["run_id"] == run_id
    seen = {query["query"]: query["predicted_p99_ms"] for query in latency["queries"]}
    assert seen["thoughtstream"] == pytest.approx(prediction["typical_p99_ms"])

    for axis in ("none", "subscriptions.owner"):
        wrong = ask | {"x": {"symbol": "subscriptions.owner"}, "y": {"symbol": axis}}
        answer = await client.post(f"{DEVELOPMENT}/heatmaps", json=wrong)
        assert (answer.status_code, answer.json()["code"]) == (422, "not-predictable")
    answer = await client.post(f"{DEVELOPMENT}/predictions", json=ask | {"query": "postThought"})
    assert (answer.status_code, answer.json()["kind"]) == (200, "not-measured")
    assert answer.json()["reason"].startswith("The profile has no measurement of ")
    assert (await client.post(f"{DEVELOPMENT}/predictions", json=ask | {"query": "none"})).status_code == 404

    assert (await client.delete(f"{DEVELOPMENT}/profile-runs/{run_id}")).status_code == 204
    assert (await client.get(f"{DEVELOPMENT}/profile-runs/{run_id}")).status_code == 404
    assert (await client.get(f"{DEVELOPMENT}/profile-runs")).json()["items"] == []


async def test_what_a_run_has_not_measured_is_said_with_the_point_that_it_lacks(
    client: httpx.AsyncClient, files: Files
) -> None:
    run_id = await started(client, SHORT)
    await until(client, run_id, "done")
    join = "usersFollowedBy"
    read = "SELECT text FROM thoughts WHERE owner = [1: me] LIMIT"
    texts = {"far": f"{read} 9000;", "near": f"{read} 5;", "all": "SELECT *;"}
    extra = [{"path": f"{name}.piql", "text": f"CREATE QUERY {name} AS {text}"} for name, text in texts.items()]
    ask = {"files": files + extra, "run_id": run_id, "slo": SLO}

    answer = await client.post(f"{DEVELOPMENT}/prediction-sets", json=ask | {"queries": [*texts, "nobody", join]})
    assert answer.status_code == 200, answer.text
    found = {prediction["query"]: prediction for prediction in answer.json()["predictions"]}
    assert list(found) == ["far", "near", join]  # neither what has no bound nor what is not there
    assert found["near"] == (await client.post(f"{DEVELOPMENT}/predictions", json=ask | {"query": "near"})).json()
    assert found["near"]["p99_ms"] > 0
    assert (found["far"]["kind"], found["far"]["missing"]["rows"]) == ("beyond-measured", 9000)
    assert (found[join]["kind"], found[join]["missing"]["operator"]) == ("not-measured", "IndexFKJoin")
    assert found[join]["missing"]["child_rows"] == 100
    everything = (await client.post(f"{DEVELOPMENT}/prediction-sets", json=ask)).json()["predictions"]
    assert len(everything) == len(files) - 1 + 2

    for query, values, kind in (("far", [8000, 9000], "beyond-measured"), (join, [5, 10], "not-measured")):
        compiled = (await client.post("/api/compilations", json={"files": ask["files"]})).json()
        axes = next(read["axes"] for read in compiled["queries"] if read["name"] == query)
        along = {"query": query, "x": {"symbol": axes[0]["symbol"], "values": values}}
        answer = await client.post(f"{DEVELOPMENT}/heatmaps", json=ask | along)
        assert (answer.status_code, answer.json()["kind"]) == (200, kind)


async def test_a_cancelled_run_lets_the_next_one_begin(client: httpx.AsyncClient, files: Files) -> None:
    first = await started(client, LONG)
    second = await started(client, LONG)
    await until(client, first, "running")
    assert (await client.get(f"{DEVELOPMENT}/profile-runs/{second}")).json()["state"] == "queued"
    assert (await client.delete(f"{DEVELOPMENT}/profile-runs/{first}")).status_code == 409
    assert (await client.post(f"{DEVELOPMENT}/profile-runs/{first}/cancel")).json()["state"] in (
        "cancelling",
        "cancelled",
    )
    await until(client, first, "cancelled")  # its intervals take twenty minutes
    await until(client, second, "starting", "running")
    await client.post(f"{DEVELOPMENT}/profile-runs/{second}/cancel")
    await until(client, second, "cancelled")
    again = await client.post(f"{DEVELOPMENT}/profile-runs/{second}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "run-ended")
    ask = {"files": files, "query": "thoughtstream", "run_id": first}
    answer = await client.post(f"{DEVELOPMENT}/predictions", json=ask)
    assert (answer.status_code, answer.json()["code"]) == (409, "run-not-done")


async def test_a_cancelled_run_is_resumed_behind_what_it_has_measured(client: httpx.AsyncClient) -> None:
    run_id = await started(client, SHORT | {"interval_seconds": 3, "intervals": 3})
    again = await client.post(f"{DEVELOPMENT}/profile-runs/{run_id}/resume")
    assert (again.status_code, again.json()["code"]) == (409, "run-not-broken-off")
    run = await until(client, run_id, "running")
    while run["points_done"] <= run["points_total"] / 3:
        await asyncio.sleep(0.05)
        run = (await client.get(f"{DEVELOPMENT}/profile-runs/{run_id}")).json()
    await client.post(f"{DEVELOPMENT}/profile-runs/{run_id}/cancel")
    await until(client, run_id, "cancelled")
    resumed = await client.post(f"{DEVELOPMENT}/profile-runs/{run_id}/resume")
    assert (resumed.status_code, resumed.json()["state"]) == (200, "queued")
    run = await until(client, run_id, "running", "done")
    assert run["points_done"] >= run["points_total"] / 3
    done = await until(client, run_id, "done")
    assert (done["message"], done["progress"]) == (None, 1.0)
    assert all(operator["samples"] > 0 for operator in done["operators_summary"])


def as_if_it_had_been_fast(measurements: Path) -> None:
    """Let the profile say that sorted joins took microseconds, and a look be there that saw them take longer."""
    cells, settings = read_cells(measurements), read_info(measurements).settings
    looks = (measurements / "drift.json").read_text()
    shutil.rmtree(measurements)
    directory = RunDirectory(measurements, settings)
    fast = Histogram.of([2.0] * 2_000)
    cells = [
        replace(cell, histogram=fast, effective=None) if cell.point.operator is SLOWED_DOWN else cell for cell in cells
    ]
    for interval in range(settings.intervals):
        directory.write_interval(interval, [cell for cell in cells if cell.interval == interval])
    directory.end("done")
    content = json.loads(looks)
    for canary in content["looks"][0]["canaries"]:
        factor = 50.0 if canary["point"][0] == SLOWED_DOWN.value else 1.0
        canary |= {"then_us": [100.0, 95.0, 105.0], "now_us": [100.0 * factor, 95.0 * factor, 105.0 * factor]}
    (measurements / "drift.json").write_text(json.dumps({"looks": content["looks"] * 2}))


async def test_a_stale_run_says_so_and_is_measured_anew_where_it_is(
    client: httpx.AsyncClient, settings: Settings, files: Files
) -> None:
    run_id = await started(client, SHORT)
    early = await client.post(f"{DEVELOPMENT}/profile-runs/{run_id}/look")
    assert (early.status_code, early.json()["code"]) == (409, "run-not-done")
    assert (await until(client, run_id, "done"))["drift"] is None

    looked = await client.post(f"{DEVELOPMENT}/profile-runs/{run_id}/look", timeout=PATIENCE)
    assert looked.status_code == 200, looked.text
    drift = looked.json()["drift"]
    assert drift["low"] < drift["factor"] < drift["high"]
    assert (drift["looks"], drift["stale_operators"]) == (1, [])
    refused = await client.post(f"{DEVELOPMENT}/profile-runs", json={"refreshes": run_id})
    assert (refused.status_code, refused.json()["code"]) == (409, "run-not-stale")

    as_if_it_had_been_fast(folder_of(settings) / "profile-runs" / run_id / "measurements")
    looked = await client.post(f"{DEVELOPMENT}/profile-runs/{run_id}/look", timeout=PATIENCE)
    assert looked.json()["drift"]["stale_operators"] == [SLOWED_DOWN.value]
    ask = {"files": files, "query": "thoughtstream", "run_id": run_id, "slo": SLO}
    warnings = (await client.post(f"{DEVELOPMENT}/predictions", json=ask)).json()["warnings"]
    assert any("the profile is stale: SortedIndexJoin" in warning for warning in warnings)

    again = await started(client, {"refreshes": run_id, "label": "again"})
    run = await until(client, again, "done")
    assert (run["label"], run["drift"], run["settings"]["intervals"]) == ("again", None, 2)
    assert {operator["operator"] for operator in run["operators_summary"]} == {"IndexScan", "SortedIndexJoin"}
    folders = [folder_of(settings) / "profile-runs" / folder / "measurements" for folder in (run_id, again)]
    old, new = ({(cell.point, cell.interval): cell.started_at for cell in read_cells(folder)} for folder in folders)
    assert {at[0].operator for at in old if old[at] != new[at]} == {SLOWED_DOWN}


class _Look:
    """In the place of the profiler's process: measures until it is told to end."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()
        self.may_end = asyncio.Event()

    async def start(self, command: str, arguments: object, folder: Path, store_url: str) -> _Look:
        self.has_begun.set()
        return self

    async def follow(self, on_progress: object) -> tuple[int, str]:
        await self.may_end.wait()
        return 0, ""

    async def cancel(self) -> None:
        self.may_end.set()


async def test_a_run_is_not_removed_while_it_is_measured_again(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{DEVELOPMENT}/profile-runs/{await started(client, SHORT)}"
    await until(client, url.rpartition("/")[2], "done")
    look = _Look()
    monkeypatch.setattr(service, "MeasuringProcess", look)
    looking = asyncio.create_task(client.post(f"{url}/look", timeout=PATIENCE))
    await look.has_begun.wait()
    refused = await client.delete(url)
    assert (refused.status_code, refused.json()["code"]) == (409, "measuring")
    look.may_end.set()
    assert (await looking).status_code == 200
    assert (await client.delete(url)).status_code == 204


async def test_events_tell_every_change_and_end_with_the_run(client: httpx.AsyncClient) -> None:
    run_id = await started(client, SHORT)
    async with asyncio.timeout(PATIENCE):
        events = (await client.get(f"{DEVELOPMENT}/profile-runs/{run_id}/events")).text
    runs = [json.loads(line.removeprefix("data: ")) for line in events.splitlines() if line.startswith("data: ")]
    assert events.startswith("event: progress\n")
    assert runs[-1]["state"] == "done"
    progress = [run["progress"] for run in runs]
    assert progress == sorted(progress)


async def test_a_run_that_was_under_way_at_the_end_of_the_backend_has_failed(
    settings: Settings, running: object
) -> None:
    async with running(settings) as client:  # type: ignore[operator]
        run_id = await started(client, LONG)
        waiting = await started(client, LONG)
        await until(client, run_id, "running")
    async with running(settings) as client:  # type: ignore[operator]
        run = (await client.get(f"{DEVELOPMENT}/profile-runs/{run_id}")).json()
        assert run["state"] == "failed"
        assert "stopped" in run["message"]
        left = {entry.name for entry in (folder_of(settings) / "profile-runs" / run_id).iterdir()}
        assert left <= {"state.json", "measurements"}
        assert (await client.get(f"{DEVELOPMENT}/profile-runs/{waiting}")).json()["state"] in (
            "queued",
            "starting",
            "running",
        )


def process_of(run_id: str) -> int:
    """The process that measures a run: its folder is among the arguments."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # a process that has ended meanwhile
            if run_id.encode() in (entry / "cmdline").read_bytes():
                return int(entry.name)
    raise AssertionError(f"no process measures {run_id}")


async def test_a_profiler_that_is_killed_is_said_and_its_run_can_be_resumed(client: httpx.AsyncClient) -> None:
    run_id = await started(client, SHORT | {"interval_seconds": 600})
    await until(client, run_id, "running")
    os.kill(process_of(run_id), signal.SIGKILL)
    async with asyncio.timeout(PATIENCE):
        while (run := (await client.get(f"{DEVELOPMENT}/profile-runs/{run_id}")).json())["ended_at"] is None:
            await asyncio.sleep(0.05)
    assert (run["state"], run["message"]) == (
        "failed",
        "The profiler was killed by signal 9. Resume the run: what was measured is kept.",
    )
    assert (await client.post(f"{DEVELOPMENT}/profile-runs/{run_id}/resume")).status_code == 200
    await until(client, run_id, "running")
    assert (await client.post(f"{DEVELOPMENT}/profile-runs/{run_id}/cancel")).status_code in (200, 202)


async def test_a_run_on_a_store_that_does_not_answer_fails_with_a_message_and_tells_no_password(
    settings: Settings, running: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    url, shown = "cql://me:s3cr3t@127.0.0.1:1/none?timeout=1", "cql://me:…@127.0.0.1:1/none?timeout=1"
    started_with: list[str] = []
    start = asyncio.create_subprocess_exec

    async def seen(*arguments: str, **options: object) -> asyncio.subprocess.Process:
        started_with.append(" ".join(arguments))
        return await start(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", seen)
    async with running(replace(settings, profile_stores=(url,))) as client:  # type: ignore[operator]
        for named in (shown, url):
            run_id = await started(client, SHORT | {"store_url": named})
            deadline = time.monotonic() + PATIENCE
            while (run := (await client.get(f"{DEVELOPMENT}/profile-runs/{run_id}")).json())["ended_at"] is None:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.1)
            assert run["state"] == "failed"
            assert "the cluster cql://127.0.0.1:1/none cannot be reached" in run["message"]
            assert run["settings"]["store_url"] == shown
            assert "s3cr3t" not in json.dumps(run)
    assert len(started_with) == 2
    assert "s3cr3t" not in "".join(started_with) + caplog.text
    kept = [file for file in settings.data.rglob("*") if file.is_file()]
    assert any(file.name == "run.json" for file in kept)
    assert [file for file in kept if b"s3cr3t" in file.read_bytes()] == []


@pytest.mark.parametrize("named", ["cql://127.0.0.1:22/none", "cql://me:guess@10.0.0.1/none", "cql://db:1/none"])
async def test_a_store_that_was_not_named_at_the_start_is_never_connected_to(
    settings: Settings, running: object, named: str
) -> None:
    known = replace(settings, profile_stores=("cql://me:s3cr3t@db/none", "cql://10.0.0.1/none"))
    async with running(known) as client:  # type: ignore[operator]
        answer = await client.post(f"{DEVELOPMENT}/profile-runs", json=SHORT | {"store_url": named})
        assert (answer.status_code, answer.json()["code"]) == (403, "store-not-listed")
        assert "guess" not in answer.text
        assert (await client.get(f"{DEVELOPMENT}/profile-runs")).json()["items"] == []


async def test_a_password_of_an_earlier_version_is_taken_out_of_its_file(settings: Settings, running: object) -> None:
    async with running(settings) as client:  # type: ignore[operator]
        run_id = await started(client, LONG)
    file = folder_of(settings) / "profile-runs" / run_id / "state.json"
    content = json.loads(file.read_text())
    content["request"]["store_url"] = "cql://me:s3cr3t@db/none"
    file.write_text(json.dumps(content))
    file.chmod(0o644)
    async with running(settings) as client:  # type: ignore[operator]
        assert (await client.get(f"{DEVELOPMENT}/profile-runs/{run_id}")).status_code == 200
    assert "s3cr3t" not in file.read_text()
    assert settings.data.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "change",
    [
        {"grid": "huge"},
        {"grid": {"row_bytes": []}},
        {"grid": {"row_bytes": [0]}},
        {"grid": {"row_bytes": [40], "more": [1]}},
        {"grid": {"row_bytes": [40]}},
        {"grid": {"row_bytes": [40], "columns": [20], "scan_rows": [1]}},
        {"grid": {"row_bytes": list(range(1, 51)), "scan_rows": list(range(1, 51))}},
        {"interval_seconds": 0},
        {"intervals": 0},
        {"store_url": "file:///etc/passwd"},
        {"store_url": "embedded:/tmp/somewhere"},
    ],
)
async def test_a_run_that_makes_no_sense_is_refused(client: httpx.AsyncClient, change: dict) -> None:
    answer = await client.post(f"{DEVELOPMENT}/profile-runs", json=SHORT | change)
    assert answer.status_code == 422, answer.text
    assert (await client.get(f"{DEVELOPMENT}/profile-runs")).json()["items"] == []


async def test_a_run_is_downloaded_as_a_log_and_another_is_made_of_it(client: httpx.AsyncClient, files: Files) -> None:
    measured = await until(client, await started(client, SHORT), "done")
    download = await client.get(f"{DEVELOPMENT}/profile-runs/{measured['id']}/log")
    assert download.headers["content-type"].startswith("text/plain")
    assert download.headers["content-disposition"].startswith(f'attachment; filename="{measured["id"]}.hlog"')

    body = {"label": "from elsewhere", "log": download.text}
    queued = await client.post(f"{DEVELOPMENT}/profile-runs/imports", json=body)
    assert (queued.status_code, queued.json()["settings"]["grid"]) == (201, "imported")
    made = await until(client, queued.json()["id"], "done")
    counts = [
        {summary["operator"]: summary["samples"] for summary in run["operators_summary"]} for run in (measured, made)
    ]
    assert counts[0] == counts[1]
    assert (made["label"], made["settings"]["intervals"]) == ("from elsewhere", 2)

    answers = []
    for run in (measured, made):
        ask = {"files": files, "query": "thoughtstream", "run_id": run["id"]}
        answers.append((await client.post(f"{DEVELOPMENT}/predictions", json=ask)).json()["p99_ms"])
    assert answers[1] == pytest.approx(answers[0], rel=0.5)  # a log does not say how executions depend on each other


async def test_a_log_without_measurements_fails_with_what_is_missing_and_is_not_resumed(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.post(f"{DEVELOPMENT}/profile-runs/imports", json={"log": "Tag=somebody,0,1,2,HIST"})
    run = await until(client, answer.json()["id"], "failed")
    assert run["message"].startswith("imported.hlog has no line of a point, as `Tag=IndexScan:1:10:200:st,…`")
    again = await client.post(f"{DEVELOPMENT}/profile-runs/{run['id']}/resume")
    assert (again.status_code, again.json()["code"]) == (409, "run-imported")
    unfinished = await client.get(f"{DEVELOPMENT}/profile-runs/{run['id']}/log")
    assert (unfinished.status_code, unfinished.json()["code"]) == (409, "run-not-done")


async def test_unknown_runs_are_not_found(client: httpx.AsyncClient, files: Files) -> None:
    for method, url in (("GET", ""), ("GET", "/events"), ("POST", "/cancel"), ("POST", "/resume"), ("DELETE", "")):
        answer = await client.request(method, f"{DEVELOPMENT}/profile-runs/none{url}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-run")
    ask = {"files": files, "query": "thoughtstream", "run_id": "../../etc"}
    assert (await client.post(f"{DEVELOPMENT}/predictions", json=ask)).status_code == 404
