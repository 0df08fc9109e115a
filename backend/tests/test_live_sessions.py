"""Several people edit one file over sockets: all have the same text in the end, and what was acknowledged is there."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE
from piql_backend.applications.repository import Applications, revision_of
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.file_history.service import FileHistories
from piql_backend.live_sessions import messages, participant, session
from piql_backend.live_sessions.document import MOST_CHARACTERS, LiveDocument
from piql_backend.live_sessions.kept_states import KeptState, KeptStates
from piql_backend.live_sessions.messages import read_message
from piql_backend.live_sessions.presence import Presence
from piql_backend.live_sessions.session import LiveSession
from piql_backend.people.service import People
from piql_backend.settings import Settings
from piql_backend.web.allowances import Allowance
from piql_backend.web.visitor import EVERYWHERE
from piql_backend.workers.pool import WorkerPool

from .live_editor import PATH, LiveEditor, Refused, presence_of, served

FILE = f"/api/applications/scadr/files/{PATH}"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SECONDS_OF_PAUSE", 0.01)
    monkeypatch.setattr(session, "SECONDS_BETWEEN_LOOKS", 0.02)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """One application of one file, which is neither compiled nor deployed here."""
    chosen = Settings(data=tmp_path / "data", frontend=tmp_path / "dist", sample_applications=())
    file_of(chosen).parent.mkdir(parents=True)
    file_of(chosen).write_text("CREATE QUERY findUser AS\nSELECT * FROM users WHERE username = [1: name];\n")
    return chosen


@pytest.fixture
async def port(settings: Settings, workers: WorkerPool) -> AsyncIterator[int]:
    async with served(settings, workers) as port:
        yield port


def file_of(settings: Settings, path: str = PATH) -> Path:
    return settings.data / "applications" / "scadr" / path


async def both(port: int) -> tuple[LiveEditor, LiveEditor]:
    return await LiveEditor().connect(port), await LiveEditor().connect(port)


async def test_edits_at_one_place_merge_into_one_text_that_is_saved(port: int, settings: Settings) -> None:
    before = file_of(settings).read_text()
    ada, ben = await both(port)
    assert ada.text == ben.text == before
    ada.type(0, "-- ada äö😀\n")
    ben.type(0, "-- ben\n")
    ada.push()
    ben.push()
    await asyncio.gather(ada.until(lambda: ada.is_saved), ben.until(lambda: ben.is_saved))
    assert ada.text == ben.text == file_of(settings).read_text()
    assert sorted(ada.text.removesuffix(before).splitlines()) == ["-- ada äö😀", "-- ben"]
    assert ada.saved["revision"] == revision_of(ada.text)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        saves = (await client.get(f"/api/applications/scadr/saves?path={PATH}")).json()["items"]
    assert saves[0]["message"] == f"Save {PATH}"


async def test_whoever_was_offline_merges_when_they_are_back(port: int, settings: Settings) -> None:
    ada, ben = await both(port)
    before = ada.text
    ada.disconnect()
    ada.type(0, "-- offline\n")
    await ben.write(len(before.encode()), "-- meanwhile\n")
    await ada.connect(port)
    await ada.until(lambda: ada.is_saved)
    await ben.until(lambda: "offline" in ben.text)
    assert ada.text == ben.text == file_of(settings).read_text() == f"-- offline\n{before}-- meanwhile\n"


@pytest.mark.long
async def test_a_killed_server_loses_nothing_that_it_acknowledged_and_nothing_that_is_sent_again(
    settings: Settings, workers: WorkerPool
) -> None:
    command = [sys.executable, "-m", "piql_backend", "--port", "0", "--data", str(settings.data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = await asyncio.to_thread(server.stdout.readline)
        port = int(line.rsplit(":", 1)[1])
        ada, ben = await both(port)
        before = ada.text
        await ada.write(0, "-- acknowledged\n")
        assert file_of(settings).read_text() == f"-- acknowledged\n{before}"
        ada.type(0, "-- on its way\n")
        ada.push()
        await ben.until(lambda: "on its way" in ben.text)
        server.send_signal(signal.SIGKILL)
    document = ada.document["document"]
    ben.type(0, "-- while it was away\n")
    async with served(settings, workers) as port:
        for editor in (ada, ben):
            await editor.connect(port)
            assert editor.document["document"] == document
        await ben.until(lambda: ben.is_saved)
        await ada.until(lambda: ada.text == ben.text)
    assert (
        ben.text == file_of(settings).read_text() == (f"-- while it was away\n-- on its way\n-- acknowledged\n{before}")
    )


async def test_a_save_by_other_means_is_merged_with_what_is_not_saved_yet(
    port: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await LiveEditor().connect(port)
    before = ada.text
    with monkeypatch.context() as held:
        for name in ("SECONDS_OF_PAUSE", "MOST_SECONDS_UNSAVED"):
            held.setattr(session, name, 1e6)
        await saved_while_edits_wait(ada, port, before)
    ada.type(0, "-- typed last\n")
    ada.push()
    await ada.until(lambda: ada.is_saved and "by the API" in ada.text)
    assert ada.text == file_of(settings).read_text() == f"-- typed last\n-- typed\n{before}-- by the API\n"

    file_of(settings).write_text(before)  # as another program does, such as `git checkout`
    await ada.until(lambda: ada.text == before and ada.is_saved)


async def saved_while_edits_wait(ada: LiveEditor, port: int, before: str) -> None:
    """Let the API save, while an edit has arrived that the session has not saved."""
    ben = await LiveEditor().connect(port)
    ada.type(0, "-- typed\n")
    ada.push()
    await ben.until(lambda: "typed" in ben.text)
    ben.disconnect()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        change = {"text": f"{before}-- by the API\n", "base_revision": revision_of(before)}
        answer = await client.put(FILE, json=change)
        stale = await client.put(FILE, json=change | {"text": "-- stale"})
    assert (answer.status_code, stale.status_code) == (200, 409)


async def test_a_file_that_is_renamed_or_deleted_ends_the_session(port: int, settings: Settings) -> None:
    ada = await LiveEditor().connect(port)
    file_of(settings).rename(file_of(settings, "queries/renamed.piql"))
    assert await ada.until_closed() == (4404, f"There is no file {PATH}.")
    with pytest.raises(Refused, match="404, 'unknown-file'"):
        await ada.connect(port)
    assert not [*file_of(settings).parent.parent.glob(".live/**/*.json")]


@pytest.mark.parametrize("is_there", [False, True], ids=["while they are offline", "while they type"])
@pytest.mark.parametrize("change", ["deleted", "renamed", "removed by another program", "replaced by another file"])
async def test_what_was_typed_into_a_file_gets_into_no_later_file_of_that_name(
    port: int, settings: Settings, change: str, is_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_there:
        monkeypatch.setattr(session, "SECONDS_BETWEEN_LOOKS", 1e6)  # the path is never seen without a file
    ada, new = await LiveEditor().connect(port), "-- another file\n"
    before, document = ada.text, ada.document["document"]
    if not is_there:
        ada.disconnect()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/api/applications/scadr") as client:
        while not is_there and [*file_of(settings).parent.parent.glob(".live/**/*.next")]:
            await asyncio.sleep(0.01)
        if change == "deleted":
            await client.delete(f"/files/{PATH}")
        elif change == "removed by another program":
            file_of(settings).unlink()
        else:
            rename = {"path": PATH, "new_path": "queries/moved.piql", "base_revision": revision_of(before)}
            assert (await client.post("/renames", json=rename)).status_code == 200
        if change == "replaced by another file":
            await client.post("/files", json={"path": "queries/new.piql", "text": new})
            rename = {"path": "queries/new.piql", "new_path": PATH, "base_revision": revision_of(new)}
            assert (await client.post("/renames", json=rename)).status_code == 200
        else:
            assert (await client.post("/files", json={"path": PATH, "text": new})).status_code == 201
    ada.type(3, "-- typed into the file of before\n")
    if is_there:
        ada.push()
        assert (await ada.until_closed())[0] == 4404
    again = await LiveEditor().connect(port)  # a page begins anew with a document of another name
    assert again.document["document"] != document
    assert again.text == file_of(settings).read_text() == new


async def test_a_save_that_fails_after_the_text_was_written_is_not_taken_for_somebody_elses(
    port: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await LiveEditor().connect(port)
    before = ada.text

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(KeptStates, "finish", fail)
        ada.type(0, "-- typed first\n")
        ada.push()
        await ada.until(lambda: ada.failure != "")
        ada.type(0, "-- typed next\n")
        ada.push()
        await asyncio.sleep(0)
    await ada.until(lambda: ada.is_saved)
    assert ada.text == file_of(settings).read_text() == f"-- typed next\n-- typed first\n{before}"


async def test_what_a_failed_save_had_written_is_somebody_elses_once_that_is_over(
    port: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def look(_: LiveSession) -> None:
        """Only a save finds what others have saved."""

    monkeypatch.setattr(LiveSession, "look", look)
    ada = await LiveEditor().connect(port)
    first = f"-- typed first\n{ada.text}"

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(KeptStates, "finish", fail)
        ada.type(0, "-- typed first\n")
        ada.push()
        await ada.until(lambda: ada.failure != "")
    await ada.write(0, "-- typed next\n")
    file_of(settings).write_text(first)  # somebody takes the later line away
    await ada.write(0, "-- typed last\n")
    assert ada.text == file_of(settings).read_text() == f"-- typed last\n{first}"


async def test_a_new_document_begins_where_the_kept_one_is_damaged_or_mostly_traces(
    settings: Settings, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = file_of(settings, f".live/{PATH}.json")
    names = []
    for damage in ("", "damaged", "traces"):
        if damage == "damaged":
            kept.write_text("{")
        elif damage:
            monkeypatch.setattr(session, "_SMALL_STATE_BYTES", -1_000_000)
        async with served(settings, workers) as port:
            ada = await LiveEditor().connect(port)
            names.append(ada.document["document"])
            assert ada.text == file_of(settings).read_text()
    assert len(set(names)) == 3


async def test_a_text_that_was_kept_and_not_saved_is_saved_by_the_next_session(settings: Settings) -> None:
    """As a process leaves it that is killed between the two."""
    applications = Applications(settings.data / "applications", FileHistories(settings.data / "histories"))
    states, before = KeptStates(applications), file_of(settings).read_text()
    document = LiveDocument(text=before)
    first = KeptState.of("d", revision_of(before), revision_of(before), document.state)
    document.become(f"{before}-- kept\n")
    second = KeptState.of("d", revision_of(document.text), revision_of(before), document.state)
    states.begin("scadr", PATH, first, is_first=True)
    states.finish("scadr", PATH)
    states.begin("scadr", PATH, second)
    await LiveSession("scadr", PATH, applications, states, lambda: None).open()
    assert file_of(settings).read_text() == f"{before}-- kept\n"

    states.begin("scadr", PATH, second)  # killed after the save, and restored by another program
    file_of(settings).write_text("-- restored\n")
    await LiveSession("scadr", PATH, applications, states, lambda: None).open()
    assert file_of(settings).read_text() == "-- restored\n"


async def test_what_cannot_be_saved_is_not_acknowledged_and_is_saved_later(
    port: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await LiveEditor().connect(port)
    failed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def fail(*_: object) -> None:
        loop.call_soon_threadsafe(failed.set)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(KeptStates, "begin", fail)
        ada.type(0, "-- typed\n")
        ada.push()
        await ada.until(lambda: ada.failure != "")
        assert failed.is_set()
        assert not ada.is_saved
        assert ada.failure == "The disk is full: nothing was written."
    await ada.until(lambda: ada.is_saved)
    assert file_of(settings).read_text() == ada.text


async def test_who_is_shut_out_leaves_at_once_also_while_the_disk_is_full(
    settings: Settings, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = people_of(settings)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    async with served(replace(settings, team=True), workers) as port:
        ben, cyd = [await LiveEditor(headers=headers).connect(port) for headers in shown[1:3]]
        with monkeypatch.context() as full:
            full.setattr(KeptStates, "begin", fail)
            ben.type(0, "-- typed\n")
            ben.push()
            await cyd.until(lambda: cyd.failure != "")
            with closing(People(settings.data / PEOPLE_FILE)) as people:
                people.accounts.set_disabled("cyd", True)
            async with asyncio.timeout(20):
                assert (await cyd.until_closed())[0] == 4401
            assert not ben.is_saved
        await ben.until(lambda: ben.is_saved)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", 1007),
        (b"\x07\x01x", 1007),
        (messages.edits(b"no update"), 1009),
        (messages.asking(b"\xff\xff\xff"), 1009),
        (messages.presence(b"\x01\x01"), 1007),
        (messages.presence(b"\x01\x01\x01\x01x"), 1007),
        (presence_of(1, 1, {"line": float("nan")}), 1007),  # neither is JSON, or a number, in a browser
        (presence_of(1, 1, {"line": float("inf")}), 1007),
        (presence_of(2**53, 1, {}), 1007),
        (presence_of(1, 2**53, {}), 1007),
    ],
)
async def test_what_is_no_message_ends_the_part_of_who_sends_it(port: int, content: bytes, code: int) -> None:
    ada, ben = await both(port)
    ada.send(content)
    async with asyncio.timeout(20):
        assert (await ada.until_closed())[0] == code
    assert ben.present == {}
    await ben.write(0, "-- goes on\n")


async def test_a_text_that_is_too_long_and_too_many_messages_are_not_taken(
    port: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file_of(settings).read_text()
    ada, ben = await both(port)
    ada.type(0, "x" * MOST_CHARACTERS)
    ada.push()
    assert (await ada.until_closed())[0] == 1009
    eve = await LiveEditor().connect(port)
    eve.send(b"\x01" * (participant.MOST_MESSAGE_BYTES + 1))
    assert (await eve.until_closed())[0] in (1009, 0)  # 0: it was closed while the message was sent
    monkeypatch.setattr(participant, "MESSAGES", Allowance(at_once=5, seconds=1000))
    cyd = await LiveEditor().connect(port)
    for clock in range(10):
        cyd.send(presence_of(1, clock, {}))
    assert (await cyd.until_closed())[0] == 1008
    assert ben.text == file_of(settings).read_text() == before


async def test_who_is_there_is_told_with_the_name_that_they_are_signed_in_by(
    settings: Settings, workers: WorkerPool
) -> None:
    shown = people_of(settings)
    async with served(replace(settings, team=True), workers) as port:
        ada, ben = [await LiveEditor(headers=headers).connect(port) for headers in shown[:2]]
        ada.send(presence_of(7, 1, {"name": "somebody else", "colour": 3}))
        await ben.until(lambda: 7 in ben.present)
        assert ben.present[7] == {"name": "ada", "colour": 3}
        ben.send(presence_of(7, 9, {"name": "ben"}))
        ben.send(presence_of(8, 1, {"line": 1}))
        await ada.until(lambda: 8 in ada.present)
        assert (ada.present[7]["name"], ada.present[8]["name"]) == ("ada", "ben")
        ada.disconnect()
        await ben.until(lambda: ben.present[7] is None)


def test_the_number_of_somebody_who_is_away_is_taken_by_nobody_else() -> None:
    presence, ada, ben = Presence(), object(), object()

    def said(number: int, clock: int) -> bytes:
        return read_message(presence_of(number, clock, {})).content

    assert presence.take(ada, "ada", said(7, 1)) is not None
    presence.leave(ada)
    assert presence.take(ben, "ben", said(7, 2)) is None
    assert presence.take(object(), "ada", said(7, 3)) is not None
    assert presence.take(ben, "ben", said(8, 1)) is not None


def test_a_client_has_one_number_and_leaves_only_by_it() -> None:
    """Not by names that it claims for nobody, until those of others are forgotten."""
    presence, ada, cyd = Presence(), object(), object()

    def said(number: int, clock: int, state: dict[str, object] | None) -> bytes:
        return read_message(presence_of(number, clock, state)).content

    assert presence.take(ada, "ada", said(77, 1, {})) is not None
    for number in range(1_000, 11_500):
        assert presence.take(cyd, "cyd", said(number, 1, None)) is None
    assert presence.take(cyd, "cyd", said(77, 9, {})) is None
    assert presence.take(cyd, "cyd", said(78, 1, {})) is not None
    for client, number in ((cyd, 79), (ada, 78), (ada, 79)):
        assert presence.take(client, "cyd" if client is cyd else "ada", said(number, 2, {})) is None
    second_tab = object()
    assert presence.take(second_tab, "ada", said(80, 1, {})) is not None
    assert presence.take(second_tab, "ada", said(77, 5, {})) is None
    assert presence.take(second_tab, "ada", said(77, 6, None)) is None
    assert presence.take(ada, "ada", said(77, 2, {})) is not None
    assert presence.take(ada, "ada", said(77, 3, None)) is not None


def people_of(settings: Settings) -> list[dict[str, str]]:
    """What browsers send: Ada, who administers everything; Ben, a developer; Cyd, who looks on; Dan of elsewhere."""
    with closing(People(settings.data / PEOPLE_FILE)) as people:
        shown = []
        for name, role, place in (
            ("ada", "administrator", EVERYWHERE),
            ("ben", "developer", "scadr"),
            ("cyd", "viewer", "scadr"),
            ("dan", "administrator", "elsewhere"),
        ):
            people.accounts.add(name, None)
            people.accounts.set_role(name, place, role)
            secret = people.sessions.begin(people.accounts.id_of(name), None)
            shown.append({"cookie": f"piql-session={secret}"})
    return shown


async def test_a_socket_is_for_those_whom_http_would_let_do_the_same(settings: Settings, workers: WorkerPool) -> None:
    shown = people_of(settings)
    async with served(replace(settings, team=True), workers) as port:
        for headers, status, code in (
            ({}, 401, "login-needed"),
            (shown[3], 404, "unknown-application"),
            (shown[1] | {"origin": "https://evil.example"}, 403, None),
            (shown[1] | {"sec-fetch-site": "cross-site"}, 403, None),
        ):
            with pytest.raises(Refused) as refused:
                await LiveEditor(headers=headers).connect(port)
            assert (refused.value.status, refused.value.code) == (status, code)
        ben, cyd = [await LiveEditor(headers=headers).connect(port) for headers in shown[1:3]]
        await ben.write(0, "-- by ben\n")
        await cyd.until(lambda: cyd.text == ben.text)
        assert (ben.document["may_write"], cyd.document["may_write"]) == (True, False)
        cyd.type(0, "-- by cyd\n")
        cyd.push()
        assert (await cyd.until_closed())[0] == 4403
        assert file_of(settings).read_text() == ben.text
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=shown[1]) as client:
            assert (await client.delete("/api/session")).status_code == 204
        assert await ben.until_closed() == (4401, "Nobody is signed in.")
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=shown[0]) as client:
            noted: list[tuple[str, str, int]] = []
            while len(noted) < 2:  # a row is written after the answer
                record = (await client.get("/api/audit?operation=edit_together")).json()["items"]
                noted = [(row["person"], row["application"], row["status"]) for row in record]
        assert sorted(noted) == [("ben", "scadr", 200), ("cyd", "scadr", 403)]


async def test_a_disk_that_does_not_answer_is_said_and_keeps_nobody_in_who_may_no_longer_take_part(
    settings: Settings, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, answers, save_file = people_of(settings), threading.Event(), Applications.save_file

    def hang(*arguments: Any, **named: Any) -> Any:
        answers.wait(PATIENCE)
        return save_file(*arguments, **named)

    monkeypatch.setattr(session, "SECONDS_OF_DISK", 0.05)
    monkeypatch.setattr(Applications, "save_file", hang)
    async with served(replace(settings, team=True), workers) as port:
        ben, cyd = [await LiveEditor(headers=headers).connect(port) for headers in shown[1:3]]
        try:
            ben.type(0, "-- by ben\n")
            ben.push()
            await ben.until(lambda: ben.failure != "")
            assert (ben.failure, ben.is_saved) == (session._HANGS, False)
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=shown[2]) as client:
                assert (await client.delete("/api/session")).status_code == 204
            assert (await cyd.until_closed())[0] == 4401
        finally:
            answers.set()
        await ben.until(lambda: ben.is_saved)
        assert file_of(settings).read_text() == ben.text
