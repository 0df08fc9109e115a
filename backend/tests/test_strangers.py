"""Somebody else's page, name or machine: what reaches the workbench, and what does not."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import httpx
import pytest
from piql_backend.app import create_app
from piql_backend.settings import Settings
from piql_backend.web.same_origin import SAFE_METHODS, SameOrigin
from piql_backend.web.security_headers import SECURITY_HEADERS
from starlette.types import Message, Receive, Scope, Send

from .conftest import DEVELOPMENT

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]

FOREIGN: list[dict[str, str]] = [
    {"origin": "https://evil.example"},
    {"origin": "http://127.0.0.1:9999"},  # another program of this machine
    {"origin": "null"},
    {"origin": "http://[evil"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1"},
]
OWN: list[dict[str, str]] = [
    {},
    {"origin": "http://127.0.0.1"},
    {"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1"},
    {"sec-fetch-site": "same-origin", "origin": "http://localhost:5173"},  # through the proxy of `npm run dev`
]


def unsafe_operations() -> Iterator[tuple[str, str]]:
    for path, operations in create_app().openapi()["paths"].items():
        for method in operations:
            if method.upper() not in SAFE_METHODS:
                yield method.upper(), re.sub(r"\{\w+\}", "none", path)


async def test_a_foreign_page_changes_nothing_by_any_unsafe_operation(client: httpx.AsyncClient) -> None:
    asked = 0
    for method, url in unsafe_operations():
        for headers in FOREIGN:
            answer = await client.request(method, url, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "foreign-origin"), (method, url, headers)
            asked += 1
    assert asked > 30 * len(FOREIGN)
    assert [item["id"] for item in (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]] == ["d1"]


@pytest.mark.parametrize("headers", OWN)
async def test_the_own_page_and_programs_are_let_through(client: httpx.AsyncClient, headers: dict[str, str]) -> None:
    for method, url in unsafe_operations():
        answer = await client.request(method, url, headers=headers)
        assert answer.status_code not in (403, 415), (method, url, answer.text)


async def test_a_body_in_the_form_of_a_form_is_refused(client: httpx.AsyncClient) -> None:
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = await client.post("/api/compilations", content=b'{"files": []}', headers={"content-type": media_type})
        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported-media-type"), media_type


@pytest.mark.parametrize(
    ("headers", "reaches"), [*((header, False) for header in FOREIGN), *((header, True) for header in OWN)]
)
async def test_a_websocket_is_held_to_the_same(headers: dict[str, str], reaches: bool) -> None:
    sent: list[Message] = []
    reached = False

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal reached
        reached = True

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    sent_headers = {"host": "127.0.0.1", **headers}
    raw = [(name.encode(), value.encode()) for name, value in sent_headers.items()]
    await SameOrigin(application)({"type": "websocket", "headers": raw}, receive, send)
    assert reached is reaches
    assert sent == ([] if reaches else [{"type": "websocket.close", "code": 1008}])


HOSTS = {
    "evil.example": 400,
    "127.0.0.1.evil.example": 400,
    "localhost.evil.example": 400,
    "": 400,
    "[::1": 200,
    "[::1]:8400": 200,
    "[::1].evil.example": 400,
    "127.0.0.1:8410": 200,
    "10.0.0.7": 200,
    "localhost:8410": 200,
    "localhost:8410@evil.example": 400,
    "[::1]:8410@evil.example": 400,
    "LOCALHOST.": 200,
}


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
async def test_another_name_is_refused_at_any_address(settings: Settings, running: Running, address: str) -> None:
    named = replace(settings, host=address, allowed_hosts=("piql.example",))
    async with running(named) as client:
        for host, status in {**HOSTS, "piql.example": 200, "PIQL.example:8400": 200}.items():
            answer = await client.get("/api/applications", headers={"host": host})
            assert answer.status_code == status, host


async def test_every_answer_says_what_a_browser_may_do_with_it(client: httpx.AsyncClient) -> None:
    asked = [
        ("GET", f"{DEVELOPMENT}/health", {}),
        ("GET", "/api/none", {}),
        ("GET", "/assets/none.js", {}),
        ("GET", "/", {}),
        ("POST", "/api/compilations", {}),
        ("POST", "/api/compilations", {"origin": "https://evil.example"}),
        ("GET", f"{DEVELOPMENT}/health", {"host": "evil.example"}),
        ("POST", "/api/compilations", {"content-length": "9999999", "content-type": "application/json"}),
    ]
    statuses = set()
    for method, url, headers in asked:
        answer = await client.request(method, url, headers=headers)
        statuses.add(answer.status_code)
        assert {name: answer.headers.get(name) for name in SECURITY_HEADERS} == SECURITY_HEADERS, (method, url)
    assert statuses == {200, 400, 403, 404, 413, 422, 503}


async def test_a_fault_of_the_backend_has_the_headers_too(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr("piql_backend.applications.repository.Applications.page", fails)
    answer = await client.get("/api/applications")
    assert answer.status_code == 500
    assert {name: answer.headers.get(name) for name in SECURITY_HEADERS} == SECURITY_HEADERS


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "10.0.0.7", "piql.example"])
def test_an_address_open_to_others_takes_a_word(address: str) -> None:
    command = [sys.executable, "-m", "piql_backend", "--host", address]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert f"--host {address} is open to other machines: the workbench asks" in ended.stderr


def test_insecure_says_aloud_what_it_means() -> None:
    command = [sys.executable, "-m", "piql_backend", "--host", "192.0.2.1", "--insecure"]  # no address of any machine
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("piql serve: --insecure: the workbench asks for no name or password")
    assert "cannot be used" in ended.stderr
