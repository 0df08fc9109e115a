"""What is live is what the store says, whoever deployed; the history follows it, and nobody's queries go unseen."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import httpx
import piql
import piql_backend.deployments.service as service
import pytest
from patience import PATIENCE
from piql.runtime.deployment import Deployer
from piql.versions.deploy import begin_deploy
from piql_backend.deployments.repository import DeploymentTable
from piql_backend.executions.service import Executions, Job
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, folder_of, store_url_of

Files = list[dict[str, str]]
Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
DEPLOYMENTS = f"{DEVELOPMENT}/deployments"
TOWN = "CREATE QUERY townOf AS SELECT hometown FROM users WHERE username = [1: u];"


async def live_version(client: httpx.AsyncClient) -> int:
    version: int = (await client.get(f"{DEPLOYMENTS}/live")).json()["version"]
    return version


async def deployed(client: httpx.AsyncClient, files: Files, **more: Any) -> httpx.Response:
    body = {"files": files, "base_version": await live_version(client), **more}
    return await client.post(DEPLOYMENTS, json=body)


async def live_queries(client: httpx.AsyncClient) -> set[str]:
    return {query["name"] for query in (await client.get(f"{DEPLOYMENTS}/live")).json()["queries"]}


async def run(client: httpx.AsyncClient, query: str, **parameters: object) -> httpx.Response:
    return await client.post(f"{DEPLOYMENTS}/live/queries/{query}/executions", json={"parameters": parameters})


def with_town(files: Files) -> Files:
    return [*files, {"path": "queries/townOf.piql", "text": TOWN}]


def deployed_beside(settings: Settings, text: str) -> None:
    """Deploy as a program beside the workbench does."""
    with piql.connect(store_url_of(settings)) as db:
        db.deploy(piql.compile(text))


def texts_of(files: Files, path: str = "schema.piql") -> str:
    return next(file["text"] for file in files if file["path"] == path)


async def test_what_another_process_deploys_is_live_at_the_next_request(
    client: httpx.AsyncClient, settings: Settings, files: Files
) -> None:
    deployed_beside(settings, texts_of(files) + TOWN)
    ran = await run(client, "townOf", u="nobody")
    assert (ran.status_code, ran.json()["deployment_id"]) == (200, "d2")
    assert "townOf" in await live_queries(client)
    newest = (await client.get(DEPLOYMENTS)).json()["items"][0]
    assert (newest["is_live"], newest["deployed_by"], newest["application_id"]) == (True, "an application", None)
    assert (await run(client, "findUser", username="nobody")).status_code == 200


PETS = "CREATE TABLE pets (name VARCHAR(20) PRIMARY KEY, kind VARCHAR(20));"
PET_IS_READ = "CREATE QUERY pet AS SELECT kind FROM pets WHERE name = [n];"
PET_IS_CHANGED = "CREATE QUERY pet AS UPDATE pets SET kind = 'cat' WHERE name = [n];"
PET_IS_DELETED = "CREATE QUERY pet AS DELETE FROM pets WHERE name = [n];"


def pets(settings: Settings) -> list[tuple[object, ...]]:
    with piql.connect(store_url_of(settings)) as db:
        return db.some_rows("pets", ["name"], 100)


@pytest.mark.parametrize("asked_for", ["its id", "live"])
async def test_a_query_of_another_version_never_runs_in_place_of_the_one_that_was_looked_up(
    client: httpx.AsyncClient,
    settings: Settings,
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
    asked_for: str,
) -> None:
    deployed_beside(settings, texts_of(files) + PETS + PET_IS_CHANGED)
    with piql.connect(store_url_of(settings)) as db:
        db.load("pets", [{"name": "rex", "kind": "dog"}])
    seen = (await run(client, "pet", n="nobody")).json()["deployment_id"]
    look_up, jobs = Executions.job, []

    def job(self: Executions, deployment_id: str, name: str) -> Job:
        jobs.append(look_up(self, deployment_id, name))
        if len(jobs) == 1:
            deployed_beside(settings, texts_of(files) + PETS + PET_IS_DELETED)
        return jobs[-1]

    monkeypatch.setattr(Executions, "job", job)
    path = f"{DEPLOYMENTS}/{seen if asked_for == 'its id' else 'live'}/queries/pet/executions"
    answer = await client.post(path, json={"parameters": {"n": "rex"}})
    if asked_for == "live":
        assert (answer.status_code, answer.json()["deployment_id"]) == (200, "d3")
        assert answer.json()["operations"] <= answer.json()["bound_operations"]
        assert pets(settings) == []
    else:
        assert (answer.status_code, answer.json()["code"]) == (409, "deployment-replaced")
        assert pets(settings) == [("rex",)]


async def test_a_burst_ends_when_another_version_is_deployed(
    client: httpx.AsyncClient, settings: Settings, files: Files
) -> None:
    deployed_beside(settings, texts_of(files) + PETS + PET_IS_READ)
    with piql.connect(store_url_of(settings)) as db:
        db.load("pets", [{"name": f"pet{number}", "kind": "dog"} for number in range(50)])
    body = {"deployment_id": "live", "query": "pet", "executions": 5000, "concurrency": 2}
    burst = (await client.post(f"{DEVELOPMENT}/bursts", json=body)).json()
    deployed_beside(settings, texts_of(files) + PETS + PET_IS_DELETED)
    while burst["ended_at"] is None:
        await asyncio.sleep(0.05)
        burst = (await client.get(f"{DEVELOPMENT}/bursts/{burst['id']}")).json()
    if burst["state"] == "failed":
        assert burst["message"] == "d2 has been replaced: begin again with what is live."
    assert burst["errors"] == []
    assert len(pets(settings)) == 50


async def test_what_another_process_deploys_is_seen_without_any_request(
    settings: Settings, files: Files, client: httpx.AsyncClient
) -> None:
    deployed_beside(settings, texts_of(files) + TOWN)
    while (await client.get(f"{DEVELOPMENT}/latency/live")).json()[
        "deployment_id"
    ] != "d2":  # this looks at nothing itself
        await asyncio.sleep(0.05)


async def test_two_workbenches_on_one_store_agree_and_neither_deploys_over_the_other_unseen(
    settings: Settings, running: Running, tmp_path: Path
) -> None:
    shutil.copytree(settings.data, tmp_path / "another" / "data")
    shared = store_url_of(settings)
    another = replace(settings, data=tmp_path / "another" / "data", store=shared)
    async with running(replace(settings, store=shared)) as first, running(another) as second:
        kept = (await first.get("/api/applications/scadr")).json()["files"]
        files = [{"path": file["path"], "text": file["text"]} for file in kept]
        assert (await deployed(first, with_town(files))).status_code == 201
        assert (await run(second, "townOf", u="nobody")).status_code == 200
        stale = await second.post(DEPLOYMENTS, json={"files": files, "base_version": 1})
        assert (stale.status_code, stale.json()["code"]) == (409, "deployed-meanwhile")
        assert [version["version"] for version in stale.json()["between"]] == [2]
        agreed = await second.post(DEPLOYMENTS, json={"files": files, "base_version": 2})
        assert agreed.status_code == 201, agreed.text
        async with asyncio.timeout(PATIENCE):
            while (await run(first, "townOf", u="nobody")).status_code == 200:
                await asyncio.sleep(0.05)  # until its next look at the store, a second later at most
        assert (await run(first, "townOf", u="nobody")).status_code == 404
        histories = [(await client.get(DEPLOYMENTS)).json()["items"] for client in (first, second)]
        assert histories[0] == histories[1]
        assert [(version["version"], version["is_live"]) for version in histories[0]] == [
            (3, True),
            (2, False),
            (1, False),
        ]


async def test_what_was_deployed_while_the_workbench_was_away_is_live(settings: Settings, running: Running) -> None:
    async with running(settings) as client:
        schema = texts_of((await client.get(f"{DEPLOYMENTS}/live")).json()["files"])
    for limit in (10, 20, 30):
        deployed_beside(settings, schema + f"CREATE QUERY few AS SELECT username FROM users LIMIT {limit};")
    async with running(settings) as client:
        reads = (await client.get(DEPLOYMENTS)).json()["items"]
        assert [(read["version"], read["is_live"], read["is_before"]) for read in reads] == [
            (4, True, False),
            (3, False, True),
            (1, False, False),
        ]
        assert (await run(client, "few")).status_code == 200


async def test_a_version_that_is_live_but_cannot_be_noted_is_not_called_unwritten(
    client: httpx.AsyncClient, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await live_version(client)
    put = DeploymentTable.put

    def refused(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(DeploymentTable, "put", refused)
    answer = await deployed(client, with_town(files), base_version=before)
    assert (answer.status_code, answer.json()["code"]) == (507, "deployed-but-not-noted")
    assert answer.json()["message"].startswith("The version is live in the store, but could not be noted")
    monkeypatch.setattr(DeploymentTable, "put", put)
    newest = (await client.get(DEPLOYMENTS)).json()["items"][0]
    assert (newest["version"], newest["is_live"]) == (before + 1, True)


async def test_a_history_that_is_lost_is_made_from_the_store(settings: Settings, running: Running) -> None:
    async with running(settings) as client:
        files = (await client.get(f"{DEPLOYMENTS}/live")).json()["files"]
        assert (await deployed(client, with_town(files))).status_code == 201
        before = (await client.get(DEPLOYMENTS)).json()["items"]
    (folder_of(settings) / "workbench.duckdb").unlink()
    async with running(settings) as client:
        assert (await client.get(DEPLOYMENTS)).json()["items"] == before
        assert (await client.get(f"{DEPLOYMENTS}/live")).json()["files"] == with_town(files)
        assert (await run(client, "townOf", u="nobody")).status_code == 200


async def test_a_store_and_a_history_without_ids_are_brought_together_by_their_texts(
    settings: Settings, running: Running
) -> None:
    async with running(settings) as client:
        before = (await client.get(DEPLOYMENTS)).json()["items"]
    with closing(sqlite3.connect(folder_of(settings) / "store")) as raw, raw:
        ((text,),) = raw.execute("SELECT value FROM settings WHERE name = 'deployment'").fetchall()
        document = {name: value for name, value in json.loads(text).items() if name not in ("id", "by", "details")}
        raw.execute("UPDATE settings SET value = ? WHERE name = 'deployment'", [json.dumps(document | {"owners": {}})])
    with duckdb.connect(folder_of(settings) / "workbench.duckdb") as history:
        history.execute("UPDATE deployments SET deployment = NULL, deployed_by = NULL")
    async with running(settings) as client:
        assert (await client.get(DEPLOYMENTS)).json()["items"] == before
        files = (await client.get(f"{DEPLOYMENTS}/live")).json()["files"]
        fewer = [file for file in files if file["path"] != "queries/findUser.piql"]
        assert (await deployed(client, fewer)).status_code == 201
        assert "findUser" not in await live_queries(client)
        back = await client.post(f"{DEPLOYMENTS}/rollback", json={"base_version": await live_version(client)})
        assert (back.json()["application_id"], back.json()["deployed_by"]) == ("scadr", "scadr")


async def test_a_deployment_on_an_older_base_is_refused_with_what_came_between(
    client: httpx.AsyncClient, settings: Settings, files: Files
) -> None:
    preview = (await client.post(f"{DEPLOYMENTS}/preview", json={"files": files})).json()
    assert preview["base_version"] == 1
    deployed_beside(settings, texts_of(files) + TOWN)
    for url in (DEPLOYMENTS, f"{DEPLOYMENTS}/builds"):
        body = {"files": files, "base_version": 1}
        refused = await client.post(url, json=body)
        assert (refused.status_code, refused.json()["code"]) == (409, "deployed-meanwhile")
        assert [(read["id"], read["deployed_by"]) for read in refused.json()["between"]] == [("d2", "an application")]
        assert "version 2 by an application" in refused.json()["message"]
    assert "townOf" in await live_queries(client)
    assert (await deployed(client, files, base_version=2)).status_code == 201


async def test_nothing_live_is_replaced_for_somebody_who_does_not_say_what_was_seen(
    client: httpx.AsyncClient, files: Files
) -> None:
    body = {"files": with_town(files)}
    for unsaid in (body, body | {"base_version": None}):
        for url in (DEPLOYMENTS, f"{DEPLOYMENTS}/builds"):
            refused = await client.post(url, json=unsaid)
            assert (refused.status_code, refused.json()["code"]) == (428, "base-version-needed")
            assert "version 1 by scadr is live, and the request has no base_version" in refused.json()["message"]
            assert refused.json()["help"].endswith("deploy with base_version 1.")
    assert await live_version(client) == 1
    assert (await client.post(DEPLOYMENTS, json=body | {"base_version": 1})).status_code == 201


async def test_the_very_first_deployment_needs_no_version(tmp_path: Path, running: Running) -> None:
    empty = Settings(data=tmp_path / "data", frontend=tmp_path / "dist", sample_applications=())
    text = "CREATE TABLE t (id INT PRIMARY KEY); CREATE QUERY one AS SELECT id FROM t WHERE id = [1: id];"
    folder = empty.data / "applications" / "mine"
    folder.mkdir(parents=True)
    (folder / "schema.piql").write_text(text)
    async with running(empty) as client:
        deployments = DEPLOYMENTS.replace("scadr", "mine")
        assert (await client.post(deployments, json={})).status_code == 201
        assert (await client.post(deployments, json={})).status_code == 428


async def test_a_text_that_is_older_than_the_saved_one_is_not_deployed(client: httpx.AsyncClient, files: Files) -> None:
    read = (await client.get("/api/applications/scadr")).json()["files"]
    seen = {file["path"]: file["revision"] for file in read}
    url = "/api/applications/scadr/files/schema.piql"
    newer = texts_of(files) + "-- newer"
    await client.put(url, json={"text": newer, "base_revision": seen["schema.piql"]})
    refused = await deployed(client, with_town(files), base_revisions=seen)
    assert (refused.status_code, refused.json()["code"]) == (409, "file-changed")
    assert refused.json()["current"]["text"] == newer
    seen["schema.piql"] = refused.json()["current"]["revision"]
    assert (await deployed(client, with_town(files), base_revisions=seen)).status_code == 201
    await client.post("/api/applications/scadr/files", json={"path": "new.piql", "text": "-- new"})
    assert (await deployed(client, files, base_revisions=seen)).json()["current"]["path"] == "new.piql"


@pytest.fixture
def second(settings: Settings) -> str:
    """Somebody else who has deployed one table and one query to the same store."""
    text = "CREATE TABLE notes (id INT PRIMARY KEY, text VARCHAR(80));\n"
    text += "CREATE QUERY note AS SELECT text FROM notes WHERE id = [1: id];\n"
    with piql.connect(store_url_of(settings)) as db:
        begin_deploy(
            db.store, piql.compile({"second.piql": text}), deployer=Deployer("second", {}), is_background=False
        )
    return "second"


async def test_the_queries_of_others_stay_live(second: str, client: httpx.AsyncClient, files: Files) -> None:
    before = await live_queries(client)
    assert {"note", "findUser"} <= before
    again = (await client.post(f"{DEPLOYMENTS}/preview", json={"files": files})).json()
    assert (again["kept"], again["removed"]) == ([{"query": "note", "deployed_by": second}], [])
    fewer = [file for file in files if file["path"] != "queries/findUser.piql"]
    assert (await deployed(client, fewer)).status_code == 201
    assert await live_queries(client) == before - {"findUser"}
    assert (await run(client, "note", id=1)).status_code == 200


async def test_what_the_reader_agreed_to_remove_goes(second: str, client: httpx.AsyncClient, files: Files) -> None:
    body = {"files": files, "removes": ["note"]}
    assert (await client.post(f"{DEPLOYMENTS}/preview", json=body)).json()["removed"] == ["note"]
    assert (await deployed(client, files, removes=["note"])).status_code == 201
    assert "note" not in await live_queries(client)
    assert (await run(client, "note", id=1)).status_code == 404


async def test_a_query_of_others_is_replaced_only_when_that_was_agreed_to(
    second: str, client: httpx.AsyncClient, files: Files
) -> None:
    other = [*files, {"path": "more.piql", "text": TOWN.replace("townOf", "note")}]
    preview = (await client.post(f"{DEPLOYMENTS}/preview", json={"files": other})).json()
    assert preview["replaced"] == [{"query": "note", "deployed_by": second}]
    refused = await deployed(client, other)
    assert (refused.status_code, refused.json()["code"]) == (409, "replaces-queries")
    assert "note would be replaced, deployed by second" in refused.json()["message"]
    assert (await deployed(client, other, removes=["note"])).status_code == 201
    assert (await run(client, "note", u="nobody")).status_code == 200


async def test_a_set_that_would_break_the_queries_of_others_is_said_before(
    second: str, client: httpx.AsyncClient
) -> None:
    text = "CREATE TABLE notes (id INT PRIMARY KEY, x INT);"
    text += "CREATE QUERY x AS SELECT x FROM notes WHERE id = [1: u];"
    body = {"files": [{"path": "schema.piql", "text": text}]}
    preview = (await client.post(f"{DEPLOYMENTS}/preview", json=body)).json()
    assert preview["can_deploy"] is False
    assert "would break, deployed earlier" in preview["refusal"]
    refused = await client.post(DEPLOYMENTS, json=body | {"base_version": 2})
    assert (refused.status_code, refused.json()["message"]) == (422, preview["refusal"])


async def test_a_table_that_the_store_has_from_an_earlier_version_is_not_called_new(
    client: httpx.AsyncClient, files: Files
) -> None:
    text = "CREATE TABLE pictures (id INT PRIMARY KEY, title VARCHAR(20));"
    with_pictures = [*files, {"path": "pictures.piql", "text": text}]
    assert (await client.post(f"{DEPLOYMENTS}/preview", json={"files": with_pictures})).json()["tables"] == [
        {"table": "pictures", "kind": "table", "change": "added", "details": [], "checked": [], "refusal": None}
    ]
    assert (await deployed(client, with_pictures)).status_code == 201
    assert (await client.post(f"{DEPLOYMENTS}/rollback", json={"base_version": 2})).status_code == 201
    preview = (await client.post(f"{DEPLOYMENTS}/preview", json={"files": with_pictures})).json()
    assert preview["tables"] == [
        {"table": "pictures", "kind": "table", "change": "back", "details": [], "checked": [], "refusal": None}
    ]
    unique = [*files, {"path": "pictures.piql", "text": text.replace("20)", "30) UNIQUE")}]
    (change,) = (await client.post(f"{DEPLOYMENTS}/preview", json={"files": unique})).json()["tables"]
    assert change["details"] == ["title VARCHAR(20) → title VARCHAR(30)", "+ UNIQUE (title)"]
    assert change["checked"] == ["UNIQUE (title)"]


async def test_a_rollback_is_shown_before_and_is_of_the_version_that_was_seen(
    client: httpx.AsyncClient, settings: Settings, files: Files
) -> None:
    nothing = await client.get(f"{DEPLOYMENTS}/rollback/preview")
    assert (nothing.status_code, nothing.json()["code"]) == (409, "nothing-before")
    changed = [
        file | {"text": file["text"].replace("LIMIT 100 (owner)", "LIMIT 90 (owner)")} for file in with_town(files)
    ]
    assert (await deployed(client, changed)).status_code == 201
    preview = (await client.get(f"{DEPLOYMENTS}/rollback/preview")).json()
    assert (preview["base_version"], preview["to"]["id"]) == (2, "d1")
    assert (preview["removed"], preview["added"]) == (["townOf"], [])
    assert "thoughtstream" in {change["query"] for change in preview["bounds_changed"]}
    assert preview["tables"][0]["details"] == ["CARDINALITY LIMIT 90 (owner) → 100"]
    refused = await client.post(f"{DEPLOYMENTS}/rollback", json={"base_version": 1})
    assert (refused.status_code, refused.json()["code"]) == (409, "deployed-meanwhile")
    assert (await client.post(f"{DEPLOYMENTS}/rollback")).status_code == 422
    back = await client.post(f"{DEPLOYMENTS}/rollback", json={"base_version": 2})
    assert (back.status_code, back.json()["id"], back.json()["application_id"]) == (201, "d3", "scadr")
    assert (await client.get(f"{DEPLOYMENTS}/live")).json()["files"] == files


async def test_the_same_text_with_other_predictions_is_a_new_version_and_without_is_none(
    client: httpx.AsyncClient, files: Files
) -> None:
    assert (await deployed(client, files)).json()["id"] == "d1"
    body = {"files": files, "base_version": 1}
    begun = await client.post(f"{DEPLOYMENTS}/builds", json=body)
    assert (begun.json()["phase"], begun.json()["deployment_id"]) == ("in force", "d1")


async def test_nobody_who_reads_waits_for_a_deployment(
    client: httpx.AsyncClient, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_under_way, may_end = threading.Event(), threading.Event()
    begin = service.begin_deploy

    def slow(*given: Any, **named: Any) -> Any:
        is_under_way.set()
        assert may_end.wait(PATIENCE)
        return begin(*given, **named)

    monkeypatch.setattr(service, "begin_deploy", slow)
    deploying = asyncio.create_task(deployed(client, with_town(files)))
    await asyncio.to_thread(is_under_way.wait, PATIENCE)
    slo = {"quantile": 0.99, "threshold_ms": 20, "interval_seconds": 600}
    answers = [
        await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo),
        await client.get(f"{DEVELOPMENT}/slos"),
        await client.get(f"{DEVELOPMENT}/latency/live"),
        await client.get(DEPLOYMENTS),
        await client.get(f"{DEPLOYMENTS}/live"),
        await run(client, "findUser", username="nobody"),
        await client.get(f"{DEVELOPMENT}/health"),
    ]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert not deploying.done()
    may_end.set()
    assert (await deploying).status_code == 201
