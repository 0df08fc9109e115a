"""Headroom: groups are counted on demand, kept with their time, and compared with the count before."""

import asyncio
import stat
from typing import Any

import httpx
import pytest
from piql_backend.headroom.schemas import KeptCounts
from piql_backend.headroom.service import HeadroomCounts
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, folder_of

HEADROOM = f"{DEVELOPMENT}/headroom"


async def count(client: httpx.AsyncClient) -> Any:
    answer = await client.post(f"{HEADROOM}/counts")
    assert answer.status_code == 202, answer.text
    while (state := (await client.get(HEADROOM)).json())["state"] == "counting":
        await asyncio.sleep(0.05)  # requests without a pause are refused (429)
    return state


async def test_nothing_is_counted_before_somebody_asks(client: httpx.AsyncClient) -> None:
    state = (await client.get(HEADROOM)).json()
    assert (state["state"], state["limits"], state["counted_at"]) == ("none", [], None)
    assert (state["cost_requests"], state["cost_rows"]) == (1, 150)  # 30 users with 5 subscriptions each


async def test_a_count_is_kept_and_the_next_one_says_what_has_grown(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    first = await count(client)
    (limit,) = first["limits"]
    assert (limit["table"], limit["columns"], limit["groups"], limit["before"]) == (
        "subscriptions",
        ["owner"],
        30,
        None,
    )
    assert sum(limit["histogram"]) == 30
    assert limit["fullest"][0]["rows"] == 5
    owner = limit["fullest"][0]["key"][0]
    rows = (await client.get(f"{DEVELOPMENT}/tables/users/rows")).json()["rows"]
    target = next(row[0] for row in rows if row[0] == owner)
    values = {"owner": owner, "target": target, "approved": True}
    assert (await client.post(f"{DEVELOPMENT}/tables/subscriptions/rows", json={"values": values})).status_code == 201
    (grown,) = (await count(client))["limits"]
    assert grown["fullest"][0] == {"key": [owner], "rows": 6}
    assert grown["before"] == {"groups": 30, "nearly_full": 0, "full": 0, "most_rows": 5}
    file = folder_of(settings) / "headroom.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("{")
    assert (await client.get(HEADROOM)).json()["limits"] == []  # a damaged file is counted anew


async def test_a_count_that_ends_while_it_is_read_goes_on_for_who_reads(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_kept = HeadroomCounts._kept

    def kept_before_the_end(counts: HeadroomCounts) -> KeptCounts:
        kept = read_kept(counts)
        counts._state = "counted"
        return kept

    monkeypatch.setattr(HeadroomCounts, "_carry_out", lambda counts: None)
    monkeypatch.setattr(HeadroomCounts, "_kept", kept_before_the_end)
    begun = (await client.post(f"{HEADROOM}/counts")).json()
    assert (begun["state"], begun["limits"]) == ("counting", [])


async def test_another_limit_is_compiled_and_nothing_is_changed(client: httpx.AsyncClient) -> None:
    request = {"table": "subscriptions", "columns": ["owner"], "limit": 200}
    raised = (await client.post(f"{HEADROOM}/raises", json=request)).json()
    assert raised["queries"] > 0
    assert raised["bounds"]
    assert all(bound["after"] > bound["before"] for bound in raised["bounds"])
    assert sum("CARDINALITY LIMIT 200 (owner)" in file["text"] for file in raised["files"]) == 1
    unknown = await client.post(f"{HEADROOM}/raises", json={**request, "columns": ["target"]})
    assert (unknown.status_code, unknown.json()["code"]) == (422, "invalid-parameter")


async def test_a_limit_can_be_chosen_by_the_rows_that_are_there(client: httpx.AsyncClient) -> None:
    request = {"table": "subscriptions", "columns": ["owner", "approved"]}
    shared = (await client.post(f"{HEADROOM}/groups", json=request)).json()
    assert shared["is_complete"]
    assert shared["rows"] >= shared["groups"] > 0
    assert shared["limit"] >= 2 * shared["fullest"][0]["rows"]
    unknown = await client.post(f"{HEADROOM}/groups", json={**request, "columns": ["mood"]})
    assert (unknown.status_code, unknown.json()["code"]) == (422, "invalid-parameter")
    assert (await client.post(f"{HEADROOM}/groups", json={**request, "table": "none"})).status_code in (404, 422)


async def test_only_what_goes_on_is_stopped(client: httpx.AsyncClient) -> None:
    answer = await client.post(f"{HEADROOM}/counts/cancel")
    assert (answer.status_code, answer.json()["code"]) == (409, "no-count")
