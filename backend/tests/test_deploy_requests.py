"""Deploy requests: opened, checked, reviewed, given another text, deployed, and returned to; and each refusal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, folder_of

Files = list[dict[str, str]]
Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
REQUESTS = f"{DEVELOPMENT}/deploy-requests"
DEPLOYMENTS = f"{DEVELOPMENT}/deployments"
TOWN = "CREATE QUERY townOf AS SELECT hometown FROM users WHERE username = [1: u];"
UNBOUNDED = "CREATE QUERY all_of_them AS SELECT username FROM users;"
BY_TEXT = "CREATE QUERY byText AS SELECT owner, posted FROM thoughts WHERE text = [1: text] LIMIT 3;"


def with_query(files: Files, text: str = TOWN) -> Files:
    return [*files, {"path": "queries/new.piql", "text": text}]


def changed(files: Files, old: str, new: str) -> Files:
    """The files with another word in them."""
    assert any(old in file["text"] for file in files)
    return [{**file, "text": file["text"].replace(old, new)} for file in files]


async def opened(client: httpx.AsyncClient, files: Files, title: str = "Towns", **more: Any) -> dict[str, Any]:
    answer = await client.post(REQUESTS, json={"title": title, "text": {"files": files}, **more})
    assert answer.status_code == 201, answer.text
    request: dict[str, Any] = answer.json()
    return request


async def asked(client: httpx.AsyncClient, number: int = 1) -> dict[str, Any]:
    answer = await client.get(f"{REQUESTS}/{number}")
    assert answer.status_code == 200, answer.text
    request: dict[str, Any] = answer.json()
    return request


async def deploy(client: httpx.AsyncClient, number: int = 1, revision: int = 1, **more: Any) -> httpx.Response:
    return await client.post(f"{REQUESTS}/{number}/deployment", json={"revision": revision, **more})


async def approve(client: httpx.AsyncClient, number: int = 1, revision: int = 1, **more: Any) -> httpx.Response:
    body = {"revision": revision, "verdict": "approve", **more}
    return await client.post(f"{REQUESTS}/{number}/reviews", json=body)


async def rule(client: httpx.AsyncClient, **rules: Any) -> None:
    answer = await client.put(f"{REQUESTS}/rules", json=rules)
    assert answer.status_code == 200, answer.text


async def files_of(client: httpx.AsyncClient) -> Files:
    read = (await client.get("/api/applications/scadr")).json()["files"]
    return [{"path": file["path"], "text": file["text"]} for file in read]


async def until_over(client: httpx.AsyncClient, number: int = 1) -> dict[str, Any]:
    while (request := await asked(client, number))["status"] == "deploying":
        await asyncio.sleep(0.02)
    return request


async def live(client: httpx.AsyncClient) -> dict[str, Any]:
    version: dict[str, Any] = (await client.get(f"{DEPLOYMENTS}/live")).json()
    return version


async def deploy_directly(client: httpx.AsyncClient, files: Files) -> httpx.Response:
    body = {"files": files, "base_version": (await live(client))["version"]}
    return await client.post(DEPLOYMENTS, json=body)


def outcomes(request: dict[str, Any]) -> dict[str, str]:
    return {check["check"]: check["outcome"] for check in request["checks"]}


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_alone_a_request_is_opened_and_deployed_and_the_version_names_it(
    client: httpx.AsyncClient, files: Files
) -> None:
    request = await opened(client, with_query(files), why="The map needs it.")
    assert (request["number"], request["status"], request["base_version"], request["author"]) == (1, "open", 1, None)
    assert (request["may_be_deployed"], request["missing"], request["why"]) == (True, [], "The map needs it.")
    assert request["preview"]["added"] == ["townOf"]
    assert (request["numbers"]["queries"], request["numbers"]["slos_at_risk"]) == (1, 0)
    assert request["numbers"]["worst_bound"]["operations"] == request["numbers"]["worst_bound"]["live_operations"]
    begun = await deploy(client)
    assert begun.status_code == 202, begun.text
    request = await until_over(client)
    assert (request["status"], request["deployed_version"], request["missing"]) == ("deployed", 2, [])
    assert request["deployed_by"] is None  # nobody signs in
    version = await live(client)
    assert (version["version"], version["request"], version["files"]) == (2, 1, with_query(files))
    assert [item["request"] for item in (await client.get(DEPLOYMENTS)).json()["items"]] == [1, None]
    assert request["preview"]["added"] == ["townOf"]  # against its base, for good


async def test_who_asks_for_nothing_deploys_as_before(client: httpx.AsyncClient, files: Files) -> None:
    rules = (await client.get(f"{REQUESTS}/rules")).json()
    assert (rules["needs_request"], rules["approvals"]) == (False, 0)
    assert (await deploy_directly(client, with_query(files))).status_code == 201
    assert (await live(client))["request"] is None


async def test_the_text_is_that_of_a_save_where_it_is_saved(client: httpx.AsyncClient, files: Files) -> None:
    saves = (await client.get("/api/applications/scadr/saves")).json()["items"]
    request = (await client.post(REQUESTS, json={"title": "As it is saved"})).json()
    assert (request["origin"], request["save"], request["files"]) == ("files", saves[0]["number"], files)
    assert (await opened(client, with_query(files)))["save"] is None


async def test_an_unbounded_query_is_never_deployed_until_it_is_mended(client: httpx.AsyncClient, files: Files) -> None:
    request = await opened(client, with_query(files, UNBOUNDED))
    assert outcomes(request)["unbounded"] == "failed"
    assert (request["may_be_deployed"], len(request["missing"])) == (False, 1)
    refused = await deploy(client)
    assert code_of(refused) == (409, "request-blocked")
    assert request["missing"][0] in refused.json()["message"]
    mended = await client.post(f"{REQUESTS}/1/revisions", json={"revision": 1, "text": {"files": with_query(files)}})
    assert (mended.json()["revision"], mended.json()["may_be_deployed"]) == (2, True)
    assert (await deploy(client, revision=2)).status_code == 202


async def test_each_check_blocks_warns_or_is_off(client: httpx.AsyncClient, files: Files) -> None:
    dearer = changed(files, "CARDINALITY LIMIT 100 (owner)", "CARDINALITY LIMIT 200 (owner)")
    request = await opened(client, dearer)
    (check,) = [check for check in request["checks"] if check["check"] == "dearer"]
    assert (check["outcome"], check["mode"], request["may_be_deployed"]) == ("failed", "warn", True)
    assert "thoughtstream from 101 to 201" in check["message"]
    await rule(client, checks={"dearer": "block"})
    request = await asked(client)
    assert request["missing"] == [check["message"]]
    assert code_of(await deploy(client)) == (409, "request-blocked")
    await rule(client, checks={"dearer": "off"})
    assert (await asked(client))["may_be_deployed"]


async def test_a_limit_tighter_than_the_data_is_seen_before_anything_is_deployed(
    client: httpx.AsyncClient, files: Files
) -> None:
    tight = changed(files, "CARDINALITY LIMIT 100 (owner)", "CARDINALITY LIMIT 2 (owner)")
    request = await opened(client, tight)
    assert outcomes(request)["limit"] == "failed"
    (count,) = request["limits"]
    assert (count["table"], count["most_allowed"], count["is_complete"]) == ("subscriptions", 2, True)
    assert count["most_rows"] >= 5
    assert code_of(await deploy(client)) == (409, "request-blocked")
    fitting = changed(files, "CARDINALITY LIMIT 100 (owner)", "CARDINALITY LIMIT 50 (owner)")
    request = await opened(client, fitting)
    assert (outcomes(request)["limit"], request["may_be_deployed"]) == ("passed", True)


async def test_a_limit_that_was_made_tighter_before_is_none_that_changes(
    client: httpx.AsyncClient, files: Files
) -> None:
    tighter = changed(files, "CARDINALITY LIMIT 100 (owner)", "CARDINALITY LIMIT 50 (owner)")
    await opened(client, tighter)
    assert (await deploy(client)).status_code == 202
    assert (await until_over(client))["status"] == "deployed"
    request = await opened(client, with_query(tighter))
    assert (request["limits"], outcomes(request)["limit"]) == ([], "passed")
    looser = await opened(client, with_query(files))
    assert looser["limits"] == []
    fewer = await opened(client, changed(files, "CARDINALITY LIMIT 100 (owner)", "CARDINALITY LIMIT 40 (owner)"))
    assert [count["most_allowed"] for count in fewer["limits"]] == [40]


async def test_rows_are_counted_anew_when_that_is_asked_for(client: httpx.AsyncClient, files: Files) -> None:
    tight = changed(files, "CARDINALITY LIMIT 100 (owner)", "CARDINALITY LIMIT 2 (owner)")
    before = await opened(client, tight)
    again = await client.post(f"{REQUESTS}/1/counts")
    assert (again.status_code, again.json()["limits"], again.json()["revision"]) == (200, before["limits"], 1)


async def test_an_slo_that_no_run_can_tell_of_is_not_called_kept(client: httpx.AsyncClient, files: Files) -> None:
    slo = {"quantile": 0.99, "threshold_ms": 20, "interval_seconds": 600}
    assert (await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo)).status_code == 200
    request = await opened(client, with_query(files))
    assert (outcomes(request)["slo"], request["numbers"]["slos_at_risk"]) == ("unknown", None)
    assert request["may_be_deployed"]
    await rule(client, checks={"slo": "block"})
    request = await asked(client)
    assert request["missing"] == ["No profile run is there to predict the SLOs of findUser by."]


async def test_a_request_on_an_older_base_is_refused_with_what_came_between(
    client: httpx.AsyncClient, files: Files
) -> None:
    await opened(client, with_query(files))
    assert (await deploy_directly(client, with_query(files, BY_TEXT))).status_code == 201
    request = await asked(client)
    assert (request["status"], request["may_be_deployed"]) == ("outdated", False)
    assert [version["version"] for version in request["between"]] == [2]
    refused = await deploy(client)
    assert code_of(refused) == (409, "deployed-meanwhile")
    assert [version["version"] for version in refused.json()["between"]] == [2]
    both = [*with_query(files), {"path": "queries/byText.piql", "text": BY_TEXT}]
    body = {"revision": 1, "text": {"files": both}}
    request = (await client.post(f"{REQUESTS}/1/revisions", json=body)).json()
    assert (request["status"], request["base_version"], request["between"]) == ("open", 2, [])
    assert (await deploy(client, revision=2)).status_code == 202
    assert (await until_over(client))["deployed_version"] == 3


async def test_a_request_that_is_over_stays_as_it_is(client: httpx.AsyncClient, files: Files) -> None:
    await opened(client, with_query(files))
    withdrawn = await client.post(f"{REQUESTS}/1/withdrawal")
    assert (withdrawn.json()["status"], withdrawn.json()["may_be_deployed"]) == ("withdrawn", False)
    await opened(client, with_query(files))
    await deploy(client, 2)
    await until_over(client, 2)
    for number in (1, 2):
        for answer in (
            await deploy(client, number),
            await approve(client, number),
            await client.post(f"{REQUESTS}/{number}/withdrawal"),
            await client.post(f"{REQUESTS}/{number}/counts"),
            await client.post(f"{REQUESTS}/{number}/revisions", json={"revision": 1}),
        ):
            assert code_of(answer) == (409, "request-over"), answer.text
    assert "was deployed as version 2" in (await deploy(client, 2)).json()["message"]


async def test_what_nobody_knows_is_said(client: httpx.AsyncClient, files: Files) -> None:
    assert code_of(await client.get(f"{REQUESTS}/7")) == (404, "unknown-deploy-request")
    assert code_of(await deploy(client, 7)) == (404, "unknown-deploy-request")
    assert code_of(await client.get(f"{REQUESTS}/7/comments")) == (404, "unknown-deploy-request")
    body: dict[str, Any] = {"title": "Back", "text": {"version": 9}}
    assert code_of(await client.post(REQUESTS, json=body)) == (404, "unknown-deployment")
    body = {"title": "Two", "text": {"version": 1, "files": files}}
    assert code_of(await client.post(REQUESTS, json=body)) == (422, "several-texts")
    body = {"title": "From there", "text": {"live_in": {"environment": "none", "version": 1}}}
    assert (await client.post(REQUESTS, json=body)).status_code == 404


async def test_while_it_is_built_a_request_is_not_changed_and_a_cancelled_one_may_be_deployed_again(
    client: httpx.AsyncClient, files: Files
) -> None:
    await opened(client, with_query(files, BY_TEXT))
    assert (await deploy(client, rows_per_second=40)).status_code == 202
    assert (await asked(client))["status"] == "deploying"
    assert [item["status"] for item in (await client.get(REQUESTS)).json()["items"]] == ["deploying"]
    for answer in (await client.post(f"{REQUESTS}/1/withdrawal"), await approve(client), await deploy(client)):
        assert code_of(answer) == (409, "request-deploying")
    assert (await client.post(f"{DEPLOYMENTS}/builds/latest/cancel")).status_code == 200
    assert (await asked(client))["status"] == "open"
    assert (await deploy(client)).status_code == 202
    assert (await until_over(client))["deployed_version"] == 2


async def test_an_environment_that_takes_requests_alone_refuses_every_direct_way(
    client: httpx.AsyncClient, files: Files
) -> None:
    await rule(client, needs_request=True)
    promotion = {"environment": "development", "version": 1, "base_version": 1}
    for path, body in (
        ("", {"files": files, "base_version": 1}),
        ("/builds", {"files": files, "base_version": 1}),
        ("/promotions", promotion),
    ):
        refused = await client.post(f"{DEPLOYMENTS}{path}", json=body)
        assert code_of(refused) == (403, "request-needed"), path
        assert refused.json()["help"] == "Open a deploy request for this text."
    await opened(client, with_query(files))
    assert (await deploy(client)).status_code == 202
    back = await client.post(f"{DEPLOYMENTS}/rollback", json={"base_version": 2})
    assert back.status_code == 201, back.text  # the brake: what was live is live again, at once
    assert ((await live(client))["version"], (await live(client))["request"]) == (3, None)
    assert (await asked(client))["deployed_version"] == 2


async def test_any_earlier_version_comes_back_by_a_request_and_writes_are_kept(
    client: httpx.AsyncClient, files: Files
) -> None:
    assert (await deploy_directly(client, with_query(files))).status_code == 201
    assert (await deploy_directly(client, with_query(files, BY_TEXT))).status_code == 201
    written = await client.post(
        f"{DEPLOYMENTS}/live/queries/addUser/executions",
        json={"parameters": {"username": "kept", "hometown": "Rome"}},
    )
    assert written.status_code == 200, written.text
    answer = await client.post(REQUESTS, json={"title": "Back to the first", "text": {"version": 1}})
    request = answer.json()
    assert (request["origin"], request["preview"]["removed"]) == ("version 1", ["byText"])
    assert (await deploy(client)).status_code == 202
    version = await live(client)
    assert (version["version"], version["request"], version["files"]) == (4, 1, files)
    body = {"parameters": {"username": "kept"}}
    found = await client.post(f"{DEPLOYMENTS}/live/queries/findUser/executions", json=body)
    assert found.json()["rows"] != []


async def test_what_is_live_elsewhere_is_asked_for(client: httpx.AsyncClient, files: Files) -> None:
    await client.post("/api/applications/scadr/environments", json={"title": "Staging"})
    staging = "/api/applications/scadr/environments/staging/deploy-requests"
    text = {"live_in": {"environment": "development", "version": 1}}
    request = (await client.post(staging, json={"title": "To staging", "text": text})).json()
    assert (request["origin"], request["base_version"], request["files"]) == ("development 1", 0, files)
    assert request["numbers"]["queries"] == 12
    assert request["numbers"]["worst_bound"]["live_operations"] is None
    stale = {"live_in": {"environment": "development", "version": 3}}
    refused = await client.post(staging, json={"title": "To staging", "text": stale})
    assert code_of(refused) == (409, "deployed-meanwhile")
    assert (await client.post(f"{staging}/1/deployment", json={"revision": 1})).status_code == 202


async def test_two_who_deploy_one_request_at_once_deploy_it_once(client: httpx.AsyncClient, files: Files) -> None:
    await opened(client, with_query(files, BY_TEXT))
    answers = await asyncio.gather(*(deploy(client) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [202, 409, 409, 409]
    refused = {answer.json()["code"] for answer in answers if answer.status_code == 409}
    assert refused <= {"request-over", "request-deploying"}
    assert (await until_over(client))["deployed_version"] == 2


async def test_of_two_requests_that_are_deployed_at_once_one_is_and_the_other_is_outdated(
    client: httpx.AsyncClient, files: Files
) -> None:
    await opened(client, with_query(files))
    await opened(client, with_query(files, BY_TEXT))
    answers = await asyncio.gather(deploy(client, 1), deploy(client, 2))
    assert sorted(answer.status_code for answer in answers) == [202, 409]
    statuses = [(await until_over(client, number))["status"] for number in (1, 2)]
    assert sorted(statuses) == ["deployed", "outdated"]


async def test_what_people_say_is_kept_and_settled(client: httpx.AsyncClient, files: Files) -> None:
    await opened(client, with_query(files))
    said = f"{REQUESTS}/1/comments"
    first = await client.post(said, json={"revision": 1, "text": "Why not a list?", "query": "townOf"})
    assert first.status_code == 201, first.text
    about_line = {"revision": 1, "text": "One letter?", "path": "queries/new.piql", "line": 1}
    assert (await client.post(said, json=about_line)).json()["number"] == 2
    assert code_of(await client.post(said, json={"revision": 1, "text": "?", "line": 1})) == (422, "line-without-file")
    assert code_of(await client.post(said, json={"revision": 9, "text": "?"})) == (422, "unknown-revision")
    assert (await asked(client))["open_comments"] == 2
    settled = await client.put(f"{said}/1", json={"is_resolved": True})
    assert settled.json()["resolved_at"] is not None
    assert (await client.put(f"{said}/1", json={"is_resolved": True})).json() == settled.json()
    assert (await asked(client))["open_comments"] == 1
    assert code_of(await client.put(f"{said}/3", json={"is_resolved": True})) == (404, "unknown-comment")
    page = (await client.get(said, params={"limit": 1})).json()
    assert [comment["text"] for comment in page["items"]] == ["Why not a list?"]
    rest = (await client.get(said, params={"limit": 1, "cursor": page["next"]})).json()
    assert [(comment["path"], comment["line"]) for comment in rest["items"]] == [("queries/new.piql", 1)]
    assert (await client.put(f"{said}/1", json={"is_resolved": False})).json()["resolved_at"] is None


async def test_requests_and_their_texts_come_in_pages(client: httpx.AsyncClient, files: Files) -> None:
    for title in ("First", "Second", "Third"):
        await opened(client, with_query(files), title)
    await client.post(f"{REQUESTS}/2/withdrawal")
    page = (await client.get(REQUESTS, params={"limit": 2})).json()
    assert [item["title"] for item in page["items"]] == ["Third", "Second"]
    rest = (await client.get(REQUESTS, params={"cursor": page["next"]})).json()
    assert ([item["title"] for item in rest["items"]], rest["next"]) == (["First"], None)
    over = (await client.get(REQUESTS, params={"state": "closed"})).json()["items"]
    assert [item["number"] for item in over] == [2]
    still = (await client.get(REQUESTS, params={"state": "open"})).json()["items"]
    assert [item["number"] for item in still] == [3, 1]
    await client.post(f"{REQUESTS}/1/revisions", json={"revision": 1, "text": {"files": files}})
    texts = (await client.get(f"{REQUESTS}/1/revisions")).json()["items"]
    assert [(text["revision"], text["base_version"]) for text in texts] == [(2, 1), (1, 1)]


async def test_rules_that_cannot_be_read_let_nothing_through(
    client: httpx.AsyncClient, settings: Settings, files: Files
) -> None:
    await rule(client, needs_request=True, approvals=1)
    file = folder_of(settings) / "deploy-rules.json"
    assert json.loads(file.read_text())["approvals"] == 1
    file.write_text(file.read_text().replace("true", "maybe"))
    assert code_of(await deploy_directly(client, with_query(files))) == (503, "rules-not-read")
    assert code_of(await client.get(f"{REQUESTS}/rules")) == (503, "rules-not-read")
    await rule(client, needs_request=False)
    assert (await deploy_directly(client, with_query(files))).status_code == 201


async def test_a_request_outlives_a_start(settings: Settings, running: Running) -> None:
    async with running(settings) as client:
        files = await files_of(client)
        await opened(client, with_query(files))
        await deploy(client)
        await opened(client, files, "Another")
        before = (await client.get(REQUESTS)).json()
    async with running(settings) as client:
        assert (await client.get(REQUESTS)).json() == before
        assert (await live(client))["request"] == 1
