"""A proxy in front of the workbench says who asks: it is believed from the listed addresses, and from nowhere else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI
from piql_backend.app import create_app
from piql_backend.commands.serve import serve
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people.service import People
from piql_backend.settings import Settings
from piql_backend.web.trusted_proxies import TrustedProxies
from piql_backend.web.visitor import EVERYWHERE
from piql_backend.workbench import Workbench
from piql_backend.workers.pool import WorkerPool
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from .conftest import LOGIN, PASSWORD

HEADER = "X-Remote-User"
PROXY = "10.0.0.5"
STRANGER = "203.0.113.9"


class Door:
    """The workbench, asked from any address."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def from_(self, address: str, **headers: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self._app, raise_app_exceptions=False, client=(address, 4000))
        return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=30)

    async def name(self, address: str, *named: str, **headers: str) -> str | int | None:
        """Who is signed in for somebody at an address who sends these names; the status where it is refused."""
        sent = [*headers.items(), *((HEADER, name) for name in named)]
        async with self.from_(address) as client:
            answer = await client.get("/api/session", headers=sent)
        if answer.status_code != 200:
            return answer.status_code
        person = answer.json()["person"]
        return None if person is None else str(person["name"])


@pytest.fixture
async def door(settings: Settings, workers: WorkerPool) -> AsyncIterator[Door]:
    """A workbench behind a proxy, that Ada administers."""
    with closing(People(settings.data / PEOPLE_FILE)) as people:
        people.accounts.add("ada", PASSWORD)
        people.accounts.set_role("ada", EVERYWHERE, "administrator")
    chosen = replace(settings, team=True, trusted_proxies=("10.0.0.0/24", "::1"), trust_proxy_user=HEADER)
    app = create_app(chosen, Workbench(chosen, workers))
    async with app.router.lifespan_context(app):
        yield Door(app)


async def test_the_proxy_says_who_asks_and_nobody_else_does(door: Door) -> None:
    assert await door.name(PROXY, "Ada") == "ada"
    assert await door.name("::ffff:10.0.0.5", "ada") == "ada"
    assert await door.name(PROXY) is None
    assert await door.name(PROXY, "") is None
    for address in (STRANGER, "127.0.0.1", "10.0.1.5", "::ffff:10.0.1.5", ""):
        assert await door.name(address, "ada") == 403
        assert await door.name(address, "") == 403
        assert await door.name(address) is None


async def test_a_header_that_a_client_adds_is_not_believed(door: Door) -> None:
    assert await door.name(PROXY, "eve", "ada") == 400
    assert await door.name(PROXY, "ada", "ada") == 400
    assert await door.name(STRANGER, "ada", **{"X-Forwarded-For": PROXY}) == 403
    assert await door.name(STRANGER, "ada", **{"X-Forwarded-For": f"{PROXY}, {PROXY}"}) == 403
    for name in ("ada, eve", "ada eve", "../ada", "a" * 61, "\xe4da", "ada\u00a0"):
        async with door.from_(PROXY) as client:
            answer = await client.get("/api/health", headers=[(HEADER.encode(), name.encode("latin-1"))])
        assert (answer.status_code, answer.json()["code"]) == (403, "name-refused"), name


async def test_somebody_new_sees_nothing_until_they_have_a_role_and_nobody_who_is_shut_out_comes_in(
    door: Door, settings: Settings
) -> None:
    async with door.from_(PROXY, **{HEADER: "ben@example.org"}) as client:
        person = (await client.get("/api/session")).json()["person"]
        assert person == {"name": "ben@example.org", "roles": [], "known_by": "proxy"}
        assert (await client.get("/api/applications")).json()["items"] == []
        assert (await client.get("/api/applications/scadr")).status_code == 404
        password = {"password": "", "new_password": "a long new secret"}
        for answer in (
            await client.delete("/api/session"),
            await client.delete("/api/sessions"),
            await client.put("/api/session/password", json=password),
        ):
            assert (answer.status_code, answer.json()["code"]) == (409, "signed-in-by-proxy")
        token = (await client.post("/api/tokens", json={"title": "ci", "role": "viewer"})).json()["secret"]
        with closing(People(settings.data / PEOPLE_FILE)) as people:
            people.accounts.set_role("ben@example.org", "scadr", "viewer")
            assert (await client.get("/api/applications/scadr")).status_code == 200
            people.accounts.set_disabled("ben@example.org", True)
        assert (await client.get("/api/applications/scadr")).status_code == 401
        assert (await client.post("/api/tokens", json={"title": "ci", "role": "viewer"})).status_code == 401
    async with door.from_(STRANGER, authorization=f"Bearer {token}") as client:
        assert (await client.get("/api/applications/scadr")).status_code == 401
        for guess in ("", "nobody has this password", " " * 12):
            attempt = {"name": "ben@example.org", "password": guess}
            assert (await client.post("/api/session", json=attempt)).status_code == 401


