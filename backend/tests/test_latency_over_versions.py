"""What was observed goes on over deployments, and is held against the prediction for its own size."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from time import time
from typing import Any

import httpx
import numpy as np
import pytest
from piql.client.database import Observation
from piql.reporting.cells import Folded, bucket_of
from piql.reporting.shipment import shipments
from piql_backend.database.connection import Database, now
from piql_backend.executions.observations import Observations, ObservedExecution
from piql_backend.profile_runs.schemas import ProfileRunRead
from piql_backend.profile_runs.service import ProfileRuns
from piql_backend.settings import Settings
from piql_backend.workers.pool import WorkerPool

from .conftest import DEVELOPMENT, folder_of, run_workbench, settings_for

Files = list[dict[str, str]]
Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
RECORDED = Path(__file__).parents[2] / "profiler" / "tests" / "recorded-run"
FEED = "queries/thoughtstream.piql"
SLO = {"quantile": 0.99, "threshold_ms": 60_000, "interval_seconds": 86_400}


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> str:
    """Stands for a profile run that was done long ago: the id by which it is asked for. Only workers may use it."""
    return put_recorded_run(monkeypatch)


def put_recorded_run(patch: pytest.MonkeyPatch) -> str:
    def predicts_here(*_: object) -> None:
        raise AssertionError("the server predicts itself, which is for workers")

    patch.setattr("piql_backend.predictions.service.build_model", predicts_here)
    run = ProfileRunRead.model_construct(id="recorded", drift=None)
    patch.setattr(ProfileRuns, "measurements_of", lambda self, run_id: RECORDED)
    patch.setattr(ProfileRuns, "read", lambda self, run_id: run)
    return "recorded"


@pytest.fixture(scope="module")
def deployed_once(first_start: Path, workers: WorkerPool, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a workbench that has deployed the sample with the predictions of the recorded run."""
    data = tmp_path_factory.mktemp("deployed") / "data"
    shutil.copytree(first_start, data)

    async def start_and_deploy(run_id: str) -> None:
        async with run_workbench(settings_for(data), workers) as client:
            application = (await client.get("/api/applications/scadr")).json()
            await deploy(
                client, [{"path": file["path"], "text": file["text"]} for file in application["files"]], run_id
            )

    with pytest.MonkeyPatch.context() as patch:
        asyncio.run(start_and_deploy(put_recorded_run(patch)))
    return data


@pytest.fixture
def deployed(deployed_once: Path, tmp_path: Path) -> Settings:
    shutil.copytree(deployed_once, tmp_path / "data")
    return settings_for(tmp_path / "data")


async def deploy(client: httpx.AsyncClient, files: Files, run_id: str | None = None) -> None:
    live = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["version"]
    body = {"files": files, "run_id": run_id, "base_version": live}
    made = await client.post(f"{DEVELOPMENT}/deployments", json=body)
    assert made.status_code == 201, made.text


def changed(files: Files, change: Callable[[str], str]) -> Files:
    return [file | {"text": change(file["text"])} if file["path"] == FEED else file for file in files]


async def run_feed(client: httpx.AsyncClient, times: int) -> None:
    sample = (await client.get(f"{DEVELOPMENT}/deployments/live/queries/thoughtstream/sample-parameters")).json()
    for _ in range(times):
        url = f"{DEVELOPMENT}/deployments/live/queries/thoughtstream/executions"
        assert (await client.post(url, json={"parameters": sample["parameters"]})).status_code == 200


async def latency_of(client: httpx.AsyncClient, query: str = "thoughtstream") -> tuple[dict[str, Any], dict[str, Any]]:
    """The whole answer, and its part for one query."""
    answer = (await client.get(f"{DEVELOPMENT}/latency/live")).json()
    return answer, next(read for read in answer["queries"] if read["query"] == query)


async def charts_of(client: httpx.AsyncClient, query: str = "thoughtstream") -> dict[str, Any]:
    charts: dict[str, Any] = (await client.get(f"{DEVELOPMENT}/latency/live/charts/{query}")).json()
    return charts


async def test_a_comment_empties_nothing_and_a_new_plan_is_marked(client: httpx.AsyncClient, files: Files) -> None:
    await run_feed(client, 3)
    assert (await client.put(f"{DEVELOPMENT}/slos/thoughtstream", json=SLO)).status_code == 200
    await deploy(client, changed(files, lambda text: f"-- the same feed\n{text}"))
    await run_feed(client, 2)
    answer, feed = await latency_of(client)
    assert (feed["executions"], feed["plan_since"]) == (5, 1)
    assert sum(point["count"] for point in (await charts_of(client))["series"]) == 5
    assert (feed["compliance"]["kept"] + feed["compliance"]["too_few"], feed["slo"]["threshold_ms"]) == (1, 60_000)
    assert [(marker["version"], marker["changed"]) for marker in answer["markers"]][1:] == [(2, [])]
    assert feed["agreement"] is None  # deployed without a profile

    await deploy(client, changed(files, lambda text: text.replace("MAX 50", "MAX 20")))
    await run_feed(client, 1)
    answer, feed = await latency_of(client)
    assert (feed["executions"], feed["plan_since"]) == (1, 3)
    charts = await charts_of(client)
    assert sum(place["count"] for place in charts["histogram"]) == 1
    assert sum(point["count"] for point in charts["series"]) == 6
    assert answer["markers"][-1]["changed"] == ["thoughtstream"]
    _, other = await latency_of(client, "myThoughts")
    assert other["plan_since"] == 1

    earlier = (await client.get(f"{DEVELOPMENT}/latency/d2")).json()
    assert next(query for query in earlier["queries"] if query["query"] == "thoughtstream")["executions"] == 5


