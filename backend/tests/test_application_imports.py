"""Applications that are made of files, folders, git repositories and keyspaces: only of those that are allowed."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from piql.store.cql.schema.foreign_tables import ForeignColumn, ForeignTable
from piql_backend.application_imports import keyspaces, staging
from piql_backend.application_imports.allowed_sources import AllowedSources
from piql_backend.commands.applications import app
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people.service import People
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError
from piql_backend.web.visitor import EVERYWHERE

from .archives import TABLE, made
from .conftest import PASSWORD, application_ids

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
IMPORTS = "/api/application-imports"
SQL = "CREATE TABLE users (id SERIAL PRIMARY KEY, name TEXT, tags TEXT[]);\n"


def git(folder: Path, *arguments: str) -> str:
    """The output of git, which knows nothing of who runs the tests."""
    who = {f"GIT_{role}_{part}": f"{part}@test" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    where = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=os.environ | who | where, capture_output=True, text=True, check=True
    )
    return done.stdout


def committed(folder: Path, message: str, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.piql").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    folder = tmp_path / "allowed"
    folder.mkdir()
    return folder


@pytest.fixture
def shop(allowed: Path) -> Path:
    """A repository of three commits, one of which changes no file of PIQL."""
    folder = allowed / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    committed(folder, "Begin", schema=TABLE)
    (folder / "README.md").write_text("x")
    committed(folder, "Say what it is")
    committed(folder, "Ask", queries="-- none yet\n")
    return folder


@pytest.fixture
def settings(settings: Settings, allowed: Path) -> Settings:
    return replace(settings, allowed_sources=(str(allowed),), allowed_stores=("cql://127.0.0.1:1",))


async def staged(client: httpx.AsyncClient, kind: str, **body: Any) -> dict[str, Any]:
    answer = await client.post(f"{IMPORTS}/{kind}", json=body)
    assert answer.status_code == 201, answer.text
    read: dict[str, Any] = answer.json()
    return read


async def refused(client: httpx.AsyncClient, kind: str, **body: Any) -> tuple[int, str, str]:
    answer = await client.post(f"{IMPORTS}/{kind}", json=body)
    read = answer.json()
    return answer.status_code, read["code"], read["message"]


async def saves_of(client: httpx.AsyncClient, application: str) -> list[str]:
    items = (await client.get(f"/api/applications/{application}/saves")).json()["items"]
    return [save["message"] for save in reversed(items)]


async def test_files_become_an_application_and_sql_becomes_piql(client: httpx.AsyncClient) -> None:
    files = [
        {"path": "schema.piql", "text": TABLE},
        {"path": "dump.sql", "text": SQL},
        {"path": "a b.piql", "text": ""},
    ]
    read = await staged(client, "files", title="Mine", files=files)
    assert [file["path"] for file in read["files"]] == ["schema.piql"]
    assert [(note["what"], note["outcome"]) for note in read["notes"]] == [
        ("a b.piql", "left out"),
        ("dump.sql", "left out"),
    ]
    translated = await staged(
        client, "files", title="Mine", files=[{"path": "a.sql", "text": "-- first\n"}, {"path": "b.sql", "text": SQL}]
    )
    assert [file["path"] for file in translated["files"]] == ["schema.piql"]
    assert "b.sql, line 1" in " ".join(note["what"] for note in translated["notes"])
    assert {note["outcome"] for note in translated["notes"]} <= {"changed", "left out"}
    assert (await made(client, translated["id"], title="Mine")).json()["id"] == "mine"
    text = (await client.get("/api/applications/mine")).json()["files"][0]["text"]
    assert "CREATE TABLE users" in text
    for files, reason in (
        ([{"path": "a.md", "text": ""}], "no file that ends in"),
        ([{"path": "a.sql", "text": "no sql"}], "a.sql"),
        ([{"path": "a.piql", "text": ""}, {"path": "A.piql", "text": ""}], "capital letters"),
        ([{"path": "a.piql", "text": "x" * 1_000_001}], "more than 1,000,000 characters"),
    ):
        status, code, message = await refused(client, "files", title="x", files=files)
        assert (status, code) == (422, "import-refused")
        assert reason in message


async def test_an_import_is_seen_by_whoever_began_it_alone(team: httpx.AsyncClient, settings: Settings) -> None:
    headers = {}
    with closing(People(settings.data / PEOPLE_FILE)) as people:
        people.accounts.add("ben", PASSWORD)
        people.accounts.set_role("ben", EVERYWHERE, "administrator")
        for name in ("ada", "ben"):
            secret = people.sessions.begin(people.accounts.id_of(name), None)
            headers[name] = {"cookie": f"piql-session={secret}"}
    wish = {"title": "Plan", "files": [{"path": "schema.piql", "text": "-- of Ada"}]}
    staged = (await team.post("/api/application-imports/files", json=wish, headers=headers["ada"])).json()
    about, part = f"/api/application-imports/{staged['id']}", {"offset": 0, "base64": ""}
    for method, path, body in (
        ("GET", about, None),
        ("POST", f"{about}/parts", part),
        ("POST", f"{about}/applications", {"title": "Taken"}),
        ("DELETE", about, None),
    ):
        answer = await team.request(method, path, json=body, headers=headers["ben"])
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-import"), (method, path)
    made = await team.post(f"{about}/applications", json={"title": "Plan"}, headers=headers["ada"])
    assert made.status_code == 201


async def test_a_folder_is_read_where_it_is_allowed_and_no_link_is_followed(
    client: httpx.AsyncClient, allowed: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "secret.piql").write_text("-- nobody may read this")
    folder = allowed / "app"
    (folder / "queries").mkdir(parents=True)
    (folder / "schema.piql").write_text(TABLE)
    (folder / "queries" / "a.piql").write_text("-- a")
    (folder / "linked.piql").symlink_to(secret / "secret.piql")
    (folder / "below").symlink_to(secret)
    os.mkfifo(folder / "pipe.piql")
    (allowed / "away").symlink_to(secret)
    read = await staged(client, "folders", path=str(folder))
    assert [file["path"] for file in read["files"]] == ["queries/a.piql", "schema.piql"]
    assert read["title"] == "app"
    for path, code in (
        (str(secret), "source-not-allowed"),
        (str(allowed / "away"), "source-not-allowed"),
        (f"{allowed}/../secret", "source-not-allowed"),
        ("app", "source-not-allowed"),
        ("/proc/self/root/etc", "source-not-allowed"),
        (f"{allowed}\x00", "no-folder"),
        (str(allowed / "none"), "no-folder"),
    ):
        assert (await refused(client, "folders", path=path))[1] == code
    assert await application_ids(client) == ["scadr"]


async def test_a_repository_comes_with_the_commits_that_changed_its_files(
    client: httpx.AsyncClient, shop: Path
) -> None:
    read = await staged(client, "repositories", address=f"file://{shop}")
    assert (read["title"], read["saves"]) == ("shop", 2)
    await made(client, read["id"], title="Whole")
    assert await saves_of(client, "whole") == ["Begin", "Ask"]
    shallow = await staged(client, "repositories", address=f"file://{shop}", is_shallow=True)
    assert shallow["saves"] == 0
    await made(client, shallow["id"], title="Shallow")
    assert await saves_of(client, "shallow") == ["Create the application"]
    assert "no branch none" in (await refused(client, "repositories", address=f"file://{shop}", branch="none"))[2]


async def test_of_a_folder_of_a_repository_only_its_files_and_commits_are_taken(
    client: httpx.AsyncClient, shop: Path
) -> None:
    (shop / "app" / "queries").mkdir(parents=True)
    (shop / "app" / "queries" / "a.piql").write_text("-- a")
    (shop / "app" / "link.piql").symlink_to("/etc/passwd")
    committed(shop, "Add an application")
    read = await staged(client, "repositories", address=f"file://{shop}", folder="app", branch="trunk")
    assert ([file["path"] for file in read["files"]], read["saves"]) == (["queries/a.piql"], 1)
    assert "no folder none" in (await refused(client, "repositories", address=f"file://{shop}", folder="none"))[2]
    assert (await refused(client, "repositories", address=f"file://{shop}", folder="../.."))[1] == "import-refused"


async def test_a_repository_that_takes_objects_from_elsewhere_is_refused(
    client: httpx.AsyncClient, shop: Path, allowed: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    git(tmp_path, "clone", "-q", "--bare", str(shop), str(outside))
    git(allowed, "clone", "-q", "--shared", str(outside), "shared")
    (allowed / "linked").mkdir()
    (allowed / "linked" / ".git").symlink_to(outside)
    (allowed / "file").mkdir()
    (allowed / "file" / ".git").write_text(f"gitdir: {outside}")
    for name in ("shared", "linked", "file"):
        assert (await refused(client, "repositories", address=f"file://{allowed / name}"))[1] == "import-refused"
    assert (await refused(client, "repositories", address=f"file://{outside}"))[1] == "source-not-allowed"


@pytest.fixture
def served(shop: Path) -> Iterator[str]:
    """The address of a server that has the repository as plain files, as git's dumb protocol wants them."""
    bare = shop.with_name("bare.git")
    git(shop, "clone", "-q", "--bare", str(shop), str(bare))
    git(bare, "update-server-info")
    yield from _serve(partial(SimpleHTTPRequestHandler, directory=str(shop.parent)))


