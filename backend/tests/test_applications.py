"""Applications over HTTP: files are read, saved, refused when somebody else saved first, and never outside."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from patience import PATIENCE
from piql_backend.applications import repository
from piql_backend.applications.repository import Applications
from piql_backend.data_folder.files import write_atomically
from piql_backend.file_history.service import FileHistories
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError
from piql_backend.web.pages import PageWish
from piql_backend.web.schemas import MOST_FILES


async def test_the_first_start_makes_the_sample_application(client: httpx.AsyncClient) -> None:
    (application,) = (await client.get("/api/applications")).json()["items"]
    assert application.pop("changed_at") is not None
    assert application == {"id": "scadr", "title": "SCADr", "is_archived": False, "environments": ["development"]}
    files = (await client.get("/api/applications/scadr")).json()["files"]
    assert files[0]["path"] == "schema.piql"
    assert "queries/thoughtstream.piql" in [file["path"] for file in files]


async def test_a_saved_file_is_read_back_with_a_new_revision(client: httpx.AsyncClient, settings: Settings) -> None:
    before = (await client.get("/api/applications/scadr")).json()["files"][0]
    text = before["text"] + "-- héllo 😀\r\n"
    body = {"text": text, "base_revision": before["revision"]}
    saved = await client.put("/api/applications/scadr/files/schema.piql", json=body)
    assert saved.status_code == 200
    assert saved.json()["revision"] != before["revision"]
    assert (await client.get("/api/applications/scadr")).json()["files"][0]["text"] == text
    folder = settings.data / "applications" / "scadr"
    assert (folder / "schema.piql").read_bytes() == text.encode()
    assert not [entry for entry in folder.iterdir() if entry.suffix == ".tmp"]
    assert (folder / "schema.piql").stat().st_mode & 0o777 == 0o600


async def test_a_save_over_a_changed_file_is_refused_with_the_current_text(client: httpx.AsyncClient) -> None:
    url = "/api/applications/scadr/files/schema.piql"
    before = (await client.get("/api/applications/scadr")).json()["files"][0]
    first = await client.put(url, json={"text": "-- first", "base_revision": before["revision"]})
    second = await client.put(url, json={"text": "-- second", "base_revision": before["revision"]})
    assert (first.status_code, second.status_code) == (200, 409)
    assert second.json()["code"] == "file-changed"
    assert second.json()["current"]["text"] == "-- first"
    unseen = await client.put(url, json={"text": "-- second", "base_revision": None})
    assert unseen.status_code == 422
    seen = {"text": "-- second", "base_revision": second.json()["current"]["revision"]}
    assert (await client.put(url, json=seen)).json()["text"] == "-- second"


async def test_a_file_that_is_newer_than_what_was_read_is_not_removed(client: httpx.AsyncClient) -> None:
    url = "/api/applications/scadr/files/schema.piql"
    before = (await client.get("/api/applications/scadr")).json()["files"][0]
    saved = await client.put(url, json={"text": "-- first", "base_revision": before["revision"]})
    refused = await client.delete(url, params={"base_revision": before["revision"]})
    assert (refused.status_code, refused.json()["current"]["text"]) == (409, "-- first")
    assert (await client.delete(url, params={"base_revision": saved.json()["revision"]})).status_code == 204


async def test_a_file_is_made_once_and_removed_once(client: httpx.AsyncClient) -> None:
    new = {"path": "queries/new.piql", "text": "-- new"}
    made = [(await client.post("/api/applications/scadr/files", json=new)).status_code for _ in range(2)]
    assert made == [201, 409]
    removed = [(await client.delete("/api/applications/scadr/files/queries/new.piql")).status_code for _ in range(2)]
    assert removed == [204, 404]


@pytest.mark.parametrize(
    "path",
    [
        "../evil.piql",
        "a/../../evil.piql",
        "/etc/evil.piql",
        "queries//evil.piql",
        ".hidden.piql",
        "evil.txt",
        "evil\0.piql",
        "schema.piql/below.piql",
        f"{'x' * 230}.piql",
        f"{'é' * 120}.piql",
        "",
    ],
)
async def test_a_path_never_leads_out_of_its_application(client: httpx.AsyncClient, path: str, tmp_path: Path) -> None:
    made = await client.post("/api/applications/scadr/files", json={"path": path, "text": "x"})
    assert made.status_code == 422, made.text
    saved = await client.put(
        f"/api/applications/scadr/files/{quote(path, safe='')}", json={"text": "x", "base_revision": "x"}
    )
    assert saved.status_code in (404, 405, 422), saved.text
    assert not list(tmp_path.rglob("*evil*"))


async def test_a_link_out_of_the_application_is_not_followed(client: httpx.AsyncClient, settings: Settings) -> None:
    outside = settings.data / "outside"
    outside.mkdir()
    (settings.data / "applications" / "scadr" / "link").symlink_to(outside)
    made = await client.post("/api/applications/scadr/files", json={"path": "link/evil.piql", "text": "x"})
    assert made.status_code == 422
    assert not list(outside.iterdir())


async def test_an_unknown_application_or_file_is_not_found(client: httpx.AsyncClient) -> None:
    for url in ("/api/applications/nothing", "/api/applications/..", "/api/applications/%2e%2e"):
        assert (await client.get(url)).status_code == 404
    body = {"text": "x", "base_revision": "x"}
    assert (await client.put("/api/applications/scadr/files/none.piql", json=body)).status_code == 404
    assert (await client.put("/api/applications/none/files/a.piql", json=body)).status_code == 404


async def test_a_link_out_of_the_application_is_no_file_of_it(client: httpx.AsyncClient, settings: Settings) -> None:
    secret = settings.data / "secret.piql"
    secret.write_text("secret")
    folder = settings.data / "applications" / "scadr"
    (folder / "linked.piql").symlink_to(secret)
    (folder / "elsewhere").symlink_to(settings.data)
    (folder / "again.piql").symlink_to(folder / "schema.piql")
    texts = {file["path"]: file["text"] for file in (await client.get("/api/applications/scadr")).json()["files"]}
    assert texts["again.piql"] == texts["schema.piql"]
    assert "secret" not in texts.values()
    for path in ("linked.piql", "elsewhere/secret.piql"):
        change = {"text": "changed", "base_revision": None}
        assert (await client.put(f"/api/applications/scadr/files/{path}", json=change)).status_code == 422
        assert (await client.delete(f"/api/applications/scadr/files/{path}")).status_code == 422
    assert secret.read_text() == "secret"


def test_a_file_that_is_removed_while_the_files_are_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    applications = Applications(tmp_path, FileHistories(tmp_path.with_name("histories")))
    applications.create_file("mine", "kept.piql", "-- kept")
    monkeypatch.setattr(repository, "_paths", lambda folder: ["removed.piql", "kept.piql"])
    assert applications.texts("mine") == {"kept.piql": "-- kept"}
    assert [file.path for file in applications.read("mine", PageWish(limit=10)).files] == ["kept.piql"]


class _Seen:
    """A lock that tells when somebody wants it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.is_wanted = threading.Event()

    def __enter__(self) -> None:
        self.is_wanted.set()
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()


