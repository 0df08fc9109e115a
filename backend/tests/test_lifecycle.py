"""Applications are made, renamed, duplicated, archived and deleted, over HTTP and by `piql app`."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from pathlib import Path

import httpx
import pytest
from piql_backend import lifecycle
from piql_backend.applications.ids import id_of
from piql_backend.applications.templates import TEMPLATES
from piql_backend.commands.applications import app
from piql_backend.environments.environment import Environment
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, application_ids, folder_of

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
FILE = {"path": "schema.piql", "text": "CREATE TABLE t (id INT PRIMARY KEY);"}


def in_development(application: str) -> str:
    return DEVELOPMENT.replace("scadr", application)


async def made(client: httpx.AsyncClient, **body: object) -> httpx.Response:
    return await client.post("/api/applications", json=body)


async def test_an_application_of_a_template_comes_with_its_queries_and_rows(client: httpx.AsyncClient) -> None:
    answer = await made(client, title="My chat", template="chat")
    assert answer.status_code == 201
    read = answer.json()
    assert datetime.fromisoformat(read.pop("changed_at")).tzinfo is not None
    assert read == {"id": "my-chat", "title": "My chat", "is_archived": False, "environments": ["development"]}
    live = (await client.get(f"{in_development('my-chat')}/deployments/live")).json()
    assert live["version"] == 1
    assert (await client.get(f"{in_development('my-chat')}/tables/people/rows")).json()["rows"] != []


async def test_the_views_of_a_template_have_counted_its_rows(client: httpx.AsyncClient) -> None:
    assert (await made(client, title="Votes", template="leaderboard")).status_code == 201
    rows = (await client.get(f"{in_development('votes')}/tables/pointsOf/rows")).json()["rows"]
    assert rows != []


def test_the_dialog_offers_every_template() -> None:
    dialog = Path(__file__).resolve().parents[2] / "frontend" / "src" / "app" / "home" / "NewApplication.tsx"
    offered = re.findall(r"\{ id: '(\w+)', name: '[A-Z]\S+: ", dialog.read_text(encoding="utf-8"))
    assert offered == list(TEMPLATES)


async def test_an_empty_one_and_one_of_files_have_nothing_deployed(client: httpx.AsyncClient) -> None:
    for body, texts in (({}, 1), ({"files": [FILE]}, 1)):
        application = (await made(client, title="Köln, a Shop!", **body)).json()["id"]
        assert len((await client.get(f"/api/applications/{application}")).json()["files"]) == texts
        assert (await client.get(f"{in_development(application)}/deployments")).json()["items"] == []
    assert await application_ids(client) == ["koln-a-shop", "koln-a-shop-2", "scadr"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"title": "x", "id": "scadr"}, 409, "application-exists"),
        ({"title": "x", "template": "none"}, 422, "unknown-template"),
        *(
            ({"title": "x", "id": wished}, 422, "invalid-request")
            for wished in ("..", "a/b", "A", ".a", "", "a" * 61, "é")
        ),
        *(({"title": title}, 422, "invalid-request") for title in ("", "  ", "x" * 101)),
        ({"title": "x", "files": [{"path": "../x.piql", "text": ""}]}, 422, "invalid-request"),
    ],
)
async def test_what_cannot_be_made_is_refused(
    client: httpx.AsyncClient, body: dict[str, object], status: int, code: str
) -> None:
    answer = await client.post("/api/applications", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert await application_ids(client) == ["scadr"]


async def test_the_list_says_when_a_file_was_changed_last(client: httpx.AsyncClient, settings: Settings) -> None:
    file = settings.data / "applications" / "scadr" / "schema.piql"
    os.utime(file, (4_000_000_000, 4_000_000_000))
    (read,) = (await client.get("/api/applications")).json()["items"]
    assert datetime.fromisoformat(read["changed_at"]).timestamp() == 4_000_000_000


async def test_the_title_changes_and_everything_else_stays(client: httpx.AsyncClient, files: object) -> None:
    renamed = await client.patch("/api/applications/scadr", json={"title": "Thoughts"})
    assert (renamed.json()["id"], renamed.json()["title"]) == ("scadr", "Thoughts")
    assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["files"] == files
    assert (await client.patch("/api/applications/none", json={"title": "x"})).status_code == 404


async def test_a_duplicate_has_the_files_and_a_store_of_its_own(client: httpx.AsyncClient, files: object) -> None:
    answer = await client.post("/api/applications/scadr/duplicates", json={"title": "SCADr 2"})
    assert answer.json()["id"] == "scadr-2"
    read = (await client.get("/api/applications/scadr-2")).json()["files"]
    assert [{"path": file["path"], "text": file["text"]} for file in read] == files
    assert (await client.get(f"{in_development('scadr-2')}/deployments")).json()["items"] == []


async def test_one_in_the_archive_is_closed_until_it_comes_back(client: httpx.AsyncClient, settings: Settings) -> None:
    assert (await client.patch("/api/applications/scadr", json={"is_archived": True})).json()["is_archived"] is True
    refused = await client.get(f"{DEVELOPMENT}/deployments")
    assert (refused.status_code, refused.json()["code"]) == (409, "application-archived")
    assert len((await client.get("/api/applications/scadr")).json()["files"]) == 13
    await client.patch("/api/applications/scadr", json={"is_archived": False})
    assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["version"] == 1


async def test_a_deletion_needs_the_id_and_removes_nothing_for_good(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    for name in ("", "SCADr", "scad"):
        refused = await client.delete("/api/applications/scadr", params={"name": name})
        assert (refused.status_code, refused.json()["code"]) == (409, "not-confirmed")
    assert (await client.delete("/api/applications/scadr", params={"name": "scadr"})).status_code == 204
    assert await application_ids(client) == []
    assert (await client.get(f"{DEVELOPMENT}/deployments")).status_code == 404
    (aside,) = (settings.data / "deleted").iterdir()
    assert (aside / "environments" / "development" / "store").is_file()
    assert (aside / "files" / "schema.piql").is_file()
    assert (aside / "history.git" / "HEAD").is_file()
    assert (await made(client, title="scadr")).json()["id"] == "scadr"
    assert (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"] == []


async def test_a_deletion_that_was_killed_between_its_steps_leaves_no_application_without_its_rows(
    client: httpx.AsyncClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise ProcessLookupError

    with monkeypatch.context() as patched:
        patched.setattr(lifecycle.Lifecycle, "_move_environments", fails)
        assert (await client.delete("/api/applications/scadr", params={"name": "scadr"})).status_code == 500
    assert await application_ids(client) == []
    assert (await made(client, title="scadr")).json()["id"] == "scadr"
    assert (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"] == []
    kept = [*(settings.data / "deleted").glob("*/environments/development/store")]
    assert len(kept) == 1


async def test_an_environment_that_is_asked_for_while_another_is_closed_does_not_outlive_its_application(
    client: httpx.AsyncClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await client.post("/api/applications/scadr/environments", json={"title": "Staging"})).status_code == 201
    assert (await client.get(f"{DEVELOPMENT}/deployments")).status_code == 200
    assert (await client.get("/api/applications/scadr/environments/staging/deployments")).status_code == 200
    close, closed = Environment.close, []

    async def close_slowly(environment: Environment) -> None:
        """Close it, while a page shows the one that was closed before."""
        await close(environment)
        if environment.place[1] == "staging":
            closed.append((await client.get(f"{DEVELOPMENT}/deployments")).status_code)

    monkeypatch.setattr(Environment, "close", close_slowly)
    assert (await client.delete("/api/applications/scadr", params={"name": "scadr"})).status_code == 204
    assert closed == [200]
    assert (await made(client, title="scadr")).json()["id"] == "scadr"
    assert (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"] == []


async def test_no_application_takes_the_id_of_one_that_is_being_deleted(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    close, answers = Environment.close, []

    async def close_slowly(environment: Environment) -> None:
        """Close it, while others delete the application, too, and make one of its id and of its name."""
        if not answers:
            answers.append(await client.delete("/api/applications/scadr", params={"name": "scadr"}))
            answers.append(await made(client, title="SCADr", id="scadr"))
            answers.append(await made(client, title="SCADr"))
        await close(environment)

    monkeypatch.setattr(Environment, "close", close_slowly)
    assert (await client.delete("/api/applications/scadr", params={"name": "scadr"})).status_code == 204
    assert [answer.status_code for answer in answers] == [404, 409, 201]
    assert await application_ids(client) == ["scadr-2"]


async def test_environments_that_a_killed_process_left_are_not_taken_for_a_new_one(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    shutil.copytree(folder_of(settings), folder_of(settings, "other"))
    await made(client, title="other")
    assert (await client.get(f"{in_development('other')}/deployments")).json()["items"] == []


def test_ids_are_made_of_titles() -> None:
    assert [id_of(title) for title in ("Köln, a Shop!", "日本", "--", "a" * 99)] == [
        "koln-a-shop",
        "application",
        "application",
        "a" * 60,
    ]


def test_the_command_says_what_it_did_and_why_it_was_refused(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "queries").mkdir()
    (tmp_path / "schema.piql").write_text(FILE["text"])
    (tmp_path / "queries" / "q.piql").write_text("-- none yet")

    def said(*arguments: str) -> tuple[int, str]:
        code = app(["--url", address, *arguments])
        output = capsys.readouterr()
        return code, output.out + output.err

    assert said("new", "My shop", str(tmp_path)) == (0, "my-shop is made.\n")
    assert said("rename", "my-shop", "Our shop") == (0, "my-shop is called Our shop.\n")
    assert said("duplicate", "my-shop", "Copy")[0] == 0
    assert said("archive", "copy") == (0, "copy is in the archive.\n")
    assert said("list") == (
        0,
        "copy  Copy  development  (archived)\nmy-shop  Our shop  development\nscadr  SCADr  development\n",
    )
    assert said("archive", "copy", "--back") == (0, "copy is back.\n")
    refused = said("delete", "copy")
    assert refused[0] == 1
    assert "Nothing was deleted: the name given is not copy." in refused[1]
    assert said("delete", "copy", "--confirm", "copy")[0] == 0
    assert said("new", "x", str(tmp_path / "none"))[0] == 2
    assert app(["--url", "http://127.0.0.1:1", "list"]) == 2