def _serve(handler: Any) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


class _SendsOn(BaseHTTPRequestHandler):
    """Sends every request to another place, and notes what it was asked."""

    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(302)
        self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
        self.end_headers()

    def log_message(self, *given: Any) -> None:
        """Say nothing."""


@pytest.fixture
def sends_on() -> Iterator[str]:
    _SendsOn.asked.clear()
    yield from _serve(_SendsOn)


async def test_a_repository_is_fetched_from_a_host_that_is_allowed_and_from_no_other(
    settings: Settings, running: Running, served: str, sends_on: str
) -> None:
    chosen = replace(settings, allowed_sources=(served, sends_on))
    async with running(chosen) as client:
        read = await staged(client, "repositories", address=f"{served}/bare.git")
        assert (read["title"], read["saves"]) == ("bare", 2)
        status, code, message = await refused(client, "repositories", address=f"{sends_on}/shop")
        assert (status, code) == (422, "import-refused")
        assert "sends the request on" in message
        assert [path.partition("?")[0] for path in _SendsOn.asked] == ["/shop/info/refs"]
        assert (await refused(client, "repositories", address="http://127.0.0.1:1/x"))[1] == "source-not-allowed"
        with_login = served.replace("//", "//user:hunter2@")
        assert (await refused(client, "repositories", address=f"{with_login}/bare.git"))[1] == "credentials-in-url"