async def test_the_proxy_decides_over_a_cookie_and_a_token_of_the_workbench_over_the_proxy(door: Door) -> None:
    async with door.from_(STRANGER) as client:
        assert (await client.post("/api/session", json=LOGIN)).status_code == 201
        cookie = f"piql-session={client.cookies['piql-session']}"
        secret = (await client.post("/api/tokens", json={"title": "ci", "role": "viewer"})).json()["secret"]
    assert await door.name(STRANGER, cookie=cookie) == "ada"
    assert await door.name(PROXY, "ben", cookie=cookie) == "ben"
    assert await door.name(PROXY, "ben", authorization="Bearer of-the-proxy") == "ben"
    assert await door.name(PROXY, "ben", authorization=f"Bearer {secret}") == "ada"
    assert await door.name(PROXY, "ben", authorization="Bearer piql_guessed") is None


async def test_the_record_says_that_a_proxy_named_them_and_where_they_are(door: Door) -> None:
    headers = {HEADER: "ada", "X-Forwarded-For": "198.51.100.7", "X-Forwarded-Proto": "https"}
    async with door.from_(PROXY, **headers) as client:
        file = {"path": "new.piql", "text": ""}
        assert (await client.post("/api/applications/scadr/files", json=file)).status_code == 201
        entry = (await client.get("/api/audit?operation=create_file")).json()["items"][0]
    assert (entry["person"], entry["by"], entry["address"]) == ("ada", "proxy", "198.51.100.7")
    async with door.from_(PROXY, **headers, origin="https://evil.example") as client:
        assert (await client.post("/api/applications/scadr/files", json=file)).status_code == 403


@pytest.mark.parametrize(
    ("listed", "peer", "client"),
    [
        ((), "127.0.0.1", "198.51.100.7"),
        ((), "::1", "198.51.100.7"),
        ((), PROXY, PROXY),
        ((PROXY,), PROXY, "198.51.100.7"),
        ((PROXY,), "127.0.0.1", "127.0.0.1"),
    ],
)
async def test_where_a_request_comes_from_is_believed_from_this_machine_or_else_from_the_listed(
    listed: tuple[str, ...], peer: str, client: str
) -> None:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(f"{scope['scheme']} {scope['client'][0]}")(scope, receive, send)

    transport = httpx.ASGITransport(TrustedProxies(answer, listed), client=(peer, 4000))
    headers = {"X-Forwarded-For": "203.0.113.1, 198.51.100.7", "X-Forwarded-Proto": "https"}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as asking:
        expected = "http" if client == peer else "https"
        assert (await asking.get("/", headers=headers)).text == f"{expected} {client}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--trust-proxy-user", HEADER, "--trusted-proxy", PROXY], "add --team"),
        (["--team", "--trust-proxy-user", HEADER], "add --trusted-proxy ADDRESS"),
        (["--team", "--trust-proxy-user", "Cookie", "--trusted-proxy", PROXY], "no header that names a person"),
        (["--team", "--trust-proxy-user", "X User", "--trusted-proxy", PROXY], "no header that names a person"),
        (["--trusted-proxy", "*"], "no address and no network"),
        (["--trusted-proxy", "proxy.example"], "no address and no network"),
    ],
)
def test_a_proxy_that_could_be_anybody_is_refused_at_the_start(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        serve(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
