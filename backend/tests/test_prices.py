"""What queries cost in an environment: by the sheet that somebody chose, and never without one."""

from __future__ import annotations

from decimal import Decimal

import httpx
import pytest
from piql.pricing.sheets import NodeSheet, RequestSheet, Sheet
from piql_backend.prices.service import price_of_observed

from .conftest import DEVELOPMENT

Files = list[dict[str, str]]
REPORTS = f"{DEVELOPMENT}/price-reports"
REQUESTS = {"kind": "requests", "of": "Somebody", "date": "May 2026", "read": 0.25, "write": 1.25}
NODES = {"kind": "nodes", "of": "Our cluster", "date": "May 2026", "node_month": 262.98, "requests_a_second": 1000}
BUCKET = {"kind": "bucket", "name": "amazon", "levels": 3}


async def choose(client: httpx.AsyncClient, prices: object) -> None:
    answer = await client.patch(DEVELOPMENT, json={"prices": prices})
    assert answer.status_code == 200, answer.text
    listed = (await client.get(DEVELOPMENT.rpartition("/")[0])).json()["items"][0]
    assert listed["prices"] == answer.json()["prices"] == prices


async def report(client: httpx.AsyncClient, files: Files, **more: object) -> dict[str, object]:
    answer = await client.post(REPORTS, json={"files": files, **more})
    assert answer.status_code == 200, answer.text
    read: dict[str, object] = answer.json()
    return read


async def prices_of(client: httpx.AsyncClient, files: Files, **more: object) -> dict[str, dict[str, float]]:
    read = await report(client, files, **more)
    return {query["query"]: query for query in read["queries"]}  # type: ignore[attr-defined]


async def test_without_a_sheet_it_says_why_there_is_no_price(client: httpx.AsyncClient, files: Files) -> None:
    read = await report(client, files)
    assert read["sheet"] is None
    assert read["queries"] == []
    assert "a file on a disk" in str(read["why_none"])


async def test_each_request_of_a_bound_costs_what_the_sheet_says(client: httpx.AsyncClient, files: Files) -> None:
    await choose(client, REQUESTS)
    prices = await prices_of(client, files, rates={"thoughtstream": 10})
    assert prices["thoughtstream"]["most"] == pytest.approx(101 * 0.25 / 1000)
    assert prices["thoughtstream"]["month_most"] == pytest.approx(101 * 0.25e-6 * 10 * 2_629_800)
    assert prices["findUser"]["month_most"] is None
    await choose(client, NODES)
    read = await report(client, files)
    assert "its part of the 1,000 a second that a node takes" in str(read["sheet"])
    prices = await prices_of(client, files, rates={"findUser": 1000})
    assert prices["findUser"]["month_most"] == pytest.approx(262.98)


async def test_a_bucket_has_two_prices_for_a_query_and_none_for_a_write(
    client: httpx.AsyncClient, files: Files
) -> None:
    await choose(client, BUCKET)
    read = await report(client, files)
    assert read["sheet"] == {
        "of": "Amazon S3 Standard, US East (N. Virginia)",
        "date": "June 2026",
        "basis": "GETs with no page kept, in trees of 3 levels",
    }
    prices = await prices_of(client, files)
    assert 0 < prices["findUser"]["kept"] < prices["findUser"]["most"]
    assert prices["addUser"]["most"] is None
    assert "no price yet" in str(prices["addUser"]["why_none"])


async def test_the_dashboard_prices_what_ran_by_the_sheet_of_now(client: httpx.AsyncClient) -> None:
    for _ in range(2):
        body = {"parameters": {"username": "ada_bell"}}
        await client.post(f"{DEVELOPMENT}/deployments/live/queries/findUser/executions", json=body)

    async def price() -> dict[str, float] | None:
        answer = await client.get(f"{DEVELOPMENT}/latency/live", params={"window_seconds": 3600})
        assert answer.status_code == 200, answer.text
        read: dict[str, float] | None = next(
            query["price"] for query in answer.json()["queries"] if query["query"] == "findUser"
        )
        return read

    assert await price() is None
    await choose(client, REQUESTS)
    cost = await price()
    assert cost is not None
    assert cost["low"] == cost["high"] == pytest.approx(0.25e-3)
    assert cost["month_low"] == pytest.approx(2 / 3600 * 0.25e-6 * 2_629_800, rel=0.1)
    await choose(client, None)
    assert await price() is None


@pytest.mark.parametrize(
    "wrong", [{**REQUESTS, "read": 0}, {**NODES, "of": " "}, {**BUCKET, "name": "other"}, {"kind": "free"}]
)
async def test_a_sheet_that_is_none_is_refused(client: httpx.AsyncClient, wrong: dict[str, object]) -> None:
    assert (await client.patch(DEVELOPMENT, json={"prices": wrong})).status_code == 422


def test_what_requests_do_not_tell_has_no_observed_price() -> None:
    apart, alike = RequestSheet("a", "b", Decimal(1), Decimal(2)), NodeSheet("a", "b", Decimal(1), Decimal(1))

    def observed(sheet: Sheet | None, writes: bool, executions: int = 4) -> object:
        return price_of_observed(sheet, (1, 3), executions, 60, writes=writes)

    assert observed(apart, writes=True) is None
    assert observed(None, writes=False) is None
    assert observed(apart, writes=False, executions=0) is None
    assert observed(alike, writes=True) is not None
