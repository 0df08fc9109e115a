"""Saved sets of parameters: kept with the application, whatever becomes of the query that they were made for."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from piql_backend.data_folder.layout import applications_folder
from piql_backend.parameter_sets import repository
from piql_backend.settings import Settings

from .archives import made, packed, uploaded

SETS = "/api/applications/scadr/parameter-sets"
PARAMETERS = {
    "me": "ada",
    "count": 10,
    "share": 1.0,
    "big": "9007199254740993",
    "isNew": True,
    "none": None,
    "towns": ["Oslo", "Rome"],
    "picture": {"$base64": "AAEC"},
}


async def saved(client: httpx.AsyncClient, name: str = "usual", query: str = "thoughtstream", **body: Any) -> Any:
    answer = await client.post(SETS, json={"query": query, "name": name, "parameters": PARAMETERS, **body})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def listed(client: httpx.AsyncClient, application: str = "scadr") -> Any:
    answer = await client.get(f"/api/applications/{application}/parameter-sets")
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


async def test_a_set_comes_back_with_each_value_as_it_was(client: httpx.AsyncClient, settings: Settings) -> None:
    first = await saved(client)
    assert [*await listed(client)] == [first]
    assert first["parameters"] == PARAMETERS
    assert [type(value) for value in first["parameters"].values()] == [type(value) for value in PARAMETERS.values()]
    file = applications_folder(settings.data) / "scadr" / "parameter-sets.json"
    assert json.loads(file.read_text())["sets"][0]["parameters"] == PARAMETERS
    assert file.stat().st_mode & 0o777 == 0o600


async def test_sets_are_listed_by_query_and_name_a_page_at_a_time(client: httpx.AsyncClient) -> None:
    for query, name in (("b", "z"), ("b", "a"), ("a", "m")):
        await saved(client, name, query)
    page = (await client.get(SETS, params={"limit": 2})).json()
    rest = (await client.get(SETS, params={"limit": 2, "cursor": page["next"]})).json()
    names = [(kept["query"], kept["name"]) for kept in (*page["items"], *rest["items"])]
    assert names == [("a", "m"), ("b", "a"), ("b", "z")]
    assert rest["next"] is None


async def test_a_name_is_taken_once_for_each_query(client: httpx.AsyncClient) -> None:
    await saved(client, "usual")
    await saved(client, "usual", query="findUser")
    answer = await client.post(SETS, json={"query": "findUser", "name": "USUAL", "parameters": {}})
    assert (answer.status_code, answer.json()["code"]) == (409, "parameter-set-exists")


async def test_a_change_is_refused_where_somebody_else_has_changed_the_set(client: httpx.AsyncClient) -> None:
    first = await saved(client)
    change = {"name": "other", "parameters": {"me": "bob"}, "base_revision": first["revision"]}
    second = (await client.put(f"{SETS}/{first['id']}", json=change)).json()
    assert (second["name"], second["parameters"], second["query"]) == ("other", {"me": "bob"}, "thoughtstream")
    late = await client.put(f"{SETS}/{first['id']}", json=change)
    assert (late.status_code, late.json()["code"]) == (409, "parameter-set-changed")
    late = await client.delete(f"{SETS}/{first['id']}", params={"base_revision": first["revision"]})
    assert late.status_code == 409
    assert await listed(client) == [second]
    assert (await client.delete(f"{SETS}/{first['id']}")).status_code == 204
    assert await listed(client) == []
    assert (await client.delete(f"{SETS}/{first['id']}")).status_code == 404


async def test_a_change_may_not_take_the_name_of_another_set(client: httpx.AsyncClient) -> None:
    await saved(client, "usual")
    other = await saved(client, "other")
    change = {"name": "usual", "parameters": {}, "base_revision": other["revision"]}
    answer = await client.put(f"{SETS}/{other['id']}", json=change)
    assert (answer.status_code, answer.json()["code"]) == (409, "parameter-set-exists")


@pytest.mark.parametrize(
    "parameters", [{"a": {"b": 1}}, {"a": [[[1]]]}, {"a": {"$base64": "AA", "more": 1}}, {"a": {}}, [1]], ids=str
)
async def test_a_value_that_no_parameter_can_have_is_refused(client: httpx.AsyncClient, parameters: object) -> None:
    answer = await client.post(SETS, json={"query": "q", "name": "x", "parameters": parameters})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-request")


async def test_what_is_too_large_or_too_many_is_refused(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"query": "q", "name": "x", "parameters": {"a": "x" * repository.MOST_CHARACTERS}}
    answer = await client.post(SETS, json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "too-large-to-keep")
    monkeypatch.setattr(repository, "MOST_SETS", 1)
    await saved(client, "one")
    answer = await client.post(SETS, json={"query": "q", "name": "two", "parameters": {}})
    assert (answer.status_code, answer.json()["code"]) == (422, "too-many-to-keep")
    monkeypatch.setattr(repository, "MOST_SETS", 2)
    monkeypatch.setattr(repository, "MOST_ALL", 100)
    answer = await client.post(SETS, json={"query": "q", "name": "two", "parameters": {}})
    assert (answer.status_code, answer.json()["code"]) == (422, "too-many-to-keep")
    assert [kept["name"] for kept in await listed(client)] == ["one"]


async def test_a_file_that_cannot_be_read_is_named_and_not_overwritten(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    file = applications_folder(settings.data) / "scadr" / "parameter-sets.json"
    twice = {"id": "00000000", "query": "q", "name": "x", "parameters": {}}
    for text in ("{", json.dumps({"sets": [twice, twice]}), json.dumps({"sets": [{**twice, "id": "../"}]})):
        file.write_text(text)
        for answer in (
            await client.get(SETS),
            await client.post(SETS, json={"query": "q", "name": "x", "parameters": {}}),
        ):
            assert (answer.status_code, answer.json()["code"]) == (503, "parameter-sets-not-read")
            assert "parameter-sets.json of scadr" in answer.json()["message"]
        assert file.read_text() == text


async def test_a_duplicate_and_an_export_have_the_sets(client: httpx.AsyncClient) -> None:
    first = await saved(client)
    copy = (await client.post("/api/applications/scadr/duplicates", json={"title": "Two"})).json()["id"]
    assert await listed(client, copy) == [first]
    await client.delete(f"/api/applications/{copy}/parameter-sets/{first['id']}")
    assert await listed(client) == [first]
    archive = (await client.get("/api/applications/scadr/archive")).content
    taken = (await made(client, (await uploaded(client, archive)).json()["id"])).json()["id"]
    assert await listed(client, taken) == [first]


async def test_an_archive_with_sets_that_cannot_be_is_refused(client: httpx.AsyncClient) -> None:
    twice = {"id": "00000000", "query": "q", "name": "x", "parameters": {}}
    answer = await uploaded(client, packed({}, parameter_sets={"sets": [twice, twice]}))
    assert answer.status_code == 422
    assert "two sets" in answer.json()["message"]