def test_of_two_files_one_of_which_is_the_folder_of_the_other_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    applications, saving = Applications(tmp_path, FileHistories(tmp_path.with_name("histories"))), _Seen()
    monkeypatch.setattr(applications, "_turn_of", lambda application: saving)

    with ThreadPoolExecutor(1) as others:

        def write_while_the_second_waits(file: Path, text: str) -> None:
            monkeypatch.setattr(repository, "write_atomically", write_atomically)
            saving.is_wanted.clear()
            waiting.append(others.submit(applications.create_file, "mine", "a.piql/b.piql", "-- second"))
            assert saving.is_wanted.wait(PATIENCE)
            write_atomically(file, text)

        waiting = []
        monkeypatch.setattr(repository, "write_atomically", write_while_the_second_waits)
        applications.create_file("mine", "a.piql", "-- first")
        with pytest.raises(ApiError, match="lies below a file"):
            waiting[0].result()
    assert applications.texts("mine") == {"a.piql": "-- first"}


async def test_an_application_that_is_deleted_while_it_is_read_is_unknown(
    client: httpx.AsyncClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was in the list of names, and its folder is gone a moment later."""
    monkeypatch.setattr(Applications, "ids", lambda self: ["gone", "scadr"])
    answer = await client.get("/api/applications/gone")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown-application")
    listed = (await client.get("/api/applications")).json()["items"]
    assert [application["id"] for application in listed] == ["scadr"]


async def test_as_many_files_are_made_as_are_compiled_and_deployed(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    folder = settings.data / "applications" / "scadr"
    there = len(list(folder.rglob("*.piql")))
    for number in range(there, MOST_FILES - 1):
        (folder / "queries" / f"note{number}.piql").write_text("-- nothing yet\n")
    last = await client.post("/api/applications/scadr/files", json={"path": "last.piql", "text": ""})
    assert last.status_code == 201
    refused = await client.post("/api/applications/scadr/files", json={"path": "more.piql", "text": ""})
    assert (refused.status_code, refused.json()["code"]) == (409, "too-many-files")
    files = [{"path": f"queries/note{number}.piql", "text": ""} for number in range(MOST_FILES)]
    compiled = await client.post("/api/compilations", json={"files": files})
    assert compiled.status_code == 200, compiled.text


@pytest.mark.parametrize("path", ["Schema.piql", "SCHEMA.piql", "schema.piql/more.piql", "QUERIES/FindUser.piql"])
async def test_two_files_of_which_another_disk_holds_one_are_not_made(client: httpx.AsyncClient, path: str) -> None:
    files = "/api/applications/scadr/files"
    assert (await client.post(files, json={"path": "queries/findUser.piql", "text": ""})).status_code in (201, 409)
    refused = await client.post(files, json={"path": path, "text": ""})
    assert refused.status_code in (409, 422)
    other = (await client.post(files, json={"path": "other.piql", "text": ""})).json()
    renaming = {"path": "other.piql", "new_path": path, "base_revision": other["revision"]}
    renamed = await client.post("/api/applications/scadr/renames", json=renaming)
    assert renamed.status_code in (409, 422)
    texts = [{"path": name, "text": ""} for name in ("schema.piql", "queries/findUser.piql", path)]
    whole = await client.post("/api/applications", json={"title": "whole", "files": texts})
    assert (whole.status_code, whole.json()["code"]) == (409, "file-exists")
    staged = await client.post("/api/application-imports/files", json={"title": "whole", "files": texts})
    assert (staged.status_code, staged.json()["code"]) == (422, "import-refused")


async def test_a_file_may_change_its_capital_letters(client: httpx.AsyncClient) -> None:
    file = (await client.get("/api/applications/scadr")).json()["files"][0]
    new_path = file["path"].upper().replace(".PIQL", ".piql")
    renaming = {"path": file["path"], "new_path": new_path, "base_revision": file["revision"]}
    assert (await client.post("/api/applications/scadr/renames", json=renaming)).json()["path"] == new_path