@pytest.mark.parametrize(
    "address",
    [
        "https://git.example.evil/acme/shop",
        "https://git.example:8443/acme/shop",
        "http://git.example/acme/shop",
        "https://git.example/acmeother/shop",
        "https://git.example/acme/../other",
        "https://git.example/acme/%2e%2e/other",
        "https://git.example\\@evil/acme/shop",
        "https://git.example/acme/shop?x=1",
        "ssh://git.example/acme/shop",
        "git.example:acme/shop",
        "file://host/srv/apps",
        "file:///etc",
        "https://git.example/acme/shop\n",
        "https://gıt.example/acme/shop",
    ],
)
def test_an_address_that_is_not_below_one_of_the_list_is_refused(address: str) -> None:
    sources = AllowedSources(("https://git.example/acme", "/srv/apps"))
    assert sources.repository("https://GIT.example/acme/shop") == "https://GIT.example/acme/shop"
    with pytest.raises(ApiError) as raised:
        sources.repository(address)
    assert raised.value.status in (403, 422)
    with pytest.raises(ValueError, match="allowed-source"):
        AllowedSources(("git.example",))


async def test_a_history_that_takes_too_much_is_refused(client: httpx.AsyncClient, shop: Path) -> None:
    """A folder that holds the same folder ten times, and so on ten times over, has ten thousand million files."""
    blob = git(shop, "hash-object", "-w", "schema.piql").strip()
    tree = _tree(shop, [f"100644 blob {blob}\ta.piql"])
    for _ in range(10):
        tree = _tree(shop, [f"040000 tree {tree}\td{number}" for number in range(10)])
    commit = git(shop, "commit-tree", tree, "-m", "bomb").strip()
    git(shop, "update-ref", "refs/heads/bomb", commit)
    status, code, message = await refused(client, "repositories", address=f"file://{shop}", branch="bomb")
    assert (status, code) == (422, "import-refused")
    assert "more than" in message


