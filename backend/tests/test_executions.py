"""Executing deployed queries over HTTP: rows, costs, pages, and how refusals look."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

import httpx
from patience import PATIENCE

from .conftest import DEVELOPMENT

URL = f"{DEVELOPMENT}/deployments/live/queries"


async def run(client: httpx.AsyncClient, name: str, cursor: str | None = None, **parameters: object) -> httpx.Response:
    return await client.post(f"{URL}/{name}/executions", json={"parameters": parameters, "cursor": cursor})


async def someone(client: httpx.AsyncClient) -> str:
    return (await client.get(f"{URL}/findUser/sample-parameters")).json()["parameters"]["username"]


async def test_a_query_gives_rows_and_what_they_cost(client: httpx.AsyncClient) -> None:
    me = await someone(client)
    answer = (await run(client, "thoughtstream", me=me, count=10)).json()
    assert [column["name"] for column in answer["columns"]] == ["owner", "posted", "text"]
    assert len(answer["rows"]) == 10
    posted = [row[1] for row in answer["rows"]]
    assert posted == sorted(posted, reverse=True)
    assert posted[0].endswith("Z")
    assert 1 < answer["operations"] <= answer["bound_operations"] == 101
    assert (answer["deployment_id"], answer["cursor"]) == ("d1", None)
    assert answer["elapsed_ms"] > 0


async def test_pages_follow_each_other_to_the_end(client: httpx.AsyncClient) -> None:
    me = await someone(client)
    first = (await run(client, "myThoughts", me=me)).json()
    second = (await run(client, "myThoughts", me=me, cursor=first["cursor"])).json()
    assert (len(first["rows"]), len(second["rows"]), second["cursor"]) == (10, 2, None)
    posted = [row[1] for row in first["rows"] + second["rows"]]
    assert posted == sorted(set(posted), reverse=True)


async def test_a_cursor_with_other_parameters_is_refused(client: httpx.AsyncClient) -> None:
    me = await someone(client)
    cursor = (await run(client, "myThoughts", me=me)).json()["cursor"]
    answer = await run(client, "myThoughts", me="somebody else", cursor=cursor)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-cursor")
    assert "other parameters" in answer.json()["message"]


async def test_a_cursor_of_a_replaced_query_is_stale(client: httpx.AsyncClient) -> None:
    me = await someone(client)
    cursor = (await run(client, "myThoughts", me=me)).json()["cursor"]
    files = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["files"]
    changed = [file | {"text": file["text"].replace("PAGINATE 10", "PAGINATE 5")} for file in files]
    await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": changed})
    answer = await run(client, "myThoughts", me=me, cursor=cursor)
    assert (answer.status_code, answer.json()["code"]) == (422, "stale-cursor")


async def test_a_posted_thought_is_seen(client: httpx.AsyncClient) -> None:
    me = await someone(client)
    posted = datetime.now(UTC).isoformat()
    written = await run(client, "postThought", me=me, posted=posted, text="hello")
    assert written.status_code == 200, written.text
    assert written.json()["rows"] == []
    rows = (await run(client, "myThoughts", me=me)).json()["rows"]
    assert rows[0][2] == "hello"


async def test_the_subscription_after_the_limit_is_refused(client: httpx.AsyncClient) -> None:
    await run(client, "addUser", username="owner", hometown="Oslo")
    for number in range(101):
        await run(client, "addUser", username=f"target{number}", hometown="Oslo")
    answers = [await run(client, "subscribe", owner="owner", target=f"target{number}") for number in range(101)]
    assert {answer.status_code for answer in answers[:-1]} == {200}
    assert (answers[-1].status_code, answers[-1].json()["code"]) == (422, "cardinality-violation")
    assert "100" in answers[-1].json()["message"]


async def test_refusals_have_their_codes(client: httpx.AsyncClient) -> None:
    me = await someone(client)
    cursor = (await run(client, "myThoughts", me=me)).json()["cursor"]
    tampered = cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB")
    cases = [
        (await run(client, "thoughtstream", me=me), "invalid-parameter"),
        (await run(client, "thoughtstream", me=me, count=51), "invalid-parameter"),
        (await run(client, "thoughtstream", me=me, count=-1), "invalid-parameter"),
        (await run(client, "thoughtstream", me=me, count="ten"), "invalid-parameter"),
        (await run(client, "thoughtstream", me=me, count=None), "invalid-parameter"),
        (await run(client, "addUser", username=None, hometown="Oslo"), "constraint-violation"),
        (await run(client, "thoughtstream", me=me, count=1, more=1), "invalid-parameter"),
        (await run(client, "thoughtstream", me={"a": [1]}, count=1), "invalid-parameter"),
        (await run(client, "thoughtstream", me=["a"], count=1), "invalid-parameter"),
        (await run(client, "thoughtstream", me=2**80, count=1), "invalid-parameter"),
        (await run(client, "myThoughts", me=me, cursor=tampered), "invalid-cursor"),
        (await run(client, "myThoughts", me=me, cursor="nonsense"), "invalid-cursor"),
        (await run(client, "followersOf", target=me, cursor=cursor), "invalid-cursor"),
        (await run(client, "subscribe", owner="nobody", target="noone"), "foreign-key-violation"),
        (await run(client, "postThought", me=me, posted="yesterday", text="x"), "invalid-parameter"),
    ]
    for answer, code in cases:
        assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
        assert answer.json()["message"]
        assert (answer.json()["parameter"] is not None) == (code == "invalid-parameter")
    assert (await run(client, "thoughtstream", me=me, count="ten")).json()["parameter"] == "count"
    assert (await run(client, "thoughtstream", me=["a"], count=1)).json()["parameter"] == "me"
    too_long = await run(client, "addUser", username="x" * 33, hometown="Oslo")
    assert too_long.status_code == 422
    assert too_long.json()["code"] in ("constraint-violation", "invalid-parameter")


async def test_null_is_a_value_of_a_parameter(client: httpx.AsyncClient) -> None:
    stream = await run(client, "thoughtstream", me=None, count=1)
    assert (stream.status_code, stream.json()["rows"], stream.json()["operations"]) == (200, [], 0)
    assert (await run(client, "addUser", username="without", hometown=None)).status_code == 200


async def test_a_write_says_how_many_rows_it_affected_and_a_query_null(client: httpx.AsyncClient) -> None:
    added = await run(client, "addUser", username="counted", hometown="Oslo")
    query = await run(client, "findUser", username="counted")
    assert (added.json()["rows_affected"], query.json()["rows_affected"]) == (1, None)


async def test_an_unknown_query_or_deployment_is_not_found(client: httpx.AsyncClient) -> None:
    assert (await run(client, "nothing")).json()["code"] == "unknown-query"
    answer = await client.post(f"{DEVELOPMENT}/deployments/d7/queries/findUser/executions", json={"parameters": {}})
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown-deployment")
    assert (await client.get(f"{URL}/nothing/sample-parameters")).status_code == 404


async def test_a_replaced_deployment_does_not_run(client: httpx.AsyncClient) -> None:
    text = "CREATE QUERY one AS SELECT id FROM t WHERE id = [1: id];"
    files = [{"path": "t.piql", "text": "CREATE TABLE t (id INT PRIMARY KEY);" + text}]
    await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": files})
    answer = await client.post(f"{DEVELOPMENT}/deployments/d1/queries/findUser/executions", json={"parameters": {}})
    assert (answer.status_code, answer.json()["code"]) == (409, "deployment-replaced")
    assert "d2" in answer.json()["message"]


async def test_executions_run_side_by_side(client: httpx.AsyncClient) -> None:
    me = await someone(client)
    answers = await asyncio.gather(*(run(client, "thoughtstream", me=me, count=10) for _ in range(40)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({str(answer.json()["rows"]) for answer in answers}) == 1


async def test_sample_parameters_of_every_query_can_be_run(client: httpx.AsyncClient) -> None:
    live = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()
    for query in live["queries"]:
        name = query["name"]
        sample = (await client.get(f"{URL}/{name}/sample-parameters")).json()
        assert (
            set(sample["parameters"])
            == {parameter["name"] for parameter in query["parameters"]}
            == set(sample["sources"])
        )
        answer = await run(client, name, **sample["parameters"])
        assert answer.status_code == 200, (name, sample, answer.text)
    found = (await client.get(f"{URL}/findSubscription/sample-parameters")).json()["parameters"]
    assert len((await run(client, "findSubscription", **found)).json()["rows"]) <= 1


async def test_a_burst_runs_to_its_end_and_the_dashboard_counts_it(client: httpx.AsyncClient) -> None:
    body = {"deployment_id": "live", "query": "thoughtstream", "executions": 150, "concurrency": 4}
    started = await client.post(f"{DEVELOPMENT}/bursts", json=body)
    assert started.status_code == 201, started.text
    assert started.json()["parameter_sources"][0]["parameter"] == "me"
    second = await client.post(f"{DEVELOPMENT}/bursts", json=body)
    assert second.status_code in (201, 409)
    burst = await ended(client, started.json()["id"])
    assert (burst["state"], burst["done"], burst["errors"]) == ("done", 150, [])
    assert 0 < burst["p50_ms"] <= burst["p99_ms"]
    slo = {"quantile": 0.99, "threshold_ms": 60_000, "interval_seconds": 86_400}
    assert (await client.put(f"{DEVELOPMENT}/slos/thoughtstream", json=slo)).status_code == 200
    latency = (await client.get(f"{DEVELOPMENT}/latency/live?window_seconds=600")).json()
    query = latency["queries"][0]
    assert query["query"] == "thoughtstream"
    assert query["executions"] >= 150
    assert query["observed"]["p50_ms"] <= query["observed"]["p99_ms"]
    assert query["requests_over_bound"] == 0
    assert query["most_operations"] <= query["bound_operations"] == 101
    assert (query["compliance"]["share"], query["slo"]["threshold_ms"]) == (1.0, 60_000)
    charts = (await client.get(f"{DEVELOPMENT}/latency/live/charts/thoughtstream?window_seconds=600")).json()
    assert sum(bucket["count"] for bucket in charts["series"]) == query["executions"]
    assert sum(counted["count"] for counted in charts["histogram"]) == query["executions"]
    unknown = await client.get(f"{DEVELOPMENT}/latency/live/charts/nobody")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-query")
    others = [query for query in latency["queries"] if query["query"] != "thoughtstream"]
    assert all(other["observed"] is None for other in others)


async def ended(client: httpx.AsyncClient, burst_id: str) -> dict:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        burst = (await client.get(f"{DEVELOPMENT}/bursts/{burst_id}")).json()
        if burst["ended_at"] is not None:
            return burst
        await asyncio.sleep(0.05)
    raise AssertionError(f"the burst does not end: {burst}")


async def test_a_burst_of_writes_has_to_be_allowed(client: httpx.AsyncClient) -> None:
    body = {"deployment_id": "live", "query": "postThought", "executions": 20, "concurrency": 2}
    refused = await client.post(f"{DEVELOPMENT}/bursts", json=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "burst-writes")
    allowed = await client.post(f"{DEVELOPMENT}/bursts", json=body | {"allow_writes": True})
    burst = await ended(client, allowed.json()["id"])
    assert (burst["state"], burst["done"], burst["errors"]) == ("done", 20, [])


async def test_a_burst_can_be_cancelled(client: httpx.AsyncClient) -> None:
    body = {"deployment_id": "live", "query": "thoughtstream", "executions": 5000, "concurrency": 2}
    burst_id = (await client.post(f"{DEVELOPMENT}/bursts", json=body)).json()["id"]
    assert (await client.post(f"{DEVELOPMENT}/bursts/{burst_id}/cancel")).json()["state"] == "cancelled"
    burst = await ended(client, burst_id)
    assert burst["done"] < 5000
    again = await client.post(f"{DEVELOPMENT}/bursts/{burst_id}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "burst-ended")
    assert [item["id"] for item in (await client.get(f"{DEVELOPMENT}/bursts")).json()["items"]] == [burst_id]


async def test_unknown_bursts_and_their_queries_are_not_found(client: httpx.AsyncClient) -> None:
    assert (await client.get(f"{DEVELOPMENT}/bursts/none")).status_code == 404
    assert (await client.post(f"{DEVELOPMENT}/bursts/none/cancel")).status_code == 404
    body = {"deployment_id": "live", "query": "nothing"}
    assert (await client.post(f"{DEVELOPMENT}/bursts", json=body)).status_code == 404


async def test_slos_are_kept_changed_and_removed(client: httpx.AsyncClient) -> None:
    assert (await client.get(f"{DEVELOPMENT}/slos")).json()["items"] == []
    saved = await client.put(
        f"{DEVELOPMENT}/slos/findUser", json={"quantile": 0.999, "threshold_ms": 5, "interval_seconds": 60}
    )
    assert saved.status_code == 200, saved.text
    await client.put(f"{DEVELOPMENT}/slos/findUser", json={"quantile": 0.9, "threshold_ms": 7, "interval_seconds": 60})
    slos = (await client.get(f"{DEVELOPMENT}/slos")).json()["items"]
    assert [(slo["query"], slo["quantile"], slo["threshold_ms"]) for slo in slos] == [("findUser", 0.9, 7.0)]
    assert (await client.put(f"{DEVELOPMENT}/slos/none", json={})).status_code == 404
    assert [(await client.delete(f"{DEVELOPMENT}/slos/findUser")).status_code for _ in range(2)] == [204, 404]


async def test_slos_go_out_and_come_in_as_openslo(client: httpx.AsyncClient) -> None:
    minute = {"quantile": 0.999, "threshold_ms": 5.0, "interval_seconds": 60.0}
    for query in ("findUser", "thoughtstream"):
        await client.put(f"{DEVELOPMENT}/slos/{query}", json=minute)
    text = (await client.get(f"{DEVELOPMENT}/slos/openslo")).text
    assert text.count("apiVersion: openslo/v1") == 2
    for query in ("findUser", "thoughtstream"):
        await client.delete(f"{DEVELOPMENT}/slos/{query}")
    taken = await client.post(f"{DEVELOPMENT}/slos/openslo", json={"text": text.replace("value: 5.0", "value: 7.5")})
    assert [(item["query"], item["threshold_ms"]) for item in taken.json()] == [
        ("findUser", 7.5),
        ("thoughtstream", 7.5),
    ]
    assert (await client.get(f"{DEVELOPMENT}/slos")).json()["items"] == taken.json()


async def test_openslo_documents_are_taken_whole_or_not_at_all(client: httpx.AsyncClient) -> None:
    await client.put(f"{DEVELOPMENT}/slos/findUser", json={"quantile": 0.99, "threshold_ms": 5, "interval_seconds": 60})
    text = (await client.get(f"{DEVELOPMENT}/slos/openslo")).text
    for wrong, status, said in (
        (text.replace("op: lte", "op: gt"), 422, "op is lte or lt"),
        (text.replace("timeSliceTarget: 0.99", "timeSliceTarget: 0.2"), 422, "findUser: quantile"),
        ("[", 422, "this is not YAML"),
        (text + text.replace("query: findUser", "query: nobody"), 404, "No query nobody was ever deployed or saved"),
    ):
        answer = await client.post(
            f"{DEVELOPMENT}/slos/openslo", json={"text": wrong.replace("value: 5.0", "value: 9.0")}
        )
        assert (answer.status_code, said in answer.json()["message"]) == (status, True), answer.text
    assert [item["threshold_ms"] for item in (await client.get(f"{DEVELOPMENT}/slos")).json()["items"]] == [5.0]
    await client.put(f"{DEVELOPMENT}/slos/findUser", json={"quantile": 0.99, "threshold_ms": 5, "interval_seconds": 90})
    refused = await client.get(f"{DEVELOPMENT}/slos/openslo")
    assert (refused.status_code, refused.json()["code"]) == (422, "slo-not-written")
    assert refused.json()["message"].startswith("Nothing was exported: findUser: a time slice of OpenSLO")
    await client.delete(f"{DEVELOPMENT}/slos/findUser")


async def test_a_query_whose_name_has_a_slash_runs_and_has_an_slo(client: httpx.AsyncClient) -> None:
    files = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["files"]
    text = 'CREATE QUERY "users/by name" AS SELECT username FROM users WHERE username = [1: me];'
    body = {
        "base_version": 1,
        "files": [*files, {"path": "queries/slash.piql", "text": text}],
    }
    assert (await client.post(f"{DEVELOPMENT}/deployments", json=body)).status_code == 201
    name = "users%2Fby%20name"
    found = (await client.get(f"{URL}/{name}/sample-parameters")).json()["parameters"]
    assert (await run(client, name, **found)).json()["rows"] == [[found["me"]]]
    slo = {"quantile": 0.99, "threshold_ms": 5, "interval_seconds": 60}
    assert (await client.put(f"{DEVELOPMENT}/slos/{name}", json=slo)).json()["query"] == "users/by name"
    assert (await client.delete(f"{DEVELOPMENT}/slos/{name}")).status_code == 204
