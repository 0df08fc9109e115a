"""A SELECT that is not deployed runs over what is live, or is refused as in the editor. Nothing is changed by it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from .conftest import DEVELOPMENT

SELECTS = f"{DEVELOPMENT}/selects"


async def answer_to(client: httpx.AsyncClient, text: str, **body: Any) -> httpx.Response:
    return await client.post(SELECTS, json={"text": text, **body})


async def selected(client: httpx.AsyncClient, text: str, **body: Any) -> Any:
    answer = await answer_to(client, text, **body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def some_user(client: httpx.AsyncClient) -> str:
    rows = (await client.get(f"{DEVELOPMENT}/tables/users/rows", params={"limit": 1})).json()
    names = [column["name"] for column in rows["columns"]]
    user: str = rows["rows"][0][names.index("username")]
    return user


async def test_a_bounded_select_runs_at_once_with_its_requests_beside_the_bound(client: httpx.AsyncClient) -> None:
    user = await some_user(client)
    read = await selected(client, f"SELECT username FROM users WHERE username = '{user}'")
    execution = read["execution"]
    assert execution["rows"] == [[user]]
    assert (execution["operations"], execution["bound_operations"], read["operations"]) == (1, 1, 1)
    assert read["parameters"] == []


async def test_parameters_are_said_first_and_then_given(client: httpx.AsyncClient) -> None:
    user = await some_user(client)
    text = "SELECT username FROM users WHERE username = [1: name]"
    read = await selected(client, text)
    assert (read["execution"], [parameter["name"] for parameter in read["parameters"]]) == (None, ["name"])
    read = await selected(client, text, parameters={"name": user})
    assert read["execution"]["rows"] == [[user]]
    refused = await answer_to(client, text, parameters={"name": 7})
    assert (refused.status_code, refused.json()["parameter"]) == (422, "name")


async def test_pages_follow_each_other(client: httpx.AsyncClient) -> None:
    user = await some_user(client)
    text = "SELECT posted FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC PAGINATE 5"
    first = (await selected(client, text, parameters={"me": user}))["execution"]
    second = (await selected(client, text, parameters={"me": user}, cursor=first["cursor"]))["execution"]
    moments = [row[0] for row in (*first["rows"], *second["rows"])]
    assert len(moments) == 10
    assert moments == sorted(set(moments), reverse=True)


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        ("SELECT username FROM users WHERE hometown = 'Oslo'", "unbounded-scan", "nothing limits how many there are"),
        ("SELECT owner FROM thoughts WHERE text = 'x' LIMIT 5", "missing-index", "not deployed"),
        ("SELECT nothing FROM users WHERE username = 'a'", None, "nothing"),
        ("SELECT", "syntax-error", ""),
    ],
)
async def test_what_cannot_run_is_refused_with_what_the_compiler_says(
    client: httpx.AsyncClient, text: str, code: str | None, reason: str
) -> None:
    before = (await client.get(f"{DEVELOPMENT}/deployments")).json()
    answer = await answer_to(client, text)
    body = answer.json()
    assert (answer.status_code, body["code"]) == (422, "select-refused")
    assert reason in body["message"]
    assert code is None or code in {diagnostic["code"] for diagnostic in body["diagnostics"]}
    assert (await client.get(f"{DEVELOPMENT}/deployments")).json() == before


async def test_a_refusal_has_the_fixes_that_the_editor_would_offer(client: httpx.AsyncClient) -> None:
    body = (await answer_to(client, "SELECT username FROM users WHERE hometown = 'Oslo'")).json()
    fixes = [fix for diagnostic in body["diagnostics"] for fix in diagnostic["fixes"]]
    assert fixes
    assert all(fix["title"] and fix["edits"] for fix in fixes)


async def test_a_bound_of_too_many_rows_is_refused(client: httpx.AsyncClient) -> None:
    text = "SELECT posted FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC LIMIT 10001"
    answer = await answer_to(client, text)
    assert (answer.status_code, answer.json()["code"]) == (422, "select-too-large")
    assert "10,001 rows" in answer.json()["message"]
    assert (await selected(client, text.replace("10001", "10000")))["operations"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO users (username, hometown) VALUES ('intruder', 'Rome')",
        "UPDATE users SET hometown = 'Rome' WHERE username = '{user}'",
        "DELETE FROM users WHERE username = '{user}'",
        "CREATE TABLE extra (id INT PRIMARY KEY)",
    ],
)
async def test_nothing_is_ever_written(client: httpx.AsyncClient, text: str) -> None:
    rows = f"{DEVELOPMENT}/tables/users/rows"
    before = (await client.get(rows)).json()
    answer = await answer_to(client, text.replace("{user}", await some_user(client)), parameters={})
    assert (answer.status_code, answer.json()["code"]) == (422, "select-refused")
    assert (await client.get(rows)).json() == before


async def test_where_nothing_is_deployed_there_is_nothing_to_select_from(client: httpx.AsyncClient) -> None:
    await client.post("/api/applications", json={"title": "Empty"})
    answer = await client.post("/api/applications/empty/environments/development/selects", json={"text": "SELECT 1"})
    assert answer.status_code == 404


async def test_a_page_of_another_origin_may_not_run_one(client: httpx.AsyncClient) -> None:
    answer = await client.post(SELECTS, json={"text": "SELECT 1"}, headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 403


async def test_a_statement_that_is_nested_too_deeply_is_refused(client: httpx.AsyncClient) -> None:
    deep = "SELECT username FROM users WHERE username = 'a' AND " + "NOT (" * 3000 + "TRUE" + ")" * 3000
    answer = await answer_to(client, deep)
    assert (answer.status_code, answer.json()["code"]) in {(422, "select-refused"), (422, "text-too-costly")}
