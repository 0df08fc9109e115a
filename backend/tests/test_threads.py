"""What people say about lines, bounds and nodes of plans: it stays with what it is about, and is never lost."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from piql_backend.data_folder.layout import PEOPLE_FILE, applications_folder
from piql_backend.people.service import People
from piql_backend.settings import Settings
from piql_backend.threads import repository
from piql_backend.web.needs import Role

from .conftest import LOGIN, PASSWORD, Running

SCADR = "/api/applications/scadr"
THREADS = f"{SCADR}/threads"
PATH = "queries/thoughtstream.piql"
SCAN = {"kind": "node", "query": "thoughtstream", "node": "0.0.0.0", "operator": "IndexScan"}


async def text_of(client: httpx.AsyncClient, path: str = PATH) -> tuple[str, str]:
    """The text of a file, and its revision."""
    files = (await client.get(SCADR, params={"limit": 500})).json()["files"]
    file = next(file for file in files if file["path"] == path)
    return file["text"], file["revision"]


async def save(client: httpx.AsyncClient, text: str, path: str = PATH) -> None:
    _, revision = await text_of(client, path)
    answer = await client.put(f"{SCADR}/files/{path}", json={"text": text, "base_revision": revision})
    assert answer.status_code == 200, answer.text


async def line_anchor(client: httpx.AsyncClient, start: str = "SELECT") -> dict[str, Any]:
    """An anchor at the first line that begins so."""
    lines = (await text_of(client))[0].splitlines()
    line = next(number for number, line in enumerate(lines, 1) if line.startswith(start))
    return {"kind": "line", "path": PATH, "line": line, "quote": lines[line - 1]}


async def begun(client: httpx.AsyncClient, anchor: Mapping[str, Any] | None = None, text: str = "Why?") -> Any:
    body = {"anchor": anchor or await line_anchor(client), "text": text}
    answer = await client.post(THREADS, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def read(client: httpx.AsyncClient, number: int = 1) -> Any:
    answer = await client.get(f"{THREADS}/{number}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def listed(client: httpx.AsyncClient, **asked: Any) -> Any:
    answer = await client.get(THREADS, params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_thread_is_begun_answered_resolved_and_taken_up_again(client: httpx.AsyncClient) -> None:
    assert await listed(client) == []
    thread = await begun(client)
    assert (thread["number"], thread["kind"], thread["path"], thread["is_outdated"]) == (1, "line", PATH, False)
    assert (thread["comments"], thread["first"]["text"], thread["first"]["author"]) == (1, "Why?", None)
    answer = await client.post(f"{THREADS}/1/comments", json={"text": "Because."})
    assert (answer.status_code, answer.json()["number"]) == (201, 2)
    said = (await client.get(f"{THREADS}/1/comments")).json()["items"]
    assert [comment["text"] for comment in said] == ["Why?", "Because."]
    resolved = (await client.put(f"{THREADS}/1", json={"is_resolved": True})).json()
    assert resolved["resolved_at"] is not None
    assert [await listed(client, state=state) for state in ("open", "resolved")] == [[], [await read(client)]]
    assert (await client.put(f"{THREADS}/1", json={"is_resolved": False})).json()["resolved_at"] is None


async def test_whoever_asks_again_is_given_what_is_new_since(client: httpx.AsyncClient) -> None:
    first, second = await begun(client), await begun(client, {"kind": "bound", "query": "findUser"})
    assert [thread["number"] for thread in await listed(client)] == [1, 2]
    assert await listed(client, after=second["change"]) == []
    await client.post(f"{THREADS}/1/comments", json={"text": "More."})
    news = await listed(client, after=second["change"])
    assert [(thread["number"], thread["comments"]) for thread in news] == [(1, 2)]
    assert news[0]["change"] > second["change"] > first["change"]
    page = (await client.get(THREADS, params={"limit": 1})).json()
    rest = (await client.get(THREADS, params={"limit": 1, "cursor": page["next"]})).json()
    assert [item["number"] for item in (*page["items"], *rest["items"])] == [2, 1]
    assert rest["next"] is None


async def test_threads_are_listed_by_what_they_are_about(client: httpx.AsyncClient) -> None:
    await begun(client)
    await begun(client, {"kind": "bound", "query": "findUser"})
    await begun(client, SCAN)
    assert [thread["number"] for thread in await listed(client, path=PATH)] == [1]
    assert [thread["number"] for thread in await listed(client, query="thoughtstream")] == [3]


async def test_a_thread_stays_with_its_line_whatever_is_written_around_it(client: httpx.AsyncClient) -> None:
    thread = await begun(client)
    text, _ = await text_of(client)
    await save(client, f"-- one\n-- two\n{text}")
    moved = await read(client)
    assert (moved["line"], moved["is_outdated"]) == (thread["line"] + 2, False)
    assert moved["change"] > thread["change"]


async def test_a_thread_stays_with_its_line_when_another_program_edits_it(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    thread = await begun(client)
    file = applications_folder(settings.data) / "scadr" / PATH
    file.write_text("-- by vi\n" + file.read_text().replace(thread["quote"], f"{thread['quote']} -- all"))
    moved = await read(client)
    assert (moved["line"], moved["is_outdated"], moved["quote"]) == (thread["line"] + 1, False, thread["quote"])


async def test_a_thread_whose_line_is_gone_is_outdated_until_the_line_comes_back(client: httpx.AsyncClient) -> None:
    thread = await begun(client)
    text, _ = await text_of(client)
    await save(client, text.replace(thread["quote"], ""))
    gone = await read(client)
    assert (gone["is_outdated"], gone["quote"], gone["line"]) == (True, thread["quote"], thread["line"])
    await save(client, "\n\n\n" + text)
    back = await read(client)
    assert (back["is_outdated"], back["line"]) == (False, thread["line"] + 3)


async def test_threads_go_with_a_file_that_is_renamed_and_come_back_with_one_that_was_deleted(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    thread = await begun(client)
    text, revision = await text_of(client)
    renamed = {"path": PATH, "new_path": "stream.piql", "base_revision": revision}
    assert (await client.post(f"{SCADR}/renames", json=renamed)).status_code == 200
    assert [(await read(client))[name] for name in ("path", "line", "is_outdated")] == [
        "stream.piql",
        thread["line"],
        False,
    ]
    assert (await client.delete(f"{SCADR}/files/stream.piql")).status_code == 204
    assert (await read(client))["is_outdated"] is True
    answer = await client.post(f"{SCADR}/files", json={"path": "stream.piql", "text": f"\n{text}"})
    assert answer.status_code == 201
    back = await read(client)
    assert (back["is_outdated"], back["line"]) == (False, thread["line"] + 1)
    folder = applications_folder(settings.data) / "scadr"
    (folder / "stream.piql").rename(folder / "elsewhere.piql")
    assert [(await read(client))[name] for name in ("path", "is_outdated")] == ["elsewhere.piql", False]


async def test_a_file_that_takes_the_path_of_a_deleted_one_does_not_take_its_threads(client: httpx.AsyncClient) -> None:
    await begun(client)
    await client.delete(f"{SCADR}/files/{PATH}")
    await client.post(f"{SCADR}/files", json={"path": "new.piql", "text": "-- new\n"})
    anchor = {"kind": "line", "path": "new.piql", "line": 1, "quote": "-- new"}
    await begun(client, anchor)
    _, revision = await text_of(client, "new.piql")
    renamed = {"path": "new.piql", "new_path": PATH, "base_revision": revision}
    assert (await client.post(f"{SCADR}/renames", json=renamed)).status_code == 200
    threads = {thread["number"]: thread for thread in await listed(client)}
    assert (threads[1]["path"], threads[1]["is_outdated"]) == (PATH, True)
    assert (threads[2]["path"], threads[2]["line"], threads[2]["is_outdated"]) == (PATH, 1, False)


async def test_a_line_that_is_not_saved_as_it_was_seen_gets_no_thread(client: httpx.AsyncClient) -> None:
    anchor = await line_anchor(client)
    stale = {"anchor": anchor | {"quote": "SELECT something else"}, "text": "Why?"}
    assert code_of(await client.post(THREADS, json=stale)) == (409, "not-saved-so")
    text, _ = await text_of(client)
    await save(client, f"-- first\n{text}")
    late = await begun(client, anchor)
    assert late["line"] == anchor["line"] + 1
    gone = {"anchor": anchor | {"path": "none.piql"}, "text": "Why?"}
    assert code_of(await client.post(THREADS, json=gone)) == (404, "unknown-file")
    assert len(await listed(client)) == 1


async def test_a_thread_about_a_node_goes_with_it_and_is_outdated_without_it(client: httpx.AsyncClient) -> None:
    thread = await begun(client, SCAN)
    assert (thread["node"], thread["operator"], thread["is_outdated"]) == ("0.0.0.0", "IndexScan", False)
    text, _ = await text_of(client)
    await save(client, text.replace(" AND s.approved = TRUE", ""))  # and no LocalSelection above it
    moved = await read(client)
    assert (moved["node"], moved["is_outdated"]) == ("0.0.0", False)
    await save(client, "")
    assert (await read(client))["is_outdated"] is True
    await save(client, text)
    assert (await read(client))["is_outdated"] is False


async def test_threads_about_a_query_go_with_it_when_it_is_renamed_and_back(client: httpx.AsyncClient) -> None:
    await begun(client, SCAN)
    await begun(client, {"kind": "bound", "query": "thoughtstream"})
    text, _ = await text_of(client)
    for name, spaced in (("feed", "feed"), ("thoughtstream", "thoughtstream\n ")):
        after = max(thread["change"] for thread in await listed(client))
        await save(client, text.replace("CREATE QUERY thoughtstream", f"CREATE QUERY {spaced}"))
        threads = await listed(client, after=after)
        assert [(thread["query"], thread["is_outdated"]) for thread in threads] == [(name, False)] * 2


async def test_a_query_with_the_same_body_that_was_there_before_does_not_take_the_threads_of_one_that_is_gone(
    client: httpx.AsyncClient,
) -> None:
    await begun(client, {"kind": "bound", "query": "thoughtstream"})
    text, _ = await text_of(client)
    copy = text.replace("CREATE QUERY thoughtstream", "CREATE QUERY copied")
    await save(client, f"{text}\n{copy}")
    assert (await read(client))["query"] == "thoughtstream"
    await save(client, copy)
    thread = await read(client)
    assert (thread["query"], thread["is_outdated"]) == ("thoughtstream", True)
    await save(client, text.replace("CREATE QUERY thoughtstream", "CREATE QUERY third"))  # which of the two was it?
    assert (await read(client))["query"] == "thoughtstream"


async def test_a_file_of_comments_of_an_earlier_version_is_read_and_then_knows_renamed_queries(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    await begun(client, {"kind": "bound", "query": "thoughtstream"})
    with closing(sqlite3.connect(applications_folder(settings.data) / "scadr" / "comments.db")) as file:
        file.executescript("DROP TABLE queries; PRAGMA user_version=1")
    assert (await read(client))["query"] == "thoughtstream"
    text, _ = await text_of(client)
    await save(client, text.replace("CREATE QUERY thoughtstream", "CREATE QUERY feed"))
    assert (await read(client))["query"] == "feed"


async def test_a_thread_about_a_bound_needs_a_query_and_a_node_must_be_in_the_plan(client: httpx.AsyncClient) -> None:
    for anchor in (
        {"kind": "bound", "query": "nobody"},
        SCAN | {"operator": "IndexJoin"},
        SCAN | {"node": "7"},
        SCAN | {"query": "nobody"},
    ):
        assert code_of(await client.post(THREADS, json={"anchor": anchor, "text": "x"})) == (409, "not-saved-so")
    await begun(client, {"kind": "bound", "query": "thoughtstream"})
    await save(client, "")
    assert (await read(client))["is_outdated"] is True


async def test_an_own_comment_is_edited_and_removed_and_that_there_was_one_is_kept(client: httpx.AsyncClient) -> None:
    await begun(client)
    first = f"{THREADS}/1/comments/1"
    edited = (await client.put(first, json={"text": "How?", "revision": 1})).json()
    assert (edited["text"], edited["revision"], edited["edited_at"] is None) == ("How?", 2, False)
    assert code_of(await client.put(first, json={"text": "x", "revision": 1})) == (409, "comment-changed")
    await client.post(f"{THREADS}/1/comments", json={"text": "So."})
    assert (await client.delete(first)).status_code == 204
    thread = await read(client)
    assert (thread["first"]["text"], thread["first"]["removed_at"] is None) == ("", False)
    assert (thread["comments"], thread["resolved_at"]) == (2, None)
    assert code_of(await client.put(first, json={"text": "x", "revision": 3})) == (409, "comment-changed")
    await client.delete(f"{THREADS}/1/comments/2")
    assert (await read(client))["resolved_at"] is not None


async def test_what_is_removed_is_nowhere_in_the_file(client: httpx.AsyncClient, settings: Settings) -> None:
    await begun(client, text="the password is hunter2")
    file = applications_folder(settings.data) / "scadr" / "comments.db"
    assert b"hunter2" in file.read_bytes()
    await client.delete(f"{THREADS}/1/comments/1")
    assert [*file.parent.glob("comments.db*")] == [file]
    assert b"hunter2" not in file.read_bytes()


async def test_an_empty_comment_and_an_unknown_thread_are_refused(client: httpx.AsyncClient) -> None:
    assert code_of(await client.get(f"{THREADS}/1")) == (404, "unknown-thread")
    assert code_of(await client.get(f"{THREADS}/1/comments")) == (404, "unknown-thread")
    assert code_of(await client.put(f"{THREADS}/1", json={"is_resolved": True})) == (404, "unknown-thread")
    await begun(client)
    empty = await client.post(f"{THREADS}/1/comments", json={"text": " \n "})
    assert code_of(empty) == (422, "empty-comment")
    assert code_of(await client.delete(f"{THREADS}/1/comments/9")) == (404, "unknown-comment")
    other = await client.get("/api/applications/nobody/threads")
    assert code_of(other) == (404, "unknown-application")


async def test_what_is_said_comes_back_as_it_was_written(client: httpx.AsyncClient) -> None:
    text = "<img src=x onerror=alert(1)>\n'; DROP TABLE threads; --\0 \u202e 🦆"
    assert (await begun(client, text=text))["first"]["text"] == text
    assert (await listed(client))[0]["first"]["text"] == text


async def test_no_more_is_kept_than_there_may_be(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "MOST_THREADS", 1)
    await begun(client)
    anchor = await line_anchor(client)
    full = await client.post(THREADS, json={"anchor": anchor, "text": "x"})
    assert code_of(full) == (422, "too-many-to-keep")
    monkeypatch.setattr(repository, "MOST_COMMENTS", 1)
    assert code_of(await client.post(f"{THREADS}/1/comments", json={"text": "x"})) == (422, "too-many-to-keep")


async def test_a_copy_and_an_archive_have_no_comments_and_a_new_application_begins_without(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    await begun(client)
    copy = (await client.post(f"{SCADR}/duplicates", json={"title": "Copy"})).json()["id"]
    assert (await client.get(f"/api/applications/{copy}/threads")).json()["items"] == []
    archive = (await client.get(f"{SCADR}/archive")).content
    assert b"comments.db" not in archive
    assert (await client.delete(SCADR, params={"name": "scadr"})).status_code == 204
    kept = [*(settings.data / "deleted").glob("scadr-*/files/comments.db")]
    assert len(kept) == 1
    await client.post("/api/applications", json={"title": "scadr", "id": "scadr", "template": None, "files": []})
    assert await listed(client) == []


async def test_a_damaged_file_is_said_and_left_as_it_is(client: httpx.AsyncClient, settings: Settings) -> None:
    await begun(client)
    file = applications_folder(settings.data) / "scadr" / "comments.db"
    assert file.stat().st_mode & 0o777 == 0o600
    whole = file.read_bytes()
    file.write_bytes(b"this is no database at all" * 100)
    assert code_of(await client.get(THREADS)) == (503, "comments-not-read")
    body = {"anchor": await line_anchor(client), "text": "x"}
    assert code_of(await client.post(THREADS, json=body)) == (503, "comments-not-read")
    file.write_bytes(whole)
    assert len(await listed(client)) == 1
    with closing(sqlite3.connect(file)) as newer:
        newer.execute("PRAGMA user_version=99")
    assert code_of(await client.get(THREADS)) == (503, "comments-not-read")
    file.unlink()
    file.symlink_to("/etc/passwd")
    assert code_of(await client.get(THREADS)) == (503, "comments-not-read")


async def test_many_who_speak_at_once_are_all_heard(client: httpx.AsyncClient) -> None:
    await begun(client)
    answers = [client.post(f"{THREADS}/1/comments", json={"text": f"{number}"}) for number in range(40)]
    assert {answer.status_code for answer in await asyncio.gather(*answers)} == {201}
    said = (await client.get(f"{THREADS}/1/comments", params={"limit": 500})).json()["items"]
    assert sorted(comment["text"] for comment in said) == sorted(["Why?", *map(str, range(40))])
    assert [comment["number"] for comment in said] == [*range(1, 42)]


async def test_people_of_a_team_speak_in_their_names_and_change_what_is_theirs(
    settings: Settings, running: Running
) -> None:
    held: Mapping[str, tuple[str, Role]] = {
        "ada": ("scadr", "administrator"),
        "ben": ("scadr", "developer"),
        "eva": ("scadr", "viewer"),
        "oda": ("tpcw", "administrator"),
    }
    with closing(People(settings.data / PEOPLE_FILE)) as people:
        for name, (place, role) in held.items():
            people.accounts.add(name, PASSWORD)
            people.accounts.set_role(name, place, role)
        people.accounts.add("root", PASSWORD)
        people.accounts.set_role("root", "", "administrator")
    async with running(replace(settings, team=True)) as client:

        async def as_(name: str) -> httpx.AsyncClient:
            client.cookies.clear()
            await client.post("/api/session", json=LOGIN | {"name": name})
            return client

        thread = await begun(await as_("ben"))
        assert (thread["first"]["author"], thread["first"]["is_own"]) == ("ben", True)
        await as_("eva")
        assert (await read(client))["first"]["is_own"] is False
        assert code_of(await client.post(f"{THREADS}/1/comments", json={"text": "x"})) == (403, "role-needed")
        assert code_of(await client.put(f"{THREADS}/1", json={"is_resolved": True})) == (403, "role-needed")
        await as_("oda")
        for answer in (await client.get(THREADS), await client.post(THREADS, json={})):
            assert code_of(answer) == (404, "unknown-application")
        await as_("ada")
        mine = (await client.post(f"{THREADS}/1/comments", json={"text": "So."})).json()
        edit = {"text": "x", "revision": 1}
        assert code_of(await client.put(f"{THREADS}/1/comments/1", json=edit)) == (403, "not-yours")
        await as_("ben")
        of_ada = f"{THREADS}/1/comments/{mine['number']}"
        assert code_of(await client.delete(of_ada)) == (403, "not-yours")
        assert (await client.put(f"{THREADS}/1", json={"is_resolved": True})).json()["resolved_by"] == "ben"
        await as_("ada")
        assert (await client.delete(f"{THREADS}/1/comments/1")).status_code == 204
        assert (await read(client))["first"]["removed_by"] == "ada"
        await as_("root")
        deeds = (await client.get("/api/audit", params={"application": "scadr"})).json()["items"]
        done = [(deed["person"], deed["operation"], deed["status"]) for deed in reversed(deeds)]
        assert done[:3] == [("ben", "start_thread", 201), ("eva", "answer_thread", 403), ("eva", "resolve_thread", 403)]
        assert done[-1] == ("ada", "remove_thread_comment", 204)


SPEAKER = """
import sys
from pathlib import Path
from piql_backend.threads import repository
from piql_backend.threads.repository import NewThread
from piql_backend.threads.thread_file import write_threads

with write_threads(Path(sys.argv[1])) as file:
    repository.add_thread(file, NewThread("bound", query="q"))
for number in range(1_000_000):
    with write_threads(Path(sys.argv[1])) as file:
        repository.add_comment(file, 1, None, str(number))
    print(number, flush=True)
"""


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    for attempt in range(3):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        speaker = subprocess.Popen([sys.executable, "-c", SPEAKER, str(folder)], stdout=subprocess.PIPE, text=True)
        assert speaker.stdout is not None
        acknowledged = [speaker.stdout.readline().strip() for _ in range(20 + 7 * attempt)]
        os.kill(speaker.pid, signal.SIGKILL)
        acknowledged += speaker.stdout.read().split()
        speaker.wait(10)
        with closing(sqlite3.connect(folder / "comments.db")) as file:
            kept = [text for (text,) in file.execute("SELECT text FROM comments ORDER BY number")]
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert kept[: len(acknowledged)] == acknowledged
        assert len(kept) <= len(acknowledged) + 1
