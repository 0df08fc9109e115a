"""The record, to which many add at once: what waits is written together, and nobody is told before it is written."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest
from patience import PATIENCE
from piql_backend.people.audit import Audit, Deed, Entry
from piql_backend.people.service import People
from piql_backend.web.pages import PageWish
from sqlalchemy.exc import OperationalError

Written = list[list[str]]


def deed(operation: str) -> Deed:
    return Deed(operation, "/api/x", 200)


def written_by(people: People, monkeypatch: pytest.MonkeyPatch) -> Written:
    """Which operations were written together, once all are."""
    written: Written = []
    add = Audit.add

    def counted(audit: Audit, entries: Sequence[Entry]) -> None:
        written.append([entry.deed.operation for entry in entries])
        if any(entry.deed.operation == "unreadable" for entry in entries):
            raise ValueError("a character that the database does not have")
        add(audit, entries)

    monkeypatch.setattr(Audit, "add", counted)
    return written


async def test_what_is_noted_while_the_disk_is_waited_for_is_written_together(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    written: Written = []
    add = Audit.add

    def slow(audit: Audit, entries: Sequence[Entry]) -> None:
        written.append([entry.deed.operation for entry in entries])
        assert may_go_on.wait(PATIENCE)
        add(audit, entries)

    monkeypatch.setattr(Audit, "add", slow)
    first = asyncio.create_task(people.note(None, deed("first")))
    while not written:
        await asyncio.sleep(0.001)
    more = [asyncio.create_task(people.note(None, deed(f"save{number}"))) for number in range(20)]
    await asyncio.sleep(0)
    assert not first.done()
    may_go_on.set()
    await asyncio.gather(first, *more)
    assert written == [["first"], [f"save{number}" for number in range(20)]]
    page = people.audit.page(PageWish(limit=50))
    assert sorted(entry.operation for entry in page.items if entry.path == "/api/x") == sorted(
        ["first", *(f"save{number}" for number in range(20))]
    )


async def test_an_entry_that_cannot_be_written_takes_no_other_one_along(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = written_by(people, monkeypatch)
    notes = [people.note(None, deed(operation)) for operation in ("before", "unreadable", "behind")]
    results = await asyncio.gather(*notes, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), ValueError, type(None)]
    assert written == [["before", "unreadable", "behind"], ["before"], ["unreadable"], ["behind"]]


async def test_a_database_that_is_away_is_asked_once_for_all_who_wait(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def away(_: Audit, entries: Sequence[Entry]) -> None:
        asked.append(len(entries))
        raise OperationalError("", {}, ConnectionError("away"))

    monkeypatch.setattr(Audit, "add", away)
    results = await asyncio.gather(*(people.note(None, deed("save")) for _ in range(9)), return_exceptions=True)
    assert ([type(result) for result in results], asked) == ([OperationalError] * 9, [9])
