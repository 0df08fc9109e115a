"""Deploying over HTTP: previews, refusals, versions, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import httpx
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, application_ids

Files = list[dict[str, str]]
Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
LIMIT = "  CARDINALITY LIMIT 100 (owner),\n"


def replaced(files: Files, path: str, old: str, new: str) -> Files:
    changed = [file | {"text": file["text"].replace(old, new)} if file["path"] == path else file for file in files]
    assert changed != files, f"{old!r} is not in {path}"
    return changed


async def test_the_sample_is_deployed_at_the_first_start(client: httpx.AsyncClient) -> None:
    deployments = (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]
    assert [(deployment["id"], deployment["version"], deployment["is_live"]) for deployment in deployments] == [
        ("d1", 1, True)
    ]
    query = next(query for query in deployments[0]["queries"] if query["name"] == "thoughtstream")
    assert (query["operations"], query["formula"], query["scaling_class"]) == (101, "1 + subscriptions.owner", "II")
    assert query["predicted_p99_ms"] is None
    assert [parameter["name"] for parameter in query["parameters"]] == ["me", "count"]


async def test_a_deployment_shows_files_bounds_and_indexes(client: httpx.AsyncClient, files: Files) -> None:
    found = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()
    assert found["files"] == files
    assert {bound["query"] for bound in found["bounds"]} == {query["name"] for query in found["queries"]}
    assert any(index["table"] == "subscriptions" for index in found["indexes"])
    assert (await client.get(f"{DEVELOPMENT}/deployments/d1")).json() == found


async def test_deploying_again_makes_a_new_live_version(client: httpx.AsyncClient, files: Files) -> None:
    changed = replaced(files, "queries/thoughtstream.piql", "MAX 50", "MAX 20")
    made = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": changed})
    assert made.status_code == 201, made.text
    assert (made.json()["id"], made.json()["is_live"]) == ("d2", True)
    both = (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]
    assert [(deployment["id"], deployment["is_live"]) for deployment in both] == [("d2", True), ("d1", False)]
    assert (await client.get(f"{DEVELOPMENT}/deployments/d1")).json()["files"] == files


async def test_an_unbounded_query_is_refused_with_the_editors_reason(client: httpx.AsyncClient, files: Files) -> None:
    changed = replaced(files, "schema.piql", LIMIT, "")
    refused = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": changed})
    assert (refused.status_code, refused.json()["code"]) == (422, "compilation-refused")
    shown = (await client.post("/api/compilations", json={"files": changed})).json()["diagnostics"]
    assert refused.json()["diagnostics"] == shown
    assert len((await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]) == 1


async def test_nothing_to_deploy_is_said(client: httpx.AsyncClient) -> None:
    comment = [{"path": "schema.piql", "text": "-- Tables come here."}]
    for files in ([], comment):
        preview = (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": files})).json()
        assert preview["can_deploy"] is False
        refused = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": files})
        assert (refused.status_code, refused.json()["code"]) == (422, "nothing-to-deploy")


async def test_an_application_may_begin_with_its_tables_alone(client: httpx.AsyncClient) -> None:
    schema = "CREATE TABLE notes (id INT PRIMARY KEY, body VARCHAR(100));"
    application = {"id": "notes", "title": "Notes", "files": [{"path": "schema.piql", "text": schema}]}
    created = await client.post("/api/applications", json=application)
    assert created.status_code == 201, created.text
    environment = "/api/applications/notes/environments/development"
    files = {"files": application["files"]}
    preview = (await client.post(f"{environment}/deployments/preview", json=files)).json()
    assert (preview["can_deploy"], preview["added"]) == (True, [])
    assert [(change["table"], change["change"]) for change in preview["tables"]] == [("notes", "added")]
    made = await client.post(f"{environment}/deployments", json=files)
    assert (made.status_code, made.json()["queries"]) == (201, [])
    rows = (await client.get(f"{environment}/tables/notes/rows")).json()
    assert rows["rows"] == []


async def test_a_preview_names_what_would_change(client: httpx.AsyncClient, files: Files) -> None:
    changed = replaced(files, "schema.piql", "LIMIT 100 (owner)", "LIMIT 50 (owner)")
    changed = [file for file in changed if file["path"] != "queries/addUser.piql"]
    text = "CREATE QUERY townOf AS SELECT hometown FROM users WHERE username = [1: u];"
    changed.append({"path": "queries/townOf.piql", "text": text})
    preview = (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": changed})).json()
    assert preview["can_deploy"] is True
    assert preview["added"] == ["townOf"]
    assert preview["removed"] == ["addUser"]
    assert "thoughtstream" in preview["changed"]
    assert "findUser" in preview["unchanged"]
    change = next(change for change in preview["bounds_changed"] if change["query"] == "thoughtstream")
    assert (change["before"]["operations"], change["after"]["operations"]) == (101, 51)
    assert preview["tables"] == [
        {
            "table": "subscriptions",
            "kind": "table",
            "change": "changed",
            "details": ["CARDINALITY LIMIT 100 (owner) → 50"],
            "checked": ["CARDINALITY LIMIT 50 (owner)"],
            "refusal": None,
        }
    ]


async def test_a_preview_names_the_tables_that_would_change(client: httpx.AsyncClient, files: Files) -> None:
    same = (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": files})).json()
    assert same["tables"] == []
    changed = replaced(files, "schema.piql", "hometown VARCHAR(64)", "hometown VARCHAR(99) NOT NULL UNIQUE, born DATE")
    changed = replaced(changed, "schema.piql", "PRIMARY KEY (owner, posted)", "PRIMARY KEY (posted, owner)")
    more = {"path": "more.piql", "text": "CREATE TABLE pictures (id UUID PRIMARY KEY);"}
    preview = (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": [*changed, more]})).json()
    added, users, thoughts = preview["tables"]
    assert (added["table"], added["change"]) == ("pictures", "added")
    assert users["details"] == [
        "+ born DATE",
        "hometown VARCHAR(64) → hometown VARCHAR(99) NOT NULL",
        "+ UNIQUE (hometown)",
    ]
    assert users["checked"] == ["UNIQUE (hometown)", "hometown VARCHAR(99) NOT NULL"]
    assert thoughts["refusal"] == "its primary key is (owner, posted) and cannot change"
    gone = [file for file in files if file["path"] != "schema.piql"]
    preview = (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": gone})).json()
    assert {(table["table"], table["change"]) for table in preview["tables"]} == {
        ("users", "removed"),
        ("subscriptions", "removed"),
        ("thoughts", "removed"),
    }


async def test_a_view_goes_with_its_statement_and_the_preview_says_what_that_means(
    client: httpx.AsyncClient, files: Files
) -> None:
    text = "CREATE VIEW fans AS SELECT target, COUNT(*) AS n FROM subscriptions GROUP BY target;\n"
    with_view = [*files, {"path": "fans.piql", "text": text}]
    preview = (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": with_view})).json()
    bounds = {change["query"]: change for change in preview["bounds_changed"]}
    (change,) = preview["tables"]
    assert change["details"] == [
        f"{query} keeps it up to date: ≤ {bounds[query]['after']['operations']} requests, "
        f"before ≤ {bounds[query]['before']['operations']}"
        for query in ("subscribe", "unsubscribe")
    ]
    made = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": with_view})
    assert made.status_code == 201, made.text
    preview = (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": files})).json()
    (change,) = preview["tables"]
    assert (change["table"], change["kind"], change["change"]) == ("fans", "view", "removed")
    assert change["details"][0].startswith("writes to subscriptions keep it up to date only for a rollback")
    assert {change["query"] for change in preview["bounds_changed"]} == {"subscribe", "unsubscribe"}
    await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 2, "files": files})
    again = (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": files})).json()
    assert again["tables"] == []
    assert again["bounds_changed"] == []


async def test_a_preview_of_a_refused_set_says_so(client: httpx.AsyncClient, files: Files) -> None:
    changed = replaced(files, "schema.piql", LIMIT, "")
    preview = (await client.post(f"{DEVELOPMENT}/deployments/preview", json={"files": changed})).json()
    assert preview["can_deploy"] is False
    assert any(diagnostic["severity"] == "error" for diagnostic in preview["diagnostics"])


async def test_unknown_deployments_applications_and_runs_are_not_found(client: httpx.AsyncClient) -> None:
    for deployment_id in ("d99", "d", "1", "d01", "d-1", "d" + "9" * 30, "%00", "d1%2f"):
        assert (await client.get(f"{DEVELOPMENT}/deployments/{deployment_id}")).status_code == 404
    none = await client.post("/api/applications/none/environments/development/deployments", json={})
    assert (none.status_code, none.json()["code"]) == (404, "unknown-application")
    run = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "run_id": "none"})
    assert (run.status_code, run.json()["code"]) == (404, "unknown-run")


async def test_what_is_live_stays_live_after_a_restart(settings: Settings, running: Running) -> None:
    async with running(settings) as client:
        files = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["files"]
        changed = replaced(files, "queries/thoughtstream.piql", "MAX 50", "MAX 20")
        await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": changed})
    async with running(settings) as client:
        assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["id"] == "d2"
        body = {"parameters": {"me": "nobody", "count": 21}}
        answer = await client.post(f"{DEVELOPMENT}/deployments/live/queries/thoughtstream/executions", json=body)
        assert answer.json()["code"] == "invalid-parameter"


async def test_a_limit_below_the_data_is_refused_before_anything_changes(
    client: httpx.AsyncClient, files: Files
) -> None:
    changed = replaced(files, "schema.piql", "LIMIT 100 (owner)", "LIMIT 3 (owner)")
    refused = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": changed})
    assert (refused.status_code, refused.json()["code"]) == (422, "compilation-refused")
    assert "at most 3" in refused.json()["message"]
    assert [item["id"] for item in (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]] == ["d1"]


async def test_a_query_left_out_can_no_longer_be_run(client: httpx.AsyncClient, files: Files) -> None:
    fewer = [file for file in files if file["path"] != "queries/findUser.piql"]
    made = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": fewer})
    assert made.status_code == 201, made.text
    url = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"
    assert (await client.post(url, json={"parameters": {"username": "x"}})).json()["code"] == "unknown-query"


async def test_a_store_that_is_away_is_said_and_the_sample_follows_when_it_is_back(
    tmp_path: Path, running: Running, settings: Settings
) -> None:
    here = replace(settings, data=tmp_path / "other")
    away = replace(here, store="cql://127.0.0.1:1/none?user=a")
    async with running(away) as client:
        health = (await client.get(f"{DEVELOPMENT}/health")).json()
        assert (health["status"], health["store"]["healthy"]) == ("degraded", False)
        assert health["store"]["message"]
        assert await application_ids(client) == ["scadr"]
        files = (await client.get("/api/applications/scadr")).json()["files"]
        compiled = await client.post(
            "/api/compilations", json={"files": [{"path": file["path"], "text": file["text"]} for file in files]}
        )
        assert compiled.status_code == 200
        refused = await client.post(f"{DEVELOPMENT}/deployments", json={})
        assert (refused.status_code, refused.json()["code"]) == (503, "store-unavailable")
        edit = {"text": files[0]["text"] + "-- mine", "base_revision": files[0]["revision"]}
        assert (await client.put("/api/applications/scadr/files/schema.piql", json=edit)).status_code == 200
    async with running(here) as client:
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["status"] == "ok"
        assert [item["id"] for item in (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]] == ["d1"]
        first = (await client.get("/api/applications/scadr")).json()["files"][0]
        assert first["text"].endswith("-- mine")
        found = await client.get(f"{DEVELOPMENT}/deployments/live/queries/findUser/sample-parameters")
        assert "users.username" in found.json()["sources"]["username"]
