"""A store is emptied, or another is put in its place, while the workbench runs and between runs: it is noticed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import piql
import pytest
from piql_backend.deployments import history
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, Running, folder_of

THEIRS = "CREATE TABLE t (id INT PRIMARY KEY); CREATE QUERY findUser AS SELECT id FROM t WHERE id = [username];"
RUN = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"


@pytest.fixture(params=["its own", "named", "served"])
async def store(request: pytest.FixtureRequest, settings: Settings, running: Running) -> tuple[Settings, Path]:
    """An environment's store of each kind, with a version that is live in it."""
    if request.param == "its own":
        return settings, folder_of(settings) / "store"
    file = settings.data / "stores" / "x.db"
    file.parent.mkdir()
    chosen = replace(settings, allowed_stores=(f"embedded:{file.parent}",))
    if request.param == "served":
        chosen = replace(settings, store=f"embedded:{file}")
    async with running(chosen) as client:
        if request.param == "named":
            await chosen_again(client, f"embedded:{file}")
        await deployed(client, 201)
    return chosen, file


async def chosen_again(client: httpx.AsyncClient, url: str) -> None:
    answer = await client.patch(DEVELOPMENT, json={"store": {"url": url}})
    assert answer.status_code == 200, answer.text


async def deployed(client: httpx.AsyncClient, status: int) -> None:
    files = (await client.get("/api/applications/scadr")).json()["files"]
    texts = [{"path": file["path"], "text": file["text"]} for file in files]
    answer = await client.post(f"{DEVELOPMENT}/deployments", json={"files": texts})
    assert answer.status_code == status, answer.text


async def problem_of(client: httpx.AsyncClient) -> dict[str, Any]:
    health = await client.get(f"{DEVELOPMENT}/health")
    assert health.status_code == 503
    (problem,) = (problem for problem in health.json()["problems"] if problem["what"] in ("store", "deployments"))
    assert f"scadr/development: {problem['message']}" in (await client.get("/readyz")).json()["problems"]
    read: dict[str, Any] = problem
    return read


def put_theirs(file: Path) -> bytes:
    """Put another store in the place of a file; return its content."""
    other = file.with_name("theirs")
    with piql.connect(f"embedded:{other}") as db:
        db.deploy(piql.compile(THEIRS))
    os.replace(other, file)
    return file.read_bytes()


@pytest.mark.parametrize("runs", [True, False])
async def test_another_store_in_its_place_is_said_and_neither_read_nor_written(
    store: tuple[Settings, Path], running: Running, runs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, file = store
    monkeypatch.setattr(history, "LOOK_SECONDS", 0.02)
    theirs = b"" if runs else put_theirs(file)
    async with running(settings) as client:
        if runs:
            await client.get(f"{DEVELOPMENT}/deployments")
            theirs = put_theirs(file)
            while (await client.get(f"{DEVELOPMENT}/deployments/live")).status_code == 200:
                pass
            while "holds another store" not in (await client.get(f"{DEVELOPMENT}/health")).text:
                pass
        problem = await problem_of(client)
        assert "holds another store than the one that this environment had" in problem["message"]
        ran = await client.post(RUN, json={"parameters": {"username": 1}})
        assert (ran.status_code, ran.json()["code"]) == (503, "store-replaced")
        assert "choose it as the store of the environment" in ran.json()["help"]
        await deployed(client, 503)
        assert file.read_bytes() == theirs
        if settings.store is None and "stores" in str(file):
            await chosen_again(client, f"embedded:{file}")
            assert (await client.get(f"{DEVELOPMENT}/health")).json()["status"] == "ok"
            assert (await client.post(RUN, json={"parameters": {"username": 1}})).json()["rows"] == []


@pytest.mark.parametrize("runs", [True, False])
async def test_one_that_was_emptied_is_said_and_begun_anew_by_a_deployment(
    store: tuple[Settings, Path], running: Running, runs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, file = store
    monkeypatch.setattr(history, "LOOK_SECONDS", 0.02)
    if not runs:
        file.unlink()
    async with running(settings) as client:
        if runs:
            await client.get(f"{DEVELOPMENT}/deployments")
            file.unlink()
            while "was emptied" not in (await client.get(f"{DEVELOPMENT}/health")).text:
                pass
        assert "it was emptied, or its file is gone" in (await problem_of(client))["message"]
        ran = await client.post(RUN, json={"parameters": {"username": "ada_bell"}})
        assert (ran.status_code, ran.json()["code"]) == (404, "nothing-deployed")
        assert "was emptied" in ran.json()["message"]
        assert not file.exists()
        await deployed(client, 201)
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["status"] == "ok"
    async with running(settings) as client:
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["status"] == "ok"


async def test_a_copy_of_the_store_that_is_put_back_while_it_runs_is_taken_up(
    store: tuple[Settings, Path], running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, file = store
    monkeypatch.setattr(history, "LOOK_SECONDS", 0.02)
    copy = file.with_name("copy")
    copy.write_bytes(file.read_bytes())
    async with running(settings) as client:
        assert (await client.get(f"{DEVELOPMENT}/deployments/live")).status_code == 200
        os.replace(copy, file)
        while (await client.get(f"{DEVELOPMENT}/health")).json()["status"] == "ok":
            pass
        while (await client.get(f"{DEVELOPMENT}/health")).json()["status"] != "ok":
            pass
        assert (await client.get(f"{DEVELOPMENT}/deployments/live")).status_code == 200
