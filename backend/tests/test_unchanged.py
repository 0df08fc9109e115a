"""Who has an answer already is not sent it again: every JSON answer to GET has a tag that stands for its bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from piql_backend.web.unchanged import Unchanged
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .conftest import DEVELOPMENT

POLLED = (
    "/api/applications/scadr",
    "/api/applications",
    f"{DEVELOPMENT}/deployments",
    f"{DEVELOPMENT}/profile-runs",
    f"{DEVELOPMENT}/slos",
)


@pytest.mark.parametrize("path", POLLED)
async def test_an_idle_page_is_sent_what_it_asks_again_once(client: httpx.AsyncClient, path: str) -> None:
    first = await client.get(path)
    again = await client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, first.headers["cache-control"]) == (200, "private, no-cache")
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert "content-length" not in again.headers
    assert again.headers["x-content-type-options"] == "nosniff"


async def test_a_saved_file_is_sent_to_who_has_the_texts_before(client: httpx.AsyncClient) -> None:
    before = await client.get("/api/applications/scadr")
    file = before.json()["files"][0]
    save = {"text": file["text"] + "\n-- more\n", "base_revision": file["revision"]}
    assert (await client.put(f"/api/applications/scadr/files/{file['path']}", json=save)).status_code == 200
    after = await client.get("/api/applications/scadr", headers={"If-None-Match": before.headers["etag"]})
    assert (after.status_code, after.json()["files"][0]["text"]) == (200, save["text"])
    assert after.headers["etag"] != before.headers["etag"]


async def test_refusals_and_what_is_posted_have_no_tag(client: httpx.AsyncClient, files: list[dict[str, str]]) -> None:
    missing = await client.get("/api/applications/none", headers={"If-None-Match": "*"})
    assert (missing.status_code, "etag" in missing.headers) == (404, False)
    compiled = await client.post("/api/compilations", json={"files": files})
    assert (compiled.status_code, "etag" in compiled.headers) == (200, False)


async def pieces() -> AsyncIterator[bytes]:
    yield b"[1,"
    yield b"2]"


def small_application() -> Unchanged:
    async def stream(_: object) -> Response:
        return StreamingResponse(pieces(), media_type="application/json")

    async def secret(_: object) -> Response:
        return JSONResponse([1, 2], headers={"Cache-Control": "no-store"})

    async def plain(_: object) -> Response:
        return JSONResponse([1, 2])

    return Unchanged(Starlette(routes=[Route("/stream", stream), Route("/secret", secret), Route("/plain", plain)]))


@pytest.mark.parametrize("path", ["/stream", "/secret"])
async def test_a_stream_and_what_may_not_be_kept_pass_as_they_are(path: str) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(small_application()), base_url="http://here") as client:
        answer = await client.get(path)
    assert (answer.status_code, answer.json(), "etag" in answer.headers) == (200, [1, 2], False)


@pytest.mark.parametrize(("known", "status"), [("{}", 304), ("W/{}", 304), ('"other", {}', 304), ('"other"', 200)])
async def test_a_tag_is_found_among_several_also_as_a_weak_one(known: str, status: int) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(small_application()), base_url="http://here") as client:
        tag = (await client.get("/plain")).headers["etag"]
        answer = await client.get("/plain", headers={"If-None-Match": known.replace("{}", tag)})
    assert answer.status_code == status