@pytest.mark.parametrize(
    ("size", "factor", "count", "outcome"),
    [
        ((101, 50), 1.0, 5_000, "agrees"),
        ((11, 10), 1.0, 5_000, "agrees"),
        ((11, 10), 5.0, 1_000, "slower"),
        ((11, 10), 0.1, 1_000, "faster"),
        ((11, 10), 0.1, 200, "too few"),
        ((11, 0), 1.0, 1_000, None),
    ],
)
async def test_executions_are_held_against_the_prediction_for_their_own_size(
    deployed: Settings,
    running: Running,
    recorded: str,
    size: tuple[int, int],
    factor: float,
    count: int,
    outcome: str | None,
) -> None:
    observe_as_predicted(deployed, size, 1.0, 1)  # what is predicted for the size is asked for below
    async with running(deployed) as client:
        _, feed = await latency_of(client)
        assert (feed["predicted"]["requests"], feed["predicted"]["rows"]) == (101, 50)
        (seen,) = feed["sizes"]
        assert (seen["requests"], seen["rows"], seen["executions"]) == (*size, 1)
        predicted = seen["predicted"]
    if outcome is None:
        assert predicted is None
    elif size != (101, 50):
        assert predicted["typical_p99_ms"] < feed["predicted"]["typical_p99_ms"]
    observe_as_predicted(deployed, size, factor * (predicted or {"typical_p99_ms": 1.0})["typical_p99_ms"], count)
    async with running(deployed) as client:
        _, feed = await latency_of(client)
    verdict = feed["agreement"]
    assert (None if verdict is None else verdict["outcome"]) == outcome
    if verdict is not None:
        assert (verdict["executions"], verdict["error"]) == (count + 1, 0.05)
        assert verdict["needed"] == (368 if outcome == "too few" else None)


async def test_compliance_is_predicted_for_the_sizes_that_ran_and_held_against_theirs(
    deployed: Settings, running: Running, recorded: str
) -> None:
    observe_as_predicted(deployed, (11, 10), 1.0, 1)
    async with running(deployed) as client:
        _, feed = await latency_of(client)
        assert feed["predicted_compliance"] is None  # without an SLO nothing is promised
        p99_ms = feed["sizes"][0]["predicted"]["typical_p99_ms"]

        async def compliance(threshold_ms: float) -> Any:
            slo = SLO | {"threshold_ms": threshold_ms}
            assert (await client.put(f"{DEVELOPMENT}/slos/thoughtstream", json=slo)).status_code == 200
            _, feed = await latency_of(client)
            return feed["predicted_compliance"]

        tight, exact, wide = [await compliance(factor * p99_ms) for factor in (0.5, 1.0, 50.0)]
        predicted = [compared["agreement"]["predicted"] for compared in (tight, exact, wide)]
        assert predicted == sorted(predicted)
        assert predicted[1:] == [pytest.approx(0.99, abs=0.005), pytest.approx(1.0, abs=1e-4)]
        assert exact["at_limits"] < predicted[1]  # there are more requests at the limits
        assert {compared["agreement"]["outcome"] for compared in (tight, exact, wide)} == {"too few"}
        assert (exact["agreement"]["executions"], exact["agreement"]["within"]) == (1, 1)
    observe_as_predicted(deployed, (11, 10), p99_ms, 5_000)
    async with running(deployed) as client:
        _, feed = await latency_of(client)  # with the widest of the thresholds
    assert feed["predicted_compliance"]["agreement"]["outcome"] == "agrees"
    observe_as_predicted(deployed, (11, 10), 200 * p99_ms, 5_000)
    async with running(deployed) as client:
        _, feed = await latency_of(client)
    agreement = feed["predicted_compliance"]["agreement"]
    assert (agreement["outcome"], agreement["executions"], agreement["error"]) == ("worse", 10_001, 0.05)
    assert agreement["within_low"] < agreement["within"] / 10_001 < agreement["within_high"] < agreement["least"]
    assert feed["compliance"]["executions"] == 10_001


