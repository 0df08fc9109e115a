"""What changes all the time is told to many pages together, and nothing that has changed stays untold."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from piql_backend.data_folder.layout import applications_folder
from piql_backend.database.told_versions import ToldVersions
from piql_backend.pulse import service
from piql_backend.settings import Settings

SCADR = "/api/applications/scadr"
PULSE = f"{SCADR}/environments/development/pulse"


class Moments:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_change_after_a_rest_is_told_at_once_and_more_in_a_row_together() -> None:
    clock = Moments()
    told = ToldVersions(clock)
    assert told.told("shop", "1", 10) == "1"
    clock.now += 10
    assert told.told("shop", "2", 10) == "2"
    clock.now += 4
    assert [told.told("shop", version, 10) for version in ("3", "4")] == ["2", "2"]
    clock.now += 6
    assert told.told("shop", "4", 10) == "4"


def test_the_seconds_of_the_last_time_hold_for_whoever_names_none() -> None:
    clock = Moments()
    told = ToldVersions(clock)
    assert told.told("shop", "1") == "1"
    assert told.told("shop", "2") == "2"
    assert told.told("shop", "2", 10) == "2"
    assert told.told("shop", "3") == "2"
    assert told.told("other", "3") == "3"
    clock.now += 10
    assert told.told("shop", "3") == "3"


async def test_pages_of_one_application_read_it_together_where_it_changes_all_the_time(
    client: httpx.AsyncClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Moments()
    monkeypatch.setattr(service, "SECONDS_KEPT", 0.0)
    pulse = _pulse_of(client)
    monkeypatch.setattr(pulse, "_clock", clock)
    monkeypatch.setattr(pulse._applications._told, "_clock", clock)
    file = applications_folder(settings.data) / "scadr" / "schema.piql"

    async def files_told(pages: int) -> str:
        """What many pages are told, each asking once in 4 seconds."""
        clock.now += 4
        answers = await asyncio.gather(*(client.get(PULSE) for _ in range(pages)))
        return str(answers[-1].json()["versions"]["files"])

    def write() -> None:
        Path(file).write_text(f"{file.read_text()}-- more\n")

    for _ in range(3):
        first = await files_told(20)
    write()
    second = await files_told(20)
    assert second != first
    write()
    assert await files_told(20) == second
    application = (await client.get(SCADR)).json()
    assert application["version"] == second, "with a newer one, the page would read it at each pulse"
    assert "-- more\n-- more\n" in next(f["text"] for f in application["files"] if f["path"] == "schema.piql")
    await files_told(20)
    third = await files_told(20)
    assert third != second
    for _ in range(3):
        await files_told(1)
    write()
    assert await files_told(1) != third, "one page hears of each change"


def _pulse_of(client: httpx.AsyncClient) -> Any:
    transport: Any = client._transport
    return transport.app.state.workbench.pulse
