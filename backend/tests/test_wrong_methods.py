"""Every path of the API document refuses the methods that the document does not list there, and says which it has."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import httpx
import pytest
from piql_backend.app import create_app

from .conftest import DEVELOPMENT

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY")


@pytest.fixture
async def unopened() -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application that has not been started: a method is refused before anything is needed."""
    transport = httpx.ASGITransport(app=create_app())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_each_path_answers_405_to_each_method_that_the_document_does_not_list(
    unopened: httpx.AsyncClient,
) -> None:
    paths = (await unopened.get("/api/openapi.json")).json()["paths"]
    seen: dict[str, tuple[int, str | None]] = {}
    expected: dict[str, tuple[int, str | None]] = {}
    for path, operations in paths.items():
        listed = {method.upper() for method in operations}
        for method in METHODS:
            if method in listed:
                continue
            answer = await unopened.request(method, re.sub(r"\{\w+\}", "1", path))
            seen[f"{method} {path}"] = (answer.status_code, answer.headers.get("allow"))
            expected[f"{method} {path}"] = (405, ", ".join(sorted(listed)))
    assert len(paths) > 100
    assert seen == expected


@pytest.mark.parametrize(
    ("method", "path", "fitting"),
    [
        ("GET", "/api/application-imports/archives", "POST"),
        ("GET", f"{DEVELOPMENT}/deployments/preview", "POST"),
        ("DELETE", f"{DEVELOPMENT}/slos/openslo", "GET, POST"),
    ],
)
async def test_a_word_of_the_api_is_not_taken_for_an_id(
    unopened: httpx.AsyncClient, method: str, path: str, fitting: str
) -> None:
    answer = await unopened.request(method, path)
    assert (answer.status_code, answer.json()["code"]) == (405, "method-not-allowed")
    assert answer.json()["message"] == f"{method} does not fit {path}, which takes {fitting}."


async def test_a_query_that_is_named_like_a_path_takes_its_slo_by_a_document(client: httpx.AsyncClient) -> None:
    text = "CREATE QUERY openslo AS SELECT username FROM users WHERE username = [me];\n"
    files = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["files"]
    body = {"base_version": 1, "files": [*files, {"path": "queries/openslo.piql", "text": text}]}
    deployed = await client.post(f"{DEVELOPMENT}/deployments", json=body)
    assert deployed.status_code == 201, deployed.text
    slo = {"quantile": 0.99, "threshold_ms": 5, "interval_seconds": 60}
    assert (await client.put(f"{DEVELOPMENT}/slos/openslo", json=slo)).status_code == 405
    await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo)
    document = (await client.get(f"{DEVELOPMENT}/slos/openslo")).text.replace("query: findUser", "query: openslo")
    taken = await client.post(f"{DEVELOPMENT}/slos/openslo", json={"text": document})
    assert [item["query"] for item in taken.json()] == ["openslo"], taken.text
