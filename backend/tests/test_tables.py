"""Rows of the live tables: pages in the order of the key, filters that an index serves, single rows written."""

import json
import re
from pathlib import Path
from typing import Any

import httpx
import piql
import pytest
from piql_backend.stores.connection import StoreConnection
from piql_backend.tables.schemas import RowCreate
from piql_backend.tables.service import Tables

from .conftest import DEVELOPMENT

LONG = 9_007_199_254_740_993  # a JavaScript number has no such value


async def get(client: httpx.AsyncClient, path: str, **parameters: Any) -> Any:
    answer = await client.get(f"{DEVELOPMENT}/tables{path}", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def rows(client: httpx.AsyncClient, table: str, **parameters: Any) -> Any:
    if "filter" in parameters:
        parameters["filter"] = json.dumps(parameters["filter"])
    return await get(client, f"/{table}/rows", **parameters)


async def test_tables_say_their_columns_and_constraints(client: httpx.AsyncClient) -> None:
    tables = {table["name"]: table for table in (await get(client, ""))["items"]}
    subscriptions = tables["subscriptions"]
    assert subscriptions["primary_key"] == ["owner", "target"]
    assert [limit["columns"] for limit in subscriptions["limits"]] == [["owner"]]
    assert {key["table"] for key in subscriptions["foreign_keys"]} == {"users"}
    assert ["owner", "target"] in subscriptions["filters"]
    assert tables["users"]["rows_estimate"] == 30


async def test_pages_give_each_row_once_in_the_order_of_the_key(client: httpx.AsyncClient) -> None:
    names: list[str] = []
    cursor: str | None = None
    while True:
        page = await rows(client, "users", limit=7, **({"cursor": cursor} if cursor else {}))
        assert len(page["rows"]) <= 7
        assert page["operations"] == 1
        names += [row[0] for row in page["rows"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert len(names) == 30
    assert names == sorted(set(names))


async def test_a_filter_is_served_by_the_key_or_an_index(client: httpx.AsyncClient) -> None:
    owner = (await rows(client, "thoughts", limit=1))["rows"][0][0]
    first = await rows(client, "thoughts", filter={"owner": owner}, limit=5)
    assert {row[0] for row in first["rows"]} == {owner}
    rest = await rows(client, "thoughts", filter={"owner": owner}, limit=100, cursor=first["cursor"])
    assert len(first["rows"]) + len(rest["rows"]) == 12
    assert (first["operations"], first["index"]) == (1, None)
    target = (await rows(client, "subscriptions", limit=1))["rows"][0][1]
    page = await rows(client, "subscriptions", filter={"target": target})
    assert {row[1] for row in page["rows"]} == {target}
    assert page["index"] is not None
    assert page["operations"] == 1 + len(page["rows"])


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"filter": '{"text": "x"}'}, "invalid-parameter"),
        ({"filter": '{"nope": 1}'}, "invalid-parameter"),
        ({"filter": '{"owner": 5}'}, "invalid-parameter"),
        ({"filter": "[1]"}, "invalid-parameter"),
        ({"filter": "{"}, "invalid-parameter"),
        ({"cursor": "x"}, "invalid-cursor"),
        ({"cursor": "WyJ0aG91Z2h0cyIsIFtdLCBbMV1d"}, "invalid-cursor"),
        ({"limit": "201"}, "invalid-request"),
    ],
)
async def test_a_page_that_cannot_be_given_is_refused(
    client: httpx.AsyncClient, parameters: dict[str, str], code: str
) -> None:
    answer = await client.get(f"{DEVELOPMENT}/tables/thoughts/rows", params=parameters)
    assert (answer.status_code, answer.json()["code"]) == (422, code)


async def test_a_cursor_is_of_its_filter(client: httpx.AsyncClient) -> None:
    page = await rows(client, "thoughts", limit=1)
    parameters = {"cursor": page["cursor"], "filter": json.dumps({"owner": page["rows"][0][0]})}
    assert (await client.get(f"{DEVELOPMENT}/tables/thoughts/rows", params=parameters)).json()[
        "code"
    ] == "invalid-cursor"


async def test_an_unknown_table_is_not_found(client: httpx.AsyncClient) -> None:
    for path in ("rows", "export"):
        answer = await client.get(f"{DEVELOPMENT}/tables/nope/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-table")


