"""Requests that are wrong or too large are refused, all in one shape."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from piql_backend.web.errors import ErrorRead

from .conftest import DEVELOPMENT


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "invalid-json"),
        (b"\xff\xfe", 400, "invalid-json"),
        (b"[" * 100_000, 400, "invalid-json"),
        (b'{"files": ' + b"9" * 5000 + b"}", 400, "invalid-json"),
        (b"", 422, "invalid-request"),
        (b"null", 422, "invalid-request"),
        (b"{}", 422, "invalid-request"),
        (b'{"files": 3}', 422, "invalid-request"),
        (b'{"files": [{"path": "a.piql", "text": "\\ud800"}]}', 422, "invalid-request"),
        (b'{"files": [{"path": "a.piql", "text": "x"}, {"path": "a.piql", "text": "y"}]}', 422, "file-given-twice"),
        (b'{"files": [], "\\ud800": 1}', 422, "invalid-request"),
        (b'{"files": [], "extra": 1}', 422, "invalid-request"),
    ],
)
async def test_a_bad_body_is_refused_with_a_sentence(
    client: httpx.AsyncClient, body: bytes, status: int, code: str
) -> None:
    answer = await client.post("/api/compilations", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["message"]


async def test_a_body_beyond_the_limit_is_refused_before_it_is_read(client: httpx.AsyncClient) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(60):
            yield b" " * 100_000

    headers = {"content-type": "application/json"}
    declared = await client.post("/api/compilations", content=b" " * 5_000_001, headers=headers)
    streamed = await client.post("/api/compilations", content=endless(), headers=headers)
    assert declared.status_code == streamed.status_code == 413
    assert declared.json()["code"] == "body-too-large"


async def test_not_a_number_is_refused_where_a_number_is_asked(client: httpx.AsyncClient) -> None:
    for number in (b"NaN", b"Infinity", b"-Infinity", b"1e999"):
        body = b'{"threshold_ms": ' + number + b"}"
        headers = {"content-type": "application/json"}
        answer = await client.put(f"{DEVELOPMENT}/slos/thoughtstream", content=body, headers=headers)
        assert answer.status_code == 422, answer.text
    assert (await client.get(f"{DEVELOPMENT}/latency/live?window_seconds=nan")).status_code == 422


async def test_what_does_not_exist_is_said_in_the_same_shape(client: httpx.AsyncClient) -> None:
    for method, url, status in (
        ("GET", "/api/none", 404),
        ("PATCH", f"{DEVELOPMENT}/health", 405),
        ("GET", "/api", 404),
    ):
        answer = await client.request(method, url)
        assert answer.status_code == status
        assert set(answer.json()) == set(ErrorRead.model_fields)


async def test_a_wrong_method_is_405_and_says_which_fit(client: httpx.AsyncClient) -> None:
    for url in (
        "/api/compilations",
        f"{DEVELOPMENT}/deployments/rollback",
        "/api/language/hovers",
        f"{DEVELOPMENT}/heatmaps",
    ):
        answer = await client.get(url)
        assert answer.status_code == 405, url
        assert answer.headers["allow"] == "POST"