async def test_a_preview_says_which_saved_slos_are_predicted_to_be_broken(
    client: httpx.AsyncClient, files: Files, recorded: str
) -> None:
    body = {"files": files, "run_id": recorded}
    assert (await client.post(f"{DEVELOPMENT}/deployments/preview", json=body)).json()["slos_at_risk"] == []
    for query, threshold_ms in (("thoughtstream", 0.01), ("myThoughts", 60_000)):
        slo = {"quantile": 0.9, "threshold_ms": threshold_ms, "interval_seconds": 600}
        assert (await client.put(f"{DEVELOPMENT}/slos/{query}", json=slo)).status_code == 200
    preview = (await client.post(f"{DEVELOPMENT}/deployments/preview", json=body)).json()
    (risk,) = preview["slos_at_risk"]
    assert (risk["query"], risk["quantile"], risk["threshold_ms"]) == ("thoughtstream", 0.9, 0.01)
    assert 0.01 < risk["typical_ms"] <= risk["worst_ms"]
    assert preview["can_deploy"]  # an estimate hinders nothing
    assert (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": files})).json()["slos_at_risk"] == []


async def test_an_slo_is_set_before_its_query_is_deployed(client: httpx.AsyncClient) -> None:
    assert (await client.put(f"{DEVELOPMENT}/slos/newcomers", json=SLO)).status_code == 404
    text = "CREATE QUERY newcomers AS SELECT * FROM users WHERE username = [name];"
    made = await client.post("/api/applications/scadr/files", json={"path": "queries/newcomers.piql", "text": text})
    assert made.status_code == 201, made.text
    assert (await client.put(f"{DEVELOPMENT}/slos/newcomers", json=SLO)).status_code == 200
    assert [slo["query"] for slo in (await client.get(f"{DEVELOPMENT}/slos")).json()["items"]] == ["newcomers"]


def observe_as_predicted(settings: Settings, size: tuple[int, int], p99_ms: float, count: int) -> None:
    """Leave behind executions of a size whose p99 is the given one, as a stopped workbench would have."""
    database = Database(folder_of(settings) / "workbench.duckdb")
    observations = Observations(database)
    latencies = np.random.default_rng(3).lognormal(0.0, 0.3, count) * p99_ms / np.exp(0.3 * 2.3263)
    for elapsed_ms in latencies:
        observation = Observation("thoughtstream", 2, now(), float(elapsed_ms), size[0], 1, size[1])
        observations.add(ObservedExecution(observation, 101))
    observations.flush()
    database.close()


class Feed:
    """The deployed query as reports of an application see it."""

    name, version, bound = "thoughtstream", 2, 101


@pytest.mark.parametrize(
    ("factor", "count", "outcome"),
    [(1.0, 20_000, "agrees"), (3.0, 1_000, "slower"), (0.1, 1_000, "faster"), (3.0, 300, "too few")],
)
async def test_reports_of_applications_are_held_against_the_predictions_for_their_class_of_sizes(
    deployed: Settings, running: Running, recorded: str, factor: float, count: int, outcome: str
) -> None:
    sizes = [(9, 8), (11, 10), (15, 14)]  # of one class: the prediction is for 9 to 15 requests
    async with running(deployed) as client:
        await report_feed(client, [(1.0, *size) for size in sizes], sequence=0)
        _, feed = await latency_of(client)
        (seen,) = feed["sizes"]
        assert [seen[name] for name in ("least_requests", "requests", "least_rows", "rows")] == [9, 15, 8, 14]
        p99_ms = factor * seen["predicted"]["typical_p99_ms"]
        latencies = np.random.default_rng(3).lognormal(0.0, 0.3, count) * p99_ms / np.exp(0.3 * 2.3263)
        executions = [(float(ms), *sizes[number % 3]) for number, ms in enumerate(latencies)]
        await report_feed(client, executions, sequence=1)
        _, feed = await latency_of(client)
        assert (feed["agreement"]["outcome"], feed["agreement"]["executions"]) == (outcome, count + 3)
        path = f"{DEVELOPMENT}/latency/live"
        answer = (await client.get(path, params={"source": "workbench"})).json()
        assert [query["executions"] for query in answer["queries"] if query["query"] == "thoughtstream"] == [0]


async def report_feed(client: httpx.AsyncClient, executions: list[tuple[float, int, int]], sequence: int) -> None:
    """Report executions, each with its time in ms, requests and rows, as an application does."""
    folded = Folded()
    ran = [(Feed(), "ok", bucket_of(ms / 1000), requests, rows, 0, 1) for ms, requests, rows in executions]
    folded.fold(ran, int(time() // 60))
    for packed in shipments(folded, "ab" * 16, 1_000 * sequence):
        headers = {"content-type": "application/json", "content-encoding": "gzip"}
        answer = await client.post(f"{DEVELOPMENT}/reports", content=packed, headers=headers)
        assert answer.status_code == 200, answer.text
