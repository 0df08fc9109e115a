"""How much load a store takes, asked over HTTP: from the recorded run of an embedded store, and of a cluster."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from piql_backend.profile_runs.schemas import ProfileRunRead
from piql_backend.profile_runs.service import ProfileRuns
from piql_profiler.measure.grid import GRIDS, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.runs.run_files import RunDirectory, RunSettings

from .conftest import DEVELOPMENT
from .test_latency_over_versions import put_recorded_run

Files = list[dict[str, str]]
PATH = f"{DEVELOPMENT}/capacity-reports"
SLO = {"quantile": 0.99, "threshold_ms": 400}
RATES = {"thoughtstream": {"low": 8, "mid": 10, "high": 13}, "findUser": 500}


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> str:
    return put_recorded_run(monkeypatch)


@pytest.fixture
def of_cluster(recorded: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A run of a cluster that takes 100 µs and 10 µs a row, always; four clients measured it at once."""

    def measured(point: Point) -> Measurement:
        return Measurement(point, 0, Histogram.of([100.0 + 10 * point.child_rows * point.rows] * 400), 0.0, 1.0)

    directory = RunDirectory(tmp_path / "run", RunSettings("cql://127.0.0.1/feed", GRIDS["small"], 30.0, 1, 4))
    directory.write_interval(0, [measured(point) for point in GRIDS["small"].points])
    directory.end("done")
    monkeypatch.setattr(ProfileRuns, "measurements_of", lambda self, run_id: tmp_path / "run")
    run = ProfileRunRead.model_construct(id="of-cluster", drift=None)
    monkeypatch.setattr(ProfileRuns, "read", lambda self, run_id: run)
    return "of-cluster"


async def test_it_says_what_breaks_first_and_at_how_many_users(
    client: httpx.AsyncClient, files: Files, recorded: str
) -> None:
    question = {"files": files, "run_id": recorded, "rates": RATES, "slo": SLO, "users": 20_000}
    answer = await client.post(PATH, json=question | {"rows_of_user": {"users": 1, "thoughts": 200}})
    assert answer.status_code == 200, answer.text
    capacity = answer.json()
    assert capacity["is_one_node"]
    first = capacity["firsts"][0]
    assert first["binding"] == {"kind": "query", "query": "thoughtstream"}
    taken = capacity["users_taken"]
    assert taken["low"] < taken["mid"] < taken["high"]
    assert taken["mid"] == pytest.approx(20_000 * capacity["growth"]["mid"])
    thoughtstream, find_user = capacity["queries"]
    assert thoughtstream["breaks_at_users"]["mid"] == pytest.approx(taken["mid"])
    shares = capacity["by_users"][0]["shares_of_node"]
    assert shares[0] > shares[1]
    assert find_user["query"] == "findUser"
    assert thoughtstream["per_second"] == {"low": 8, "mid": 10, "high": 13}
    shown = [at["users"] for at in capacity["by_users"]]
    assert (shown[0], shown[-1]) == (1_000, 1_000_000_000)
    latencies = [at["latency_ms"][0]["mid"] for at in capacity["by_users"]]
    assert latencies[-1] is None  # the one node is full
    assert capacity["by_users"][0]["bytes_of_tables"]["thoughts"]["mid"] > 0
    assert capacity["dollars_a_month"] is None


async def test_another_number_of_users_is_told_by_itself(
    client: httpx.AsyncClient, files: Files, recorded: str
) -> None:
    question = {"files": files, "run_id": recorded, "rates": RATES, "slo": SLO, "users": 20_000}
    (at,) = (await client.post(PATH, json=question | {"shown_users": [20_000]})).json()["by_users"]
    (later,) = (await client.post(PATH, json=question | {"shown_users": [40_000]})).json()["by_users"]
    assert later["utilisation"]["mid"] == pytest.approx(2 * at["utilisation"]["mid"])
    assert later["latency_ms"][0]["mid"] > at["latency_ms"][0]["mid"]


async def test_what_a_plan_without_a_bound_takes_is_told_beside_it(
    client: httpx.AsyncClient, files: Files, recorded: str
) -> None:
    question = {"files": files, "run_id": recorded, "rates": RATES, "slo": SLO, "users": 20_000}
    grown = question | {"unbounded": {"followersOf": 0.01}, "shown_users": [10**6, 10**9]}
    capacity = (await client.post(PATH, json=grown)).json()
    (unbounded,) = capacity["unbounded"]
    assert unbounded["query"] == "followersOf"
    assert 10**5 < unbounded["breaks_at_users"] < 10**6
    million, billion = (at["unbounded_ms"][0] for at in capacity["by_users"])
    assert billion == pytest.approx(1000 * million, rel=0.1)


