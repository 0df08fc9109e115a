"""A unit in the workbench: its statements stand in plan and diagram, and it is deployed and executed like a write."""

from __future__ import annotations

from typing import Any

import httpx

from .conftest import DEVELOPMENT

UNIT = {
    "path": "queries/enter.piql",
    "text": """CREATE UNIT enter AS BEGIN
  INSERT INTO users (username, hometown) VALUES ([1: username], [2: hometown]) IF NOT EXISTS;
  INSERT INTO subscriptions (owner, target, approved) VALUES ([1: username], [3: first], TRUE);
  DELETE FROM subscriptions WHERE owner = [3: first] RETURNING target;
  LET home = (SELECT hometown FROM users WHERE username = [3: first]);
  UPDATE users SET hometown = [home] WHERE username = [1: username];
END;
""",
}


async def files(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    live = (await client.get(f"{DEVELOPMENT}/deployments/live")).json()
    return [*live["files"], UNIT]


async def test_its_plan_and_its_accesses_have_a_place_for_each_statement(client: httpx.AsyncClient) -> None:
    answer = (await client.post("/api/compilations", json={"files": await files(client)})).json()
    (unit,) = (query for query in answer["queries"] if query["name"] == "enter")
    assert unit["kind"] == "unit"
    plan = unit["stages"][-1]["plan"]
    assert (plan["operator"], plan["operations"]) == ("Unit", unit["bound"]["operations"])
    assert [child["operator"] for child in plan["children"]] == [
        "Insert",
        "Insert",
        "Delete",
        "LocalProjection",
        "Update",
    ]
    writes = [child for child in plan["children"] if child["kind"] == "write"]
    of_let = 1  # the read below its projection
    assert sum(child["operations"] for child in writes) + of_let == plan["operations"]
    written = [(step["path"], step["table"]) for step in unit["accesses"] if step["kind"] == "write"]
    assert written == [(child["id"], table) for child, table in zip(writes, WRITTEN, strict=True)]
    read = [(step["path"], step["operations"]) for step in unit["accesses"] if step["path"].startswith("3")]
    assert ("3.0.1", 1) in read


WRITTEN = ("users", "subscriptions", "subscriptions", "users")


async def test_it_is_deployed_executed_and_refused_as_a_whole(client: httpx.AsyncClient) -> None:
    deployed = await client.post(f"{DEVELOPMENT}/deployments", json={"base_version": 1, "files": await files(client)})
    assert deployed.status_code == 201, deployed.text
    assert "unit" in [query["kind"] for query in deployed.json()["queries"]]
    url = f"{DEVELOPMENT}/deployments/live/queries"
    first = (await client.get(f"{url}/findUser/sample-parameters")).json()["parameters"]["username"]
    parameters = {"username": "newcomer", "hometown": "Rome", "first": first}
    answer = (await client.post(f"{url}/enter/executions", json={"parameters": parameters, "cursor": None})).json()
    assert [column["name"] for column in answer["columns"]] == ["target"]
    assert answer["rows_affected"] == 3 + len(answer["rows"])
    assert 0 < answer["operations"] <= answer["bound_operations"]
    again = await client.post(f"{url}/enter/executions", json={"parameters": parameters, "cursor": None})
    assert (again.status_code, again.json()["code"]) == (422, "duplicate-key")
    assert again.json()["message"].startswith("statement 1 of 5: ")
