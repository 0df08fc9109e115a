"""An application as one file: what is exported comes back, and nothing that is not ours does any harm."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import zipfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from piql_backend.application_imports.archives import stage_archive
from piql_backend.application_imports.staged import StagingRefused
from piql_backend.applications import repository
from piql_backend.commands.applications import app
from piql_backend.environments.environment import Environment
from piql_backend.settings import Settings
from piql_backend.web.schemas import MOST_CHARACTERS

from .archives import TABLE, announced, made, packed, uploaded
from .conftest import DEVELOPMENT, application_ids

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
SECRET = "hunter2-of-the-test"
PRODUCTION = {
    "title": "Production",
    "colour": "red",
    "slo": {"threshold_ms": 50},
    "store": {
        "url": "cql://127.0.0.1:1/shop?prefix=live_",
        "user": {"variable": "SHOP_USER"},
        "password": {"file": "/run/secrets/shop"},
    },
}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, allowed_stores=("cql://127.0.0.1:1",))


async def exported(client: httpx.AsyncClient, application: str = "scadr") -> bytes:
    answer = await client.get(f"/api/applications/{application}/archive")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/zip"
    return answer.content


async def changed(client: httpx.AsyncClient, application: str = "scadr", times: int = 3) -> None:
    """Save a file so many times."""
    file = (await client.get(f"/api/applications/{application}")).json()["files"][0]
    for number in range(times):
        body = {"text": f"{file['text']}\n-- {number}\n", "base_revision": file["revision"]}
        file = (await client.put(f"/api/applications/{application}/files/{file['path']}", json=body)).json()


async def test_an_export_comes_back_with_files_saves_environments_and_slos(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    await changed(client)
    assert (await client.post("/api/applications/scadr/environments", json=PRODUCTION)).status_code == 201
    await client.put(f"{DEVELOPMENT}/slos/findUser", json={"threshold_ms": 12.5})
    read = (await uploaded(client, await exported(client))).json()
    assert (read["state"], read["title"], read["source"]) == ("ready", "SCADr", "archive")
    assert [(env["id"], env["slos"], env["store"]["is_confirmed"]) for env in read["environments"]] == [
        ("development", 1, True),
        ("production", 0, False),
    ]
    assert await application_ids(client) == ["scadr"]

    answer = await made(client, read["id"])
    assert (answer.status_code, answer.json()["id"]) == (201, "copy")
    assert answer.json()["environments"] == ["development", "production"]
    texts = [(await client.get(f"/api/applications/{name}")).json()["files"] for name in ("scadr", "copy")]
    assert texts[0] == texts[1]
    saves = [(await client.get(f"/api/applications/{name}/saves")).json()["items"] for name in ("scadr", "copy")]
    assert len(saves[1]) == read["saves"] == len(saves[0])
    assert [save["at"] for save in saves[1]] == [save["at"] for save in saves[0]]
    assert "earlier/development/1" in [mark for save in saves[1] for mark in save["deployments"]]
    slos = (await client.get("/api/applications/copy/environments/development/slos")).json()["items"]
    assert [(slo["query"], slo["threshold_ms"]) for slo in slos] == [("findUser", 12.5)]
    assert (await client.get("/api/applications/copy/environments/development/deployments")).json()["items"] == []
    assert not (settings.data / "application-imports" / read["id"]).exists()


async def test_the_largest_file_that_can_be_saved_comes_back(client: httpx.AsyncClient) -> None:
    text = "-- " + "é" * (MOST_CHARACTERS - 3)
    file = {"path": "notes.piql", "text": text}
    assert (await client.post("/api/applications/scadr/files", json=file)).status_code == 201
    import_id = (await uploaded(client, await exported(client))).json()["id"]
    back = (await made(client, import_id)).json()["id"]
    files = (await client.get(f"/api/applications/{back}")).json()["files"]
    assert next(file["text"] for file in files if file["path"] == "notes.piql") == text


async def test_what_no_import_would_take_is_not_exported(client: httpx.AsyncClient, settings: Settings) -> None:
    folder = settings.data / "applications" / "scadr"
    for path, text, code in (
        ("Schema.piql", "", "not-exported"),
        ("long.piql", "x" * (MOST_CHARACTERS + 1), "too-large-to-export"),
    ):
        (folder / path).write_text(text)
        answer = await client.get("/api/applications/scadr/archive")
        assert (answer.status_code, answer.json()["code"]) == (422, code)
        (folder / path).unlink()
    await exported(client)


async def test_an_imported_store_is_connected_to_by_nobody_until_it_is_saved(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    await client.post("/api/applications/scadr/environments", json=PRODUCTION)
    read = (await uploaded(client, await exported(client))).json()
    await made(client, read["id"])
    production = "/api/applications/copy/environments/production"
    refused = await client.get(f"{production}/deployments")
    assert (refused.status_code, refused.json()["code"]) == (409, "store-not-confirmed")
    environments = (await client.get("/api/applications/copy/environments")).json()["items"]
    store = environments[1]["store"]
    assert (store["is_confirmed"], store["password"]["file"]) == (False, "/run/secrets/shop")
    same = {"url": store["url"], "user": {"variable": "SHOP_USER"}}
    taken = await client.patch(production, json={"store": same})
    assert (taken.status_code, taken.json()["code"]) == (409, "namespace-taken")
    confirmed = await client.patch(production, json={"store": {"url": "cql://127.0.0.1:1/shop?prefix=other_"}})
    assert confirmed.json()["store"]["is_confirmed"] is True
    foreign = await client.patch(production, json={"store": {"url": "cql://10.0.0.1/shop"}})
    assert (foreign.status_code, foreign.json()["code"]) == (403, "store-not-allowed")


async def test_an_archive_holds_no_secret_and_git_reads_its_history(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHOP_USER", SECRET)
    chosen = replace(settings, store=f"cql://user:{SECRET}@127.0.0.1:1/served")
    async with running(chosen) as client:
        await client.post("/api/applications/scadr/environments", json=PRODUCTION)
        content = await exported(client)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        assert all(SECRET.encode() not in archive.read(name) for name in names)
        (tmp_path / "history.bundle").write_bytes(archive.read("history.bundle"))
    assert names[0] == "piql-application.json"
    assert {name.split("/")[0] for name in names} == {"piql-application.json", "files", "history.bundle"}
    clone = subprocess.run(
        ["git", "clone", "-q", tmp_path / "history.bundle", tmp_path / "clone"], capture_output=True, check=False
    )
    assert clone.returncode == 0, clone.stderr
    assert (tmp_path / "clone" / "schema.piql").is_file()


def linked(name: str) -> zipfile.ZipInfo:
    return special(name, stat.S_IFLNK)


def special(name: str, kind: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (kind | 0o777) << 16
    return entry


HOSTILE: dict[str, tuple[bytes, str]] = {
    "no zip": (b"PK\x03\x04 and then nothing", "damaged"),
    "another program's": (packed({}, format="other"), "not the archive of an application"),
    "a later version": (packed({}, version=2), "version 2"),
    "a path upwards": (packed({"files/../../escape.piql": TABLE}), "leads out of the archive"),
    "an absolute path": (packed({"/etc/escape.piql": TABLE}), "leads out of the archive"),
    "a path of Windows": (packed({"files/..\\..\\escape.piql": TABLE}), "leads out of the archive"),
    "a drive": (packed({"C:/escape.piql": TABLE}), "leads out of the archive"),
    "a line break": (packed({"files/a\nb.piql": TABLE}), "leads out of the archive"),
    "a name that turns around": (packed({"files/a\u202elqip.piql": TABLE}), "leads out of the archive"),
    "an empty part": (packed({"files//a.piql": TABLE}), "leads out of the archive"),
    "a symbolic link": (packed({linked("files/a.piql"): "/etc/passwd"}), "link or a device"),
    "a device": (packed({special("files/a.piql", stat.S_IFCHR): ""}), "link or a device"),
    "a pipe": (packed({special("files/a.piql", stat.S_IFIFO): ""}), "link or a device"),
    "two of one name but for the case": (packed({"files/a.piql": TABLE, "files/A.piql": TABLE}), "two entries"),
    "two of one accent": (packed({"files/\u00e9.piql": TABLE, "files/e\u0301.piql": TABLE}), "two entries"),
    "a file below a file": (packed({"files/a.piql": TABLE, "files/a.piql/b.piql": TABLE}), "below another one"),
    "a program": (packed({"run.sh": "rm -rf /"}), "does not belong to an application"),
    "a hidden file": (packed({"files/.git/a.piql": TABLE}), "does not belong to an application"),
    "no text": (packed({"files/a.piql": b"\xff\xfe"}), "not a UTF-8 text"),
    "a large text": (packed({"files/a.piql": b" " * 1_000_001}), "more than 1,000,000 characters"),
    "very many entries": (packed({f"files/{n}.piql": "" for n in range(1_100)}), "entries"),
    "a damaged history": (packed({"history.bundle": b"# v2 git bundle\n\nPACK"}), "history.bundle"),
    "a history that is none": (packed({"history.bundle": TABLE}), "history.bundle"),
    "an environment twice": (
        packed({}, environments=[{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]),
        "twice",
    ),
    "an environment that leads out": (packed({}, environments=[{"id": "../x", "title": "A"}]), "environments.0.id"),
    "a login in an address": (
        packed({}, environments=[{"id": "a", "title": "A", "kind": "named", "store": {"url": "cql://u:p@db/x"}}]),
        "login",
    ),
    "a password": (
        packed({}, environments=[{"id": "a", "title": "A", "kind": "named", "store": {"password": "x"}}]),
        "password",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused(tmp_path: Path, name: str) -> None:
    content, reason = HOSTILE[name]
    (tmp_path / "upload.zip").write_bytes(content)
    with pytest.raises(StagingRefused, match=reason):
        stage_archive(tmp_path / "upload.zip", tmp_path / "staged")
    assert not (tmp_path / "staged" / "staged.json").exists()
    assert {path.name for path in tmp_path.iterdir()} <= {"upload.zip", "staged"}


async def test_a_refused_archive_leaves_nothing(client: httpx.AsyncClient, settings: Settings) -> None:
    before = sorted(path for path in settings.data.rglob("*") if path.is_file())
    for name in ("a path upwards", "a damaged history"):
        content, reason = HOSTILE[name]
        answer = await uploaded(client, content)
        assert (answer.status_code, answer.json()["code"]) == (422, "import-refused"), answer.text
        assert reason in answer.json()["message"]
    assert sorted(path for path in settings.data.rglob("*") if path.is_file()) == before
    assert await application_ids(client) == ["scadr"]


def test_an_entry_twice_and_a_wrong_checksum_are_refused(tmp_path: Path) -> None:
    def refused(content: bytes, reason: str) -> None:
        (tmp_path / "upload.zip").write_bytes(content)
        with pytest.raises(StagingRefused, match=reason):
            stage_archive(tmp_path / "upload.zip", tmp_path / "staged")

    buffer = io.BytesIO(packed({"files/a.piql": TABLE}))
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("files/a.piql", "other")
    refused(buffer.getvalue(), "two entries")
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("piql-application.json", json.dumps({"format": "piql-application", "version": 1}))
    damaged = stored.getvalue().replace(b'"version"', b'"versiom"', 1)
    refused(damaged, "damaged")


async def test_a_part_goes_where_the_last_one_ended_and_an_import_that_is_not_whole_makes_nothing(
    client: httpx.AsyncClient,
) -> None:
    import_id = await announced(client, b"12345678")
    path = f"/api/application-imports/{import_id}"
    assert (await client.post(f"{path}/parts", json={"offset": 4, "base64": ""})).status_code == 409
    assert (await client.post(f"{path}/parts", json={"offset": 0, "base64": "?"})).status_code == 422
    assert (await client.post(f"{path}/parts", json={"offset": 0, "base64": "MTIzNA=="})).json()["uploaded"] == 4
    assert (await made(client, import_id)).json()["code"] == "import-state"
    assert (await client.delete(path)).status_code == 204
    assert (await client.get(path)).status_code == 404


async def test_nothing_is_replaced_by_an_import_and_the_second_of_one_name_gets_another_id(
    client: httpx.AsyncClient,
) -> None:
    content = packed({"files/a.piql": TABLE})
    read = (await uploaded(client, content)).json()
    taken = await made(client, read["id"], id="scadr")
    assert (taken.status_code, taken.json()["code"]) == (409, "application-exists")
    assert (await made(client, read["id"])).json()["id"] == "copy"
    assert (await made(client, read["id"])).status_code == 404
    second = (await uploaded(client, content)).json()
    assert (await made(client, second["id"])).json()["id"] == "copy-2"


async def test_an_import_that_is_killed_between_its_steps_leaves_no_application(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*given: Any) -> None:
        raise ProcessLookupError

    async with running(settings) as client:
        content = await exported(client)
        with monkeypatch.context() as patched:
            patched.setattr(repository.Applications, "_record", dies)  # after its last step: it is there
            read = (await uploaded(client, content)).json()
            assert (await made(client, read["id"], id="after")).status_code == 500
            patched.undo()
            patched.setattr(repository, "write_atomically", dies)  # before: its environments and no application
            read = (await uploaded(client, content)).json()
            assert (await made(client, read["id"], id="before")).status_code == 500
        assert await application_ids(client) == ["after", "scadr"]
        assert (settings.data / "environments" / "before").is_dir()
    async with running(settings) as client:
        assert await application_ids(client) == ["after", "scadr"]
        assert (await client.get("/api/applications/after/saves")).json()["items"] != []
        read = (await uploaded(client, packed({"files/a.piql": TABLE}))).json()
        assert (await made(client, read["id"], id="before")).status_code == 201
        saves = (await client.get("/api/applications/before/saves")).json()["items"]
        assert [save["message"] for save in saves] == ["Create the application"]


async def test_the_server_opens_no_environment_to_export_or_import(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(settings) as client:
        await client.put(f"{DEVELOPMENT}/slos/findUser", json={"threshold_ms": 7})
        await client.patch("/api/applications/scadr", json={"is_archived": True})

        async def opens(self: Environment) -> None:
            raise AssertionError("an environment is opened")

        monkeypatch.setattr(Environment, "open", opens)
        read = (await uploaded(client, await exported(client))).json()
        assert read["environments"][0]["slos"] == 1
        assert (await made(client, read["id"])).status_code == 201
        again = (await uploaded(client, await exported(client, "copy"))).json()
        assert again["environments"][0]["slos"] == 1


def test_the_command_writes_a_new_file_and_makes_an_application_of_it(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        code = app(["--url", address, *arguments])
        output = capsys.readouterr()
        return code, output.out + output.err

    file = tmp_path / "scadr.zip"
    assert said("export", "scadr", str(file))[0] == 0
    assert "is not overwritten" in said("export", "scadr", str(file))[1]
    assert said("export", "none", str(tmp_path / "none.zip"))[0] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scadr.zip"]
    code, text = said("import", str(file), "--dry-run")
    assert code == 0
    assert text.startswith("SCADr: 13 files, ")
    assert text.endswith("Nothing was made.\n")
    assert said("import", str(file), "--title", "Again", "--id", "again")[1].endswith("again is made.\n")
    file.write_bytes(b"nothing")
    assert said("import", str(file))[0] == 1
    assert said("delete", "again", "--confirm", "again")[0] == 0