async def test_a_cluster_gets_nodes_and_their_price_and_says_what_is_assumed(
    client: httpx.AsyncClient, files: Files, of_cluster: str
) -> None:
    question = {"files": files, "run_id": of_cluster, "rates": {"findUser": 9_000}, "slo": SLO, "users": 1e6}
    size = {"nodes": 3, "cores": 8, "node_price": 250}
    capacity = (await client.post(PATH, json=question | size)).json()
    assert not capacity["is_one_node"]
    assert "assumed" in capacity["demands"]
    assert ["of 4 clients at once" in warning for warning in capacity["warnings"]] == [True]
    last = capacity["by_users"][-1]
    assert last["nodes"]["low"] < last["nodes"]["mid"] < last["nodes"]["high"]
    assert last["dollars_a_month"] == {end: 250 * nodes for end, nodes in last["nodes"].items()}
    assert last["latency_ms"][0]["mid"] < 400
    full = question | size | {"rows_of_user": {"thoughts": 1000}, "node_gigabytes": 1, "shown_users": [10**9]}
    (at,) = (await client.post(PATH, json=full)).json()["by_users"]
    assert at["binding"] == {"kind": "data", "query": None}


async def test_what_the_run_has_not_measured_is_left_out_and_said(
    client: httpx.AsyncClient, files: Files, recorded: str
) -> None:
    question = {"files": files, "run_id": recorded, "rates": RATES | {"postThought": 5}, "slo": SLO}
    capacity = (await client.post(PATH, json=question)).json()
    assert [query["query"] for query in capacity["queries"]] == ["thoughtstream", "findUser"]
    (left_out,) = capacity["left_out"]
    assert (left_out["query"], left_out["kind"]) == ("postThought", "not-measured")
    alone = await client.post(PATH, json=question | {"rates": {"postThought": 5}})
    assert (alone.status_code, alone.json()["code"]) == (422, "not-predictable")


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"rates": {}}, "no-rates", "No query has a rate"),
        ({"rates": {"findusers": 1}}, "not-predictable", "There is no query 'findusers' in the source"),
        ({"slos": {"myThoughts": SLO}}, "slo-without-rate", "The query myThoughts has an SLO and no rate"),
        ({"limits": {"friends": 1}}, "unknown-limit", "No query with a rate has a limit 'friends'"),
        ({"nodes": 3, "cores": 8}, "one-node", "The run is of an embedded store"),
        ({"rows_of_user": {"users": 1}}, "users-missing", "Rows are of users"),
        ({"users": 9, "copies": 3}, "data-missing", "Copies are of the data"),
        ({"users": 9, "rows_of_user": {"user": 1}}, "not-predictable", "There is no table 'user' in the source"),
        ({"rates": {"findUser": {"low": 3, "mid": 2, "high": 1}}}, "range-not-growing", "3, 2, 1 do not grow"),
    ],
)
async def test_a_question_without_an_answer_is_refused_in_the_words_of_whoever_asks(
    client: httpx.AsyncClient, files: Files, recorded: str, change: dict, code: str, message: str
) -> None:
    answer = await client.post(PATH, json={"files": files, "run_id": recorded, "rates": RATES} | change)
    assert answer.status_code == 422
    assert (answer.json()["code"], message in answer.json()["message"]) == (code, True), answer.text


async def test_a_query_without_a_bound_has_no_load_that_can_be_told(
    client: httpx.AsyncClient, files: Files, recorded: str
) -> None:
    more = [*files, {"path": "queries/all.piql", "text": "CREATE QUERY everybody AS SELECT username FROM users;"}]
    answer = await client.post(PATH, json={"files": more, "run_id": recorded, "rates": {"everybody": 1}})
    assert answer.json()["code"] == "not-bounded"
    assert "The query everybody is not bounded" in answer.json()["message"]


async def test_of_a_cluster_its_size_is_asked_for(client: httpx.AsyncClient, files: Files, of_cluster: str) -> None:
    question = {"files": files, "run_id": of_cluster, "rates": {"findUser": 1}}
    assert (await client.post(PATH, json=question)).json()["code"] == "cluster-size-missing"
    too_busy = question | {"nodes": 3, "cores": 2, "busy": 3}
    assert (await client.post(PATH, json=too_busy)).json()["code"] == "busy-part-too-large"
