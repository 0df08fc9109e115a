"""A page asks one question every few seconds: what it holds is out of date exactly where a version is another one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from piql_backend.data_folder.layout import applications_folder
from piql_backend.pulse import service
from piql_backend.settings import Settings

from .conftest import Running, folder_of

SCADR = "/api/applications/scadr"
DEVELOPMENT = f"{SCADR}/environments/development"
PULSE = f"{DEVELOPMENT}/pulse"
FIND_USER = "queries/findUser.piql"


@pytest.fixture(autouse=True)
def news_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "SECONDS_KEPT", 0.0)
    monkeypatch.setattr(service, "SECONDS_FOR_A_PAGE", 0.0)


async def versions(client: httpx.AsyncClient) -> dict[str, str]:
    answer = await client.get(PULSE)
    assert answer.status_code == 200, answer.text
    found: dict[str, str] = answer.json()["versions"]
    return found


async def outdated(client: httpx.AsyncClient, change: Callable[[], Awaitable[Any]]) -> set[str]:
    """The kinds that have another version after a change."""
    before = await versions(client)
    await change()
    after = await versions(client)
    return {kind for kind in before if before[kind] != after[kind]}


async def test_it_has_the_health_of_the_environment_and_stays_the_same_while_nothing_happens(
    client: httpx.AsyncClient,
) -> None:
    first, second = (await client.get(PULSE)), (await client.get(PULSE))
    assert first.json()["health"] == (await client.get(f"{DEVELOPMENT}/health")).json()
    assert first.json() == second.json()
    again = await client.get(PULSE, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_a_save_a_new_file_and_a_file_of_another_program_change_the_version_of_files(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    file = applications_folder(settings.data) / "scadr" / FIND_USER

    async def save() -> None:
        files = (await client.get(SCADR, params={"limit": 500})).json()["files"]
        body = next(
            {"text": f["text"] + "-- more\n", "base_revision": f["revision"]} for f in files if f["path"] == FIND_USER
        )
        (await client.put(f"{SCADR}/files/{FIND_USER}", json=body)).raise_for_status()

    async def write() -> None:
        text = file.read_text()
        file.write_text(text[:-2] + "!\n")  # as long as it was

    async def remove() -> None:
        file.unlink()

    for change in (save, write, remove):
        assert await outdated(client, change) == {"files"}


async def test_an_application_has_the_version_that_the_pulse_has(client: httpx.AsyncClient) -> None:
    application = (await client.get(SCADR)).json()
    assert application["version"] == (await versions(client))["files"]


async def test_a_comment_an_answer_and_a_moved_line_change_the_version_of_comments(client: httpx.AsyncClient) -> None:
    text = next(f for f in (await client.get(SCADR, params={"limit": 500})).json()["files"] if f["path"] == FIND_USER)
    line = {"kind": "line", "path": FIND_USER, "line": 1, "quote": text["text"].splitlines()[0]}
    assert (await versions(client))["comments"] == ""

    async def begin() -> None:
        (await client.post(f"{SCADR}/threads", json={"anchor": line, "text": "Why?"})).raise_for_status()

    async def answer() -> None:
        (await client.post(f"{SCADR}/threads/1/comments", json={"text": "So."})).raise_for_status()

    async def move() -> None:
        body = {"text": "-- new\n" + text["text"], "base_revision": text["revision"]}
        (await client.put(f"{SCADR}/files/{FIND_USER}", json=body)).raise_for_status()

    assert await outdated(client, begin) == {"comments"}
    assert await outdated(client, answer) == {"comments"}
    assert await outdated(client, move) == {"files", "comments"}


async def test_an_execution_a_deployment_and_an_environment_change_theirs(client: httpx.AsyncClient) -> None:
    async def execute() -> None:
        path = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"
        (await client.post(path, json={"parameters": {"username": "nobody"}})).raise_for_status()
        (await client.get(f"{DEVELOPMENT}/latency/live")).raise_for_status()  # what waits is written

    async def deploy() -> None:
        files = (await client.get(SCADR, params={"limit": 500})).json()["files"]
        texts = [{"path": f["path"], "text": f["text"] + "-- deployed\n"} for f in files]
        body = {"files": texts, "base_version": 1}
        (await client.post(f"{DEVELOPMENT}/deployments", json=body)).raise_for_status()

    async def add() -> None:
        (await client.post(f"{SCADR}/environments", json={"title": "Staging"})).raise_for_status()

    async def rename() -> None:
        (await client.patch(f"{SCADR}/environments/staging", json={"title": "Stage"})).raise_for_status()

    assert await outdated(client, execute) == {"observed"}
    assert "live" in await outdated(client, deploy)
    assert await outdated(client, add) == {"environments"}
    assert await outdated(client, rename) == {"environments"}


async def test_an_environment_that_cannot_be_opened_says_why_and_has_its_files_all_the_same(
    settings: Settings, running: Running
) -> None:
    (folder_of(settings) / "environment.json").write_text(json.dumps({"store": {"kind": "no such kind"}}))
    async with running(settings) as client:
        answer = (await client.get(PULSE)).json()
        assert (answer["health"]["status"], answer["health"]["store"]["healthy"]) == ("degraded", False)
        assert answer["versions"]["files"]
        assert (answer["versions"]["live"], answer["versions"]["observed"]) == ("", "")


async def test_there_is_none_of_an_unknown_application_or_environment(client: httpx.AsyncClient) -> None:
    for path in ("/api/applications/none/environments/development/pulse", f"{SCADR}/environments/none/pulse"):
        assert (await client.get(path)).status_code == 404


async def test_all_who_ask_within_a_moment_are_given_the_same(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked_out = 0
    versions_of = service.versions_of

    def counted(*given: Any) -> Any:
        nonlocal worked_out
        worked_out += 1
        return versions_of(*given)

    monkeypatch.setattr(service, "SECONDS_KEPT", 3600.0)
    monkeypatch.setattr(service, "versions_of", counted)
    answers = await asyncio.gather(*(client.get(PULSE) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert worked_out == 1