def _tree(folder: Path, entries: list[str]) -> str:
    made_tree = subprocess.run(
        ["git", "mktree"], cwd=folder, input="\n".join(entries), capture_output=True, text=True, check=True
    )
    return made_tree.stdout.strip()


async def test_a_process_that_does_not_end_in_time_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "upload.zip")  # nobody writes into it, so who opens it waits
    order = {"source": "archive", "path": str(tmp_path / "upload.zip")}
    with pytest.raises(ApiError) as raised:
        await staging.stage(order, tmp_path / "staged", seconds=0.01)
    assert raised.value.code == "import-too-costly"


def columns(*named: tuple[str, str, str]) -> tuple[ForeignColumn, ...]:
    return tuple(ForeignColumn(name, cql, kind, 0) for name, cql, kind in named)


USERS = ForeignTable("users", columns(("id", "int", "partition_key"), ("tags", "set<text>", "regular")))


async def test_a_keyspace_becomes_an_application_with_a_namespace_beside_its_tables(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyspaces, "read_keyspace", lambda address: (USERS,))
    store = {"url": "cql://127.0.0.1:1/shop", "user": {"variable": "SHOP_USER"}}
    read = await staged(client, "keyspaces", store=store)
    assert (read["title"], [environment["id"] for environment in read["environments"]]) == (
        "shop",
        ["development", "cluster"],
    )
    assert ("users", "tags is left out: PIQL has no set<text>.") in [
        (note["what"], note["why"]) for note in read["notes"]
    ]
    assert (await made(client, read["id"], title="Shop")).status_code == 201
    environments = (await client.get("/api/applications/shop/environments")).json()["items"]
    assert {(item["store"]["url"], item["store"]["is_confirmed"]) for item in environments} == {
        ("embedded", True),
        ("cql://127.0.0.1:1/shop?prefix=piql_", True),
    }
    second = await staged(client, "keyspaces", store=store)
    await made(client, second["id"], title="Shop")
    environments = (await client.get("/api/applications/shop-2/environments")).json()["items"]
    unconfirmed = [item["id"] for item in environments if not item["store"]["is_confirmed"]]
    assert unconfirmed == ["cluster"]  # the first one has that prefix
    assert (await refused(client, "keyspaces", store={"url": "cql://10.0.0.1/shop"}))[:2] == (403, "store-not-allowed")
    assert (await refused(client, "keyspaces", store={"url": "embedded"}))[0] in (403, 422)
    assert "begins with us" in (await refused(client, "keyspaces", store=store, prefix="us"))[2]


def test_the_command_makes_an_application_of_a_folder_and_says_what_was_left_out(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        code = app(["--url", address, *arguments])
        output = capsys.readouterr()
        return code, output.out + output.err

    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "dump.sql").write_text(SQL)
    code, text = said("import", str(tmp_path / "shop"), "--id", "of-sql")
    assert (code, text.splitlines()[0].split(":")[0], text.splitlines()[-1]) == (0, "shop", "of-sql is made.")
    assert "dump.sql, line 1" in text
    assert "--allowed-source" in said("import", "https://git.example/x")[1]
    assert "--allowed-source" in said("import", str(tmp_path), "--on-server")[1]
    assert "--allowed-store" in said("import", "cql://10.0.0.1/shop", "--user-variable", "U")[1]
    assert said("import", str(tmp_path / "none.zip"))[0] == 2
    said("delete", "of-sql", "--confirm", "of-sql")
