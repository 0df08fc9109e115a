"""The first start: an empty store gets the sample, one that holds anything is left as it is, whatever interrupts it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import piql
import piql_backend.starting.first_start as first_start_module
import pytest
from piql_backend.applications import repository
from piql_backend.environments import sample, settings_file
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, USERS, application_ids, folder_of, settings_for, store_url_of

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
SHOP = """CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64));
CREATE QUERY userOf AS SELECT hometown FROM users WHERE username = [1: u];
"""

OF_THE_STORE = DEVELOPMENT.replace("scadr", "application")


class Killed(BaseException):
    """Stands for a process that ends here."""


def contents(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as raw:
        return list(raw.iterdump())


def rows_of(url: str, table: str) -> int:
    with piql.connect(url) as db:
        return len(db.some_rows(table, [db.deployment.table(table).columns[0].name], 10_000))


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
async def test_a_store_that_holds_data_is_left_as_it_is(tmp_path: Path, running: Running, scheme: str) -> None:
    file = tmp_path / "existing.db"
    with piql.connect(f"{scheme}:{file}") as db:
        db.deploy(piql.compile(SHOP))
        db.load("users", [{"username": "ada", "hometown": "Oslo"}])
    before = contents(file)
    async with running(replace(settings_for(tmp_path / "data"), store=f"{scheme}:{file}")) as client:
        assert await application_ids(client) == ["application"]
        application = (await client.get("/api/applications/application")).json()
        assert [file["text"] for file in application["files"]] == [SHOP]
        ran = await client.post(
            f"{OF_THE_STORE}/deployments/live/queries/userOf/executions", json={"parameters": {"u": "ada"}}
        )
        assert ran.json()["rows"] == [["Oslo"]]
        assert len((await client.get(f"{OF_THE_STORE}/deployments")).json()["items"]) == 1
    assert contents(file) == before


async def test_a_file_of_another_program_gets_no_sample(tmp_path: Path, running: Running) -> None:
    file = tmp_path / "existing.db"
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("CREATE TABLE users (name TEXT)")
        raw.execute("INSERT INTO users VALUES ('ada')")
    before = file.read_bytes()
    async with running(replace(settings_for(tmp_path / "data"), store=f"embedded:{file}")) as client:
        health = (await client.get(f"{OF_THE_STORE}/health")).json()
        assert f"{file} is a database of another program" in health["store"]["message"]
        assert (await client.get(f"{OF_THE_STORE}/deployments")).json()["items"] == []
        assert await application_ids(client) == ["application"]
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("existing.db")] == ["existing.db"]


@pytest.fixture
def no_sample() -> Iterator[pytest.MonkeyPatch]:
    """Lets no sample be loaded, until it is undone."""

    def away(*_: object) -> None:
        raise piql.StoreUnavailable("the cluster cannot be reached")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sample, "_is_ours", away)
        yield patched


async def test_a_sample_that_cannot_be_loaded_is_said_and_loaded_when_that_is_tried_again(
    tmp_path: Path, running: Running, no_sample: pytest.MonkeyPatch
) -> None:
    settings = settings_for(tmp_path / "data")
    async with running(settings) as client:
        (problem,) = (await client.get(f"{DEVELOPMENT}/health")).json()["problems"]
        assert (problem["what"], problem["is_over"]) == ("sample", False)
        assert problem["message"] == "The sample SCADr is not loaded: the cluster cannot be reached."
        assert "Check that the store is running" in problem["help"]
        refused = await client.post(f"{DEVELOPMENT}/sample/attempts")
        assert (refused.status_code, refused.json()["message"]) == (503, problem["message"])
        assert (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"] == []
        no_sample.undo()
        for _ in range(2):  # there is nothing to do the second time
            assert (await client.post(f"{DEVELOPMENT}/sample/attempts")).status_code == 204
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []
        assert [item["id"] for item in (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]] == ["d1"]
    assert rows_of(store_url_of(settings), "users") == USERS


@pytest.mark.parametrize("url", ["cql://127.0.0.1", "cql://me:se/c?ret@127.0.0.1/scadr", "elsewhere:scadr"])
async def test_a_wrong_address_of_the_store_is_to_be_corrected(tmp_path: Path, running: Running, url: str) -> None:
    async with running(replace(settings_for(tmp_path / "data"), store=url)) as client:
        health = await client.get(f"{DEVELOPMENT}/health")
        (of_store, of_sample) = health.json()["problems"]
        assert (health.status_code, of_store["what"], of_sample["what"]) == (503, "store", "sample")
        assert "is not the address of a" in of_store["message"]
        assert of_store["help"].startswith("Correct the address where the workbench is started")
        assert "cret" not in health.text
        refused = await client.post(f"{DEVELOPMENT}/deployments", json={})
        assert (refused.status_code, refused.json()["help"]) == (503, of_store["help"])


async def test_a_sample_is_not_loaded_into_a_store_that_somebody_uses_by_now(
    tmp_path: Path, running: Running, no_sample: pytest.MonkeyPatch
) -> None:
    settings = settings_for(tmp_path / "data")
    async with running(settings) as client:
        with piql.connect(store_url_of(settings)) as db:
            db.deploy(piql.compile(SHOP))
        before = contents(folder_of(settings) / "store")
        no_sample.undo()
        refused = await client.post(f"{DEVELOPMENT}/sample/attempts")
        assert (refused.status_code, refused.json()["code"]) == (409, "store-not-empty")
        assert contents(folder_of(settings) / "store") == before
        health = (await client.get(f"{DEVELOPMENT}/health")).json()
        assert [(problem["what"], problem["is_over"]) for problem in health["problems"]] == [("sample", True)]


async def test_the_last_application_comes_back_from_the_store(settings: Settings, running: Running) -> None:
    async with running(settings) as client:
        before = (await client.get("/api/applications/scadr")).json()
        gone = {"username": "ada_birch"}
        await client.post(f"{DEVELOPMENT}/deployments/live/queries/findUser/executions", json={"parameters": gone})
    kept = contents(folder_of(settings) / "store")
    for file in sorted((settings.data / "applications").rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    async with running(settings) as client:
        after = (await client.get("/api/applications/scadr")).json()
        assert after == before | {"version": after["version"]}  # of the files, which were written anew
        assert [read["id"] for read in (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]] == ["d1"]
    assert contents(folder_of(settings) / "store") == kept


def killing_at(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """End the next first start at a step of it."""
    write, load = repository.write_atomically, piql.Database.load
    loaded: list[str] = []

    def written(file: Path, text: str) -> None:
        is_reached = {
            "mark": file.name == ".first-start-under-way",
            "environment": file.name == "environment.json",
            "sample": file.name == "sample.json",
            "files": file.name == "addUser.piql",
        }
        if is_reached.get(step, False):
            raise Killed
        write(file, text)

    def some_loaded(self: piql.Database, table: str, rows: Iterable[Any], **named: Any) -> int:
        loaded.append(table)
        if step == "before the load":
            raise Killed
        if step == "within the load" and len(loaded) == 2:
            load(self, table, list(rows)[:40], batch_rows=20, **named)
            raise Killed
        return load(self, table, rows, **named)

    for module in (first_start_module, sample, settings_file, repository):
        monkeypatch.setattr(module, "write_atomically", written)
    monkeypatch.setattr(piql.Database, "load", some_loaded)


@pytest.mark.parametrize("step", ["mark", "environment", "sample", "files", "before the load", "within the load"])
async def test_a_first_start_goes_on_where_it_was_interrupted(
    tmp_path: Path, running: Running, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    settings = settings_for(tmp_path / "data")
    with monkeypatch.context() as patched:
        killing_at(patched, step)
        with suppress(Killed):
            async with running(settings):
                raise AssertionError("it was not interrupted")
    async with running(settings) as client:
        assert [read["id"] for read in (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]] == ["d1"]
        assert len((await client.get("/api/applications/scadr")).json()["files"]) == 13
    assert not (settings.data / ".first-start-under-way").exists()
    assert not (folder_of(settings) / "sample.json").exists()
    assert rows_of(store_url_of(settings), "users") == USERS
    assert rows_of(store_url_of(settings), "thoughts") == USERS * 12
    assert rows_of(store_url_of(settings), "subscriptions") == USERS * 5


async def test_an_interrupted_first_start_neither_removes_nor_fills_another_store(
    tmp_path: Path, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(tmp_path / "data")
    with monkeypatch.context() as patched:
        killing_at(patched, "within the load")
        with suppress(Killed):
            async with running(settings):
                raise AssertionError("it was not interrupted")
    mine = settings.data / "store-of-mine.db"
    with piql.connect(f"embedded:{mine}") as db:
        db.deploy(piql.compile(SHOP))
    before = contents(mine)
    async with running(replace(settings, store=f"embedded:{mine}")) as client:
        live = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()
        assert [query["name"] for query in live["queries"]] == ["userOf"]
    assert contents(mine) == before
