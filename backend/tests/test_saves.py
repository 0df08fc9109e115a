"""The history of an application's files over HTTP: what was saved, renamed, deleted and deployed, and its texts."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from dulwich.objects import Blob
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, Running

FILES = "/api/applications/scadr/files"
SAVES = "/api/applications/scadr/saves"
TOWN_OF = "CREATE QUERY townOf AS SELECT hometown FROM users WHERE username = [1: u];"


async def saves(client: httpx.AsyncClient, **query: Any) -> list[dict[str, Any]]:
    answer = await client.get(SAVES, params=query)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def test_what_was_saved_renamed_and_deleted_is_there_with_its_texts(client: httpx.AsyncClient) -> None:
    before = len(await saves(client))
    created = await client.post(FILES, json={"path": "queries/new.piql", "text": "-- one"})
    saved = await client.put(
        f"{FILES}/queries/new.piql", json={"text": "-- two", "base_revision": created.json()["revision"]}
    )
    rename = {"path": "queries/new.piql", "new_path": "other/name.piql", "base_revision": saved.json()["revision"]}
    renamed = await client.post("/api/applications/scadr/renames", json=rename)
    assert (renamed.status_code, renamed.json()["path"], renamed.json()["text"]) == (200, "other/name.piql", "-- two")
    assert (await client.delete(f"{FILES}/other/name.piql")).status_code == 204

    newest = (await saves(client))[: -before or None]
    assert [save["message"] for save in newest] == [
        "Delete other/name.piql",
        "Rename queries/new.piql to other/name.piql",
        "Save queries/new.piql",
        "Create queries/new.piql",
    ]
    assert newest[1]["changes"] == [{"path": "other/name.piql", "kind": "renamed", "old_path": "queries/new.piql"}]
    numbers = [save["number"] for save in newest]
    detail = (await client.get(f"{SAVES}/{numbers[1]}")).json()
    assert {"path": "other/name.piql", "text": "-- two"} in detail["files"]
    of_file = await saves(client, path="other/name.piql")
    assert [save["number"] for save in of_file] == numbers
    assert (await client.get(f"{SAVES}/{numbers[0] + 1}")).json()["code"] == "unknown-save"
    assert (await client.get("/api/applications/nobody/saves")).status_code == 404


async def test_a_rename_is_refused_where_it_would_replace_or_was_based_on_another_text(
    client: httpx.AsyncClient,
) -> None:
    first = (await client.get("/api/applications/scadr")).json()["files"][0]
    url = "/api/applications/scadr/renames"
    rename = {"path": first["path"], "new_path": "queries/thoughtstream.piql", "base_revision": first["revision"]}
    assert (await client.post(url, json=rename)).json()["code"] == "file-exists"
    stale = rename | {"new_path": "new.piql", "base_revision": "an older one"}
    assert (await client.post(url, json=stale)).json()["code"] == "file-changed"
    outside = rename | {"new_path": "../../schema.piql"}
    assert (await client.post(url, json=outside)).status_code == 422
    missing = rename | {"path": "missing.piql", "new_path": "new.piql"}
    assert (await client.post(url, json=missing)).status_code == 404


async def test_saves_come_by_the_page_the_newest_first(client: httpx.AsyncClient) -> None:
    for number in range(3):
        await client.post(FILES, json={"path": f"queries/n{number}.piql", "text": ""})
    everything = await saves(client)
    first = (await client.get(SAVES, params={"limit": 2})).json()
    second = (await client.get(SAVES, params={"limit": 2, "cursor": first["next"]})).json()
    assert [*first["items"], *second["items"]] == everything[:4]


async def test_what_was_changed_outside_is_a_save_of_its_own(client: httpx.AsyncClient, settings: Settings) -> None:
    await saves(client)
    (settings.data / "applications" / "scadr" / "schema.piql").write_text("-- by another editor")
    newest = (await saves(client))[0]
    assert newest["message"] == "Changed outside of the workbench"
    assert newest["changes"] == [{"path": "schema.piql", "kind": "changed", "old_path": None}]
    assert len(await saves(client)) == newest["number"]


async def test_a_deployment_names_the_save_that_it_was_made_from(client: httpx.AsyncClient) -> None:
    live = (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"][0]
    query = "CREATE QUERY q AS SELECT username FROM users WHERE username = [u];"
    await client.post(FILES, json={"path": "queries/q.piql", "text": query})
    deployed = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": live["version"]})
    assert deployed.status_code == 201, deployed.text
    assert (await saves(client))[0]["deployments"] == [f"development/{deployed.json()['version']}"]


async def test_a_rollback_names_the_save_that_it_returns_to(client: httpx.AsyncClient) -> None:
    first = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["version"]
    text = "CREATE QUERY q AS SELECT username FROM users WHERE username = [u];"
    await client.post(FILES, json={"path": "queries/q.piql", "text": text})
    await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": first})
    back = await client.post(f"{DEVELOPMENT}/deployments/rollback", json={"base_version": first + 1})
    assert back.status_code == 201, back.text
    newest, before = (await saves(client))[:2]
    assert newest["deployments"] == [f"development/{first + 1}"]
    assert before["deployments"] == [f"development/{first}", f"development/{first + 2}"]


async def test_a_deployment_that_could_not_be_named_is_named_later(settings: Settings, running: Running) -> None:
    lock = settings.data / "histories" / "scadr.lock"
    async with running(settings) as client:
        await saves(client)
        live = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["version"]
        lock.unlink()
        lock.mkdir()  # nobody can write now
        created = await client.post(FILES, json={"path": "queries/new.piql", "text": TOWN_OF})
        assert created.status_code == 201
        deployed = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": live})
        assert deployed.status_code == 201, deployed.text
        problems = (await client.get(f"{DEVELOPMENT}/health")).json()["problems"]
        assert "Deployments of scadr are not recorded: Is a directory." in [problem["message"] for problem in problems]
        lock.rmdir()
        assert (await saves(client))[0]["deployments"] == []
        problems = (await client.get(f"{DEVELOPMENT}/health")).json()["problems"]
        assert ["Deployments" in problem["message"] for problem in problems] == [True]
    (settings.data / "histories" / "scadr.git" / "refs" / "tags" / "development" / str(live)).unlink(missing_ok=True)
    async with running(settings) as client:
        named = {mark for save in await saves(client) for mark in save["deployments"]}
        assert named == {f"development/{live}", f"development/{live + 1}"}
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []


async def test_versions_of_an_environment_that_comes_again_have_names_of_their_own(client: httpx.AsyncClient) -> None:
    environments = "/api/applications/scadr/environments"
    for turn, names in enumerate(([], ["earlier/staging/1"], ["earlier/staging-2/1", "earlier/staging/1"])):
        assert (await client.post(environments, json={"title": "Staging"})).status_code == 201
        text = f"CREATE QUERY q{turn} AS SELECT username FROM users WHERE username = [u];"
        await client.post(FILES, json={"path": f"queries/q{turn}.piql", "text": text})
        deployed = await client.post(f"{environments}/staging/deployments", json={})
        assert deployed.status_code == 201, deployed.text
        listed = await saves(client)
        assert listed[0]["deployments"] == ["staging/1"]
        assert sorted(mark for save in listed[1:] for mark in save["deployments"] if "staging" in mark) == names
        removed = await client.delete(f"{environments}/staging", params={"name": "staging"})
        assert removed.status_code == 204, removed.text


async def test_a_history_that_cannot_be_written_fails_no_save_and_is_said(settings: Settings, running: Running) -> None:
    lock = settings.data / "histories" / "scadr.lock"
    async with running(settings) as client:
        await saves(client)
        lock.unlink()
        lock.mkdir()  # nobody can write now
        created = await client.post(FILES, json={"path": "queries/new.piql", "text": "-- one"})
        assert created.status_code == 201
        problems = (await client.get(f"{DEVELOPMENT}/health")).json()["problems"]
        assert [problem["message"] for problem in problems] == ["Saves of scadr are not recorded: Is a directory."]
        lock.rmdir()
        assert (await saves(client))[0]["message"] == "Changed outside of the workbench"
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []


@pytest.mark.parametrize("reads_one", [True, False])
async def test_a_damaged_history_says_what_is_lost_and_saving_goes_on(
    settings: Settings, running: Running, reads_one: bool
) -> None:
    history = settings.data / "histories" / "scadr.git"
    async with running(settings) as client:
        await client.post(FILES, json={"path": "queries/new.piql", "text": "-- one"})
        created = await client.post(FILES, json={"path": "queries/newer.piql", "text": "-- two"})
        before = await saves(client)
    blob = Blob.from_string(b"-- two").id.decode()  # the newest save alone has it
    (history / "objects" / blob[:2] / blob[2:]).unlink()
    async with running(settings) as client:
        if reads_one:
            answer = await client.get(f"{SAVES}/{before[0]['number']}")
            assert (answer.status_code, answer.json()["code"]) == (503, "history-damaged")
            assert answer.json()["help"] == "Read the list of saves again."
        change = {"text": "-- three", "base_revision": created.json()["revision"]}
        assert (await client.put(f"{FILES}/queries/newer.piql", json=change)).status_code == 200
        if not reads_one:
            assert (await client.get(f"{SAVES}/{before[0]['number']}")).status_code == 503
        listed = await saves(client)
        (aside,) = history.parent.glob("scadr.git.damaged-*")
        lost = f"At least 1 save is lost: the history was damaged, and is now {aside.name}"
        assert lost in [save["message"] for save in listed]
        assert [save["message"] for save in listed if save["message"] != lost][-len(before) + 1 :] == [
            save["message"] for save in before[1:]
        ]
        text = (await client.get(f"{SAVES}/{listed[0]['number']}")).json()["files"]
        assert {"path": "queries/newer.piql", "text": "-- three"} in text
        health = (await client.get(f"{DEVELOPMENT}/health")).json()
        (problem,) = health["problems"]
        assert (health["status"], problem["what"], problem["is_over"]) == ("ok", "saves", True)
        assert aside.name in problem["message"]
        assert "at least 1 is lost" in problem["message"]
    async with running(settings) as client:
        assert await saves(client) == listed
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []
