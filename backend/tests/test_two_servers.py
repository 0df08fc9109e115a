"""Two servers of one team behind nginx, below a path of its own: either answers everything, and one may be killed."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
import pytest
from several_servers.running import PREFIX, Hosted, Server, hosted

from .conftest import PASSWORD
from .live_editor import LiveEditor, Refused

pytestmark = pytest.mark.long  # it starts five processes, and waits for takeovers

_PEOPLE = {"ada": "administrator", "ben": "developer", "eve": "viewer"}
_FILES = f"{PREFIX}/api/applications/scadr/files"


@pytest.fixture(scope="module")
def team() -> Iterator[Hosted]:
    with hosted(_PEOPLE, PASSWORD, environment={"SAMPLE_USERS": "30"}) as running:
        yield running


@contextmanager
def signed_in(server: str, name: str = "ada") -> Iterator[httpx.Client]:
    """Somebody who signs in at a server, or at the proxy."""
    with httpx.Client(base_url=server, timeout=60) as client:
        assert client.post("api/session", json={"name": name, "password": PASSWORD}).status_code == 201
        yield client


def jobs_of(server: Server) -> float:
    """How many texts the workers of a server have taken."""
    with signed_in(server.url) as client:
        text = client.get("metrics").text
    return float(next(line for line in text.splitlines() if line.startswith("piql_worker_jobs_total ")).split()[1])


def test_who_signs_in_at_one_server_is_known_to_the_other_and_both_show_the_same(team: Hosted) -> None:
    with signed_in(team.writer.url) as at_writer, httpx.Client(base_url=team.follower.url) as at_follower:
        assert at_follower.get("api/applications/scadr").status_code == 401
        at_follower.cookies = at_writer.cookies
        first, second = (client.get("api/applications/scadr") for client in (at_writer, at_follower))
        assert (first.status_code, first.json()) == (200, second.json())
        assert first.headers["etag"] == second.headers["etag"]
        made = at_follower.post("api/applications/scadr/files", json={"path": "a.piql", "text": "-- here"})
        assert made.status_code == 201
        assert "a.piql" in at_writer.get("api/applications/scadr").text
        entries = at_writer.get("api/audit?operation=create_file").json()["items"]
        assert [(entry["person"], entry["address"]) for entry in entries] == [("ada", "127.0.0.1")]
        assert at_writer.delete("api/session").status_code == 204
        assert at_follower.get("api/applications/scadr").status_code == 401


def test_texts_are_compiled_by_the_server_that_is_asked(team: Hosted) -> None:
    with signed_in(team.follower.url) as client:
        before = jobs_of(team.follower)
        request = {"files": [{"path": "a.piql", "text": "CREATE TABLE t (a INT PRIMARY KEY);"}], "stages_of": None}
        assert client.post("api/compilations", json=request).status_code == 200
        assert jobs_of(team.follower) == before + 1
    with httpx.Client(base_url=team.follower.url) as nobody:
        assert nobody.post("api/compilations", json=request).status_code == 401


def test_what_a_role_may_not_is_refused_whichever_server_is_asked(team: Hosted) -> None:
    for server in team.servers:
        with signed_in(server.url, "eve") as viewer:
            assert viewer.post("api/applications/scadr/files", json={"path": "b.piql", "text": ""}).status_code == 403
            foreign = {"origin": "https://elsewhere.example"}
            assert viewer.post("api/compilations", json={}, headers=foreign).json()["code"] == "foreign-origin"
            assert viewer.delete("api/session", headers=foreign).json()["code"] == "foreign-origin"


async def test_two_people_edit_one_file_at_two_servers(team: Hosted) -> None:
    with signed_in(team.url) as somebody:
        headers = {"cookie": f"piql-session={somebody.cookies['piql-session']}"}
    editors = [LiveEditor(headers=headers, root=PREFIX) for _ in team.servers]
    for editor, server in zip(editors, team.servers, strict=True):
        await editor.connect(server.port)
    await editors[0].write(0, "-- one\n")
    await editors[1].until(lambda: "-- one" in editors[1].text)
    await editors[1].write(0, "-- two\n")
    await editors[0].until(lambda: "-- two" in editors[0].text)
    stranger = LiveEditor(root=PREFIX)
    with pytest.raises(Refused) as refused:
        await stranger.connect(team.follower.port)
    assert (refused.value.status, refused.value.code) == (401, "login-needed")
    for editor in editors:
        editor.disconnect()


def test_the_page_and_all_that_it_loads_are_below_the_path(team: Hosted) -> None:
    with httpx.Client(base_url=team.url) as client:
        page = client.get("applications/scadr").text
        addresses = [word.split('"')[0] for word in page.split('="')[1:] if word.startswith("/")]
        assert addresses
        for address in addresses:
            assert address.startswith(f"{PREFIX}/")
            assert client.get(f"{team.url.removesuffix(PREFIX)}{address}").status_code == 200


@dataclass
class Saves:
    """Somebody who saves one file over and over, as a page does: what is not answered is looked at, and sent again."""

    url: str
    cookie: str
    path: str
    acknowledged: list[int] = field(default_factory=list)
    longest_wait_seconds: float = 0.0

    async def go_on(self, until: asyncio.Event) -> None:
        headers = {"cookie": f"piql-session={self.cookie}"}
        async with httpx.AsyncClient(base_url=self.url, headers=headers, timeout=60) as client:
            while not until.is_set():
                began = time.monotonic()
                await self._save(client)
                self.longest_wait_seconds = max(self.longest_wait_seconds, time.monotonic() - began)
                await asyncio.sleep(0.02)

    async def _save(self, client: httpx.AsyncClient) -> None:
        number = len(self.acknowledged) + 1
        while True:
            try:
                files = (await client.get("api/applications/scadr")).json()["files"]
                kept = next((file for file in files if file["path"] == self.path), None)
                if kept is not None and kept["text"] == f"-- {number}":
                    break  # it was carried out, and its answer was lost
                if self.acknowledged:  # nothing that was acknowledged is gone
                    assert kept is not None
                    assert kept["text"] == f"-- {number - 1}"
                text = {"text": f"-- {number}"}
                answer = await (
                    client.post("api/applications/scadr/files", json=text | {"path": self.path})
                    if kept is None
                    else client.put(
                        f"api/applications/scadr/files/{self.path}", json=text | {"base_revision": kept["revision"]}
                    )
                )
                if answer.status_code in (200, 201):
                    break
                assert answer.status_code in (502, 504), answer.text
            except (httpx.TransportError, ValueError, KeyError):
                await asyncio.sleep(0.05)
        self.acknowledged.append(number)


def test_a_writer_that_stands_still_is_said_to_and_a_save_is_sent_again_once_it_goes_on(team: Hosted) -> None:
    writer = team.writer.process
    assert writer is not None
    with signed_in(team.follower.url) as client:
        file = client.get("api/applications/scadr").json()["files"][0]
        address = f"api/applications/scadr/files/{file['path']}"
        body = {"text": f"{file['text']}-- typed\n", "base_revision": file["revision"]}
        writer.send_signal(signal.SIGSTOP)
        try:
            answers = [client.get("api/applications/scadr"), client.put(address, json=body)]
        finally:
            writer.send_signal(signal.SIGCONT)
        assert [answer.status_code for answer in answers] == [503, 503]
        assert "look whether this was carried out" in answers[1].text
        assert client.put(address, json=body).json()["text"] == body["text"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_the_writer_ends_while_people_save_and_nothing_that_was_acknowledged_is_lost(
    team: Hosted, how: signal.Signals
) -> None:
    with signed_in(team.url) as somebody:
        cookie = somebody.cookies["piql-session"]
    started = time.monotonic()
    savers = [Saves(f"{team.url}/", cookie, f"saved/{how.name}-{started:.0f}-{number}.piql") for number in range(4)]
    over = asyncio.Event()
    saving = [asyncio.ensure_future(saver.go_on(over)) for saver in savers]
    await asyncio.sleep(2)
    first, second = team.writer, team.follower
    before = [len(saver.acknowledged) for saver in savers]
    await asyncio.to_thread(first.end, how)
    await asyncio.to_thread(team.wait_for_writer, second)
    await asyncio.sleep(3)
    over.set()
    await asyncio.gather(*saving)
    assert all(len(saver.acknowledged) > count > 0 for saver, count in zip(savers, before, strict=True))
    with signed_in(second.url) as client:
        texts = {file["path"]: file["text"] for file in client.get("api/applications/scadr").json()["files"]}
    assert [texts[saver.path] for saver in savers] == [f"-- {len(saver.acknowledged)}" for saver in savers]
    await asyncio.to_thread(first.start)
    with signed_in(first.url) as client:
        assert client.get("api/applications/scadr").status_code == 200
    assert team.writer is second


def test_a_server_with_another_data_folder_is_refused(team: Hosted) -> None:
    other = Server(0, team.folder / "other", team.servers[0].environment, team.folder / "other.log")
    with pytest.raises(RuntimeError, match="belong to another data folder"):
        other.start()
