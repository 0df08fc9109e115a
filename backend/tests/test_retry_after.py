"""Whatever is refused for now says when to ask again."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from piql_backend.app import create_app
from piql_backend.settings import Settings
from piql_backend.web import connection_limit
from piql_backend.web.connection_limit import ConnectionLimit
from piql_backend.workers import pool
from starlette.responses import PlainTextResponse

from .conftest import DEVELOPMENT, settings_for

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]


def test_the_document_declares_the_header_of_every_answer_that_is_for_now() -> None:
    declared = [
        response.get("headers", {}).get("Retry-After", {}).get("required", False)
        for operations in create_app().openapi()["paths"].values()
        for operation in operations.values()
        for status, response in operation["responses"].items()
        if status in ("429", "503")
    ]
    assert len(declared) > 100
    assert all(declared)


async def test_every_answer_without_a_store_says_when_to_ask_again(tmp_path: Path, running: Running) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        closed = f"cql://127.0.0.1:{nobody.getsockname()[1]}/piql"
    settings = replace(settings_for(tmp_path / "data"), store=closed)
    async with running(settings) as client:
        for method, url in (
            ("GET", f"{DEVELOPMENT}/health"),
            ("GET", f"{DEVELOPMENT}/deployments/rollback/preview"),
            ("POST", f"{DEVELOPMENT}/sample/attempts"),
            ("GET", "/"),
        ):
            answer = await client.request(method, url)
            assert answer.status_code == 503, (url, answer.text)
            assert int(answer.headers["retry-after"]) >= 1, url


async def test_a_pool_that_is_busy_says_when_to_ask_again(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "MOST_WAITING_BYTES", 10)
    body = {"files": [{"path": "a.piql", "text": "-- " + "x" * 100}]}
    answer = await client.post("/api/compilations", json=body)
    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    assert answer.headers["retry-after"] == "1"


async def test_too_many_connections_are_refused_like_everything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limit, "MOST_CONNECTIONS", 3)
    for count, status in ((3, 200), (4, 503)):
        application = ConnectionLimit(PlainTextResponse("done"), lambda count=count: count)  # type: ignore[misc]
        async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://a") as client:
            answer = await client.get("/")
        assert answer.status_code == status
    assert answer.json()["code"] == "too-many-connections"
    assert answer.headers["retry-after"] == "1"
