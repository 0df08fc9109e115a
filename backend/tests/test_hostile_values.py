"""What a query is given by HTTP is stored and given back as it came, or refused: never interpreted, never a fault."""

from __future__ import annotations

import json
from urllib.parse import quote

import httpx
import pytest

from .conftest import DEVELOPMENT

SCHEMA = """
CREATE TABLE "no""tes; --" ("i'd" BIGINT PRIMARY KEY, "te""xt" TEXT NULL);
CREATE QUERY "put;" AS INSERT INTO "no""tes; --" ("i'd", "te""xt") VALUES ([id], [text]);
CREATE QUERY "find ""it?#" AS
SELECT "i'd", "te""xt" FROM "no""tes; --" WHERE "te""xt" = [text] ORDER BY "i'd" PAGINATE 1;
"""
TEXTS = [
    "'; DROP TABLE settings; --",
    '"',
    "\0",
    "a\0b",
    "{p}",
    "%s",
    "<script>",
    "\U0010ffff",
    "\u202e",
    "x" * 1_000_000,
]


@pytest.fixture
async def notes(client: httpx.AsyncClient) -> httpx.AsyncClient:
    body = {
        "files": [{"path": "notes.piql", "text": SCHEMA}],
        "run_id": None,
        "base_version": 1,
    }
    deployed = await client.post(f"{DEVELOPMENT}/deployments", json=body)
    assert deployed.status_code in (200, 201, 202), deployed.text
    return client


async def execute(
    client: httpx.AsyncClient, query: str, parameters: dict[str, object], cursor: object = None
) -> httpx.Response:
    """Send what JSON can say, halves of characters and numbers without end, too."""
    url = f"{DEVELOPMENT}/deployments/live/queries/{quote(query)}/executions"
    body = json.dumps({"parameters": parameters, "cursor": cursor})
    return await client.post(url, content=body.encode(), headers={"content-type": "application/json"})


async def test_hostile_texts_come_back_as_they_were_sent(notes: httpx.AsyncClient) -> None:
    for number, text in enumerate(TEXTS):
        put = await execute(notes, "put;", {"id": number, "text": text})
        assert put.status_code == 200, put.text[:300]
        found = await execute(notes, 'find "it?#', {"text": text})
        assert found.status_code == 200, found.text[:300]
        assert found.json()["rows"] == [[number, text]]


async def test_what_is_no_value_is_refused(notes: httpx.AsyncClient) -> None:
    for parameters in (
        {"id": 1, "text": "\ud800"},
        {"id": 2**63, "text": "x"},
        {"id": "9" * 5000, "text": "x"},
        {"id": 1e400, "text": "x"},
        {"id": 1, "text": {"$base64": "x"}},
        {"id": 1, "text": ["x"] * 10_000},
        {"id": 1, "text": "x", "'; --": 1},
        {"id": 1, "text": "x", "\ud800": 1},
        {"id": None, "text": "x"},
    ):
        answer = await execute(notes, "put;", parameters)
        assert answer.status_code in (400, 422), (parameters, answer.status_code, answer.text[:200])
        assert answer.json()["code"] in ("invalid-parameter", "invalid-request", "invalid-json", "constraint-violation")


async def test_a_body_of_ten_megabytes_is_too_large(notes: httpx.AsyncClient) -> None:
    answer = await execute(notes, "put;", {"id": 1, "text": "x" * 10_000_000})
    assert (answer.status_code, answer.json()["code"]) == (413, "body-too-large")


async def test_a_cursor_that_was_tampered_with_is_refused(client: httpx.AsyncClient) -> None:
    answer = await execute(client, "thoughtstream", {"me": "user000001", "count": 5}, "A" * 100)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-cursor")
    for cursor in ("\ud800", "A" * 20_001, 5, ["x"], "\0", "é" * 100):
        answer = await execute(client, "thoughtstream", {"me": "user000001", "count": 5}, cursor)
        assert answer.status_code == 422, answer.text[:300]


@pytest.mark.parametrize("unseen", ["\0", "\n", "\x9b", "\u200f", "\u202e", "\u2066", "\u2028", "\ufeff"])
async def test_a_name_for_people_has_no_character_that_is_not_seen(client: httpx.AsyncClient, unseen: str) -> None:
    name = f"ab{unseen}cd"
    for method, url, body in (
        ("POST", "/api/applications", {"title": name}),
        ("PATCH", "/api/applications/scadr", {"title": name}),
        ("POST", "/api/applications/scadr/duplicates", {"title": name}),
        ("PATCH", DEVELOPMENT, {"title": name}),
    ):
        answer = await client.request(method, url, json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid-request"), answer.text
        assert f"leave out U+{ord(unseen):04X}" in answer.json()["message"], answer.text


async def test_a_name_for_people_may_be_of_any_script(client: httpx.AsyncClient) -> None:
    for title in ("\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627 2", "👩‍👩‍👧", "ß – 東京"):
        answer = await client.patch("/api/applications/scadr", json={"title": title})
        assert (answer.status_code, answer.json()["title"]) == (200, title)
