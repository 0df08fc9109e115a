"""SCADr and TPC-W beside each other: whatever is done to one, the other keeps its version, rows, answers and health."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, application_ids, folder_of

ASKED = {
    "scadr": ("findUser", {"username": "ada_birch"}),
    "tpcw": ("home", {"uname": "customer000001"}),
}  # a query of each
LEAF = {"scadr": "thoughts", "tpcw": "cc_xacts"}  # a table that no other refers to


def of(application: str, path: str) -> str:
    return f"{DEVELOPMENT.replace('scadr', application)}/{path}"


async def state_of(client: httpx.AsyncClient, application: str) -> Mapping[str, Any]:
    """What a user of the application meets: live version, tables with their rows, an answer, health, SLOs."""
    tables = (await client.get(of(application, "tables"))).json()
    names = [table["name"] for table in tables["items"]]
    rows = {name: (await client.get(of(application, f"tables/{name}/rows"))).json() for name in names}
    query, parameters = ASKED[application]
    address = of(application, f"deployments/live/queries/{query}/executions")
    ran = await client.post(address, json={"parameters": parameters})
    assert ran.status_code == 200, ran.text
    return {
        "live": (await client.get(of(application, "deployments/live"))).json(),
        "tables": tables,
        "rows": rows,
        "answer": ran.json()["rows"],
        "health": (await client.get(of(application, "health"))).json()["status"],
        "slos": (await client.get(of(application, "slos"))).json(),
        "title": [
            item for item in (await client.get("/api/applications")).json()["items"] if item["id"] == application
        ],
    }


@pytest.mark.parametrize(("changed", "kept"), [("scadr", "tpcw"), ("tpcw", "scadr")])
async def test_nothing_that_is_done_to_one_application_reaches_the_other(
    client: httpx.AsyncClient, settings: Settings, changed: str, kept: str
) -> None:
    made = await client.post("/api/applications", json={"title": "tpcw", "template": "tpcw"})
    assert made.status_code == 201, made.text
    before = await state_of(client, kept)

    table = LEAF[changed]
    file = {"path": "queries/all.piql", "text": f"CREATE QUERY everything AS SELECT * FROM {table} LIMIT 3;"}
    assert (await client.post(f"/api/applications/{changed}/files", json=file)).status_code == 201
    deployed = await client.post(of(changed, "deployments"), json={"base_version": 1})
    assert (deployed.status_code, deployed.json()["version"]) == (201, 2)
    assert await state_of(client, kept) == before

    page = (await client.get(of(changed, f"tables/{table}/rows"))).json()
    seen = dict(zip([column["name"] for column in page["columns"]], page["rows"][0], strict=True))
    tables = (await client.get(of(changed, "tables"))).json()["items"]
    (key_columns,) = [item["primary_key"] for item in tables if item["name"] == table]
    removal = {"key": {column: seen[column] for column in key_columns}, "seen": seen}
    removed = await client.post(of(changed, f"tables/{table}/rows/delete"), json=removal)
    assert removed.status_code == 200, removed.text
    assert await state_of(client, kept) == before

    assert (await client.patch(f"/api/applications/{changed}", json={"title": "Renamed"})).status_code == 200
    assert await state_of(client, kept) == before

    taken = await client.post(
        f"/api/applications/{changed}/environments",
        json={"title": "other", "store": {"url": f"embedded:{folder_of(settings, kept) / 'store'}"}},
    )
    assert taken.json()["code"] == "store-not-allowed"
    assert await state_of(client, kept) == before

    assert (await client.delete(f"/api/applications/{changed}", params={"name": changed})).status_code == 204
    assert await application_ids(client) == [kept]
    assert await state_of(client, kept) == before