async def test_a_row_is_inserted_changed_and_deleted(client: httpx.AsyncClient) -> None:
    user = {"username": "zoe", "password": "p", "hometown": "Oslo"}
    columns = [column["name"] for column in (await rows(client, "users"))["columns"]]
    user = {name: user.get(name, "x") for name in columns}
    created = await client.post(f"{DEVELOPMENT}/tables/users/rows", json={"values": user})
    assert created.status_code == 201, created.text
    assert 0 < created.json()["operations"] <= created.json()["bound_operations"]
    again = await client.post(f"{DEVELOPMENT}/tables/users/rows", json={"values": user})
    assert (again.status_code, again.json()["code"]) == (422, "duplicate-key")
    key = {"username": "zoe"}
    change = {"key": key, "values": {"hometown": "Cork"}, "seen": user}
    assert (await client.patch(f"{DEVELOPMENT}/tables/users/rows", json=change)).status_code == 200
    late = await client.patch(f"{DEVELOPMENT}/tables/users/rows", json=change)
    assert (late.status_code, late.json()["code"]) == (422, "condition-failed")
    assert late.json()["message"] == "The row was changed meanwhile: hometown is 'Cork' now."
    (row,) = (await rows(client, "users", filter=key))["rows"]
    assert dict(zip(columns, row, strict=True)) == {**user, "hometown": "Cork"}
    stale = await client.post(f"{DEVELOPMENT}/tables/users/rows/delete", json={"key": key, "seen": user})
    assert stale.json()["code"] == "condition-failed"
    assert stale.json()["message"] == "The row was changed meanwhile: hometown is 'Cork' now."
    gone = await client.post(
        f"{DEVELOPMENT}/tables/users/rows/delete", json={"key": key, "seen": {**user, "hometown": "Cork"}}
    )
    assert gone.status_code == 200
    assert (await rows(client, "users", filter=key))["rows"] == []
    absent = await client.patch(f"{DEVELOPMENT}/tables/users/rows", json=change)
    assert (absent.json()["code"], absent.json()["message"]) == ("condition-failed", "The row was deleted meanwhile.")


async def test_a_row_that_others_refer_to_is_kept_and_the_refusal_says_which(client: httpx.AsyncClient) -> None:
    owner = (await rows(client, "subscriptions", limit=1))["rows"][0][0]
    request = {"key": {"username": owner}, "seen": {}}
    refused = await client.post(f"{DEVELOPMENT}/tables/users/rows/delete", json=request)
    assert (refused.status_code, refused.json()["code"]) == (422, "foreign-key-violation")
    assert re.fullmatch(rf"Delete or change the rows of \w+ with \w+ = '{owner}' first\.", refused.json()["help"])


async def test_a_refusal_names_the_column(client: httpx.AsyncClient) -> None:
    owner, target, *_ = (await rows(client, "subscriptions", limit=1))["rows"][0]
    cases: list[tuple[str, dict[str, Any], str, str]] = [
        ("subscriptions", {"owner": owner, "target": "nobody", "approved": True}, "foreign-key-violation", "target"),
        ("subscriptions", {"owner": owner, "target": target, "approved": 1}, "constraint-violation", "approved"),
        ("subscriptions", {"owner": owner, "target": target}, "duplicate-key", "owner"),
        ("subscriptions", {"owner": owner}, "constraint-violation", "target"),
        ("subscriptions", {"owner": owner, "target": target, "nope": 1}, "invalid-parameter", "nope"),
        ("users", {"username": "x" * 1000}, "constraint-violation", "username"),
    ]
    for table, values, code, column in cases:
        answer = await client.post(f"{DEVELOPMENT}/tables/{table}/rows", json={"values": values})
        assert answer.status_code == 422
        assert (answer.json()["code"], answer.json()["parameter"]) == (code, column), answer.json()
    change = {"key": {"owner": owner, "target": target}, "values": {"target": "x"}, "seen": {}}
    answer = await client.patch(f"{DEVELOPMENT}/tables/subscriptions/rows", json=change)
    assert (answer.json()["code"], answer.json()["parameter"]) == ("invalid-parameter", "target")


def test_a_row_may_leave_out_what_has_a_default(tmp_path: Path) -> None:
    tasks = "CREATE TABLE tasks (id UUID DEFAULT UUID() PRIMARY KEY, state VARCHAR(8) DEFAULT 'new' NOT NULL, note INT)"
    store = StoreConnection(f"embedded:{tmp_path / 'store'}")
    try:
        store.database().deploy(piql.compile(tasks))
        tables = Tables(store)
        (table,) = tables.tables().items
        assert [column.has_default for column in table.columns] == [True, True, False]
        tables.insert("tasks", RowCreate(values={}))
        tables.insert("tasks", RowCreate(values={"state": "done"}))
        page = tables.rows("tasks", None, None, 9)
        assert sorted(str(state) for _, state, _ in page.rows) == ["done", "new"]
    finally:
        store.close()


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet"])
async def test_a_table_is_exported_whole(client: httpx.AsyncClient, file_format: str) -> None:
    answer = await client.get(f"{DEVELOPMENT}/tables/users/export", params={"format": file_format})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="users.{file_format}"')
    assert int(answer.headers["content-length"]) == len(answer.content)
    if file_format == "csv":
        assert len(answer.text.splitlines()) == 31
        assert answer.text.startswith('"username"')
    elif file_format == "jsonl":
        assert len([json.loads(line) for line in answer.text.splitlines()]) == 30
    else:
        assert answer.content.startswith(b"PAR1")
