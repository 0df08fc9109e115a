"""The answers of a dashboard are worked out once for all who look at it, until something was observed or changed."""

from __future__ import annotations

import httpx
import pytest
from piql_backend.latency.repository import ObservationTable
from piql_backend.operator_times.repository import OperatorTimesTable

from .conftest import DEVELOPMENT

LIVE = f"{DEVELOPMENT}/latency/live"
WINDOW: dict[str, str | int] = {"window_seconds": 3600, "source": "both"}


@pytest.mark.parametrize(
    ("path", "table", "read"),
    [
        (f"{LIVE}/charts/findUser", ObservationTable, "series"),
        (f"{LIVE}/unusual/findUser", ObservationTable, "hours"),
        (f"{DEVELOPMENT}/operator-times/live", OperatorTimesTable, "read"),
    ],
)
async def test_two_who_ask_share_an_answer_until_something_ran(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, path: str, table: type, read: str
) -> None:
    reads, reading = [], getattr(table, read)

    def counted(*arguments: object, **named: object) -> object:
        reads.append(read)
        return reading(*arguments, **named)

    monkeypatch.setattr(table, read, counted)

    async def look(**changes: str) -> int:
        before = len(reads)
        (await client.get(path, params={**WINDOW, **changes})).raise_for_status()
        return len(reads) - before

    first = await look()
    assert (first > 0, await look()) == (True, 0)
    assert await look(source="applications") > 0
    execution = {"parameters": {"username": "nobody"}}
    path_of_it = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"
    (await client.post(path_of_it, json=execution)).raise_for_status()
    assert await look() == first


async def test_estimates_are_asked_for_only_where_there_are_samples(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the sizes of what ran were gathered")

    monkeypatch.setattr(ObservationTable, "gathered", fail)
    answer = (await client.get(f"{DEVELOPMENT}/operator-times/live", params=WINDOW)).raise_for_status().json()
    assert (answer["samples"], answer["blame"], answer["cells"]) == (0, [], [])
