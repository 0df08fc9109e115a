"""A sweep of a log of intents is short however much has been written: it begins where the oldest intent may be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import piql
import pytest
from piql.runtime.writing.stepped import intents
from piql.runtime.writing.stepped.intents import intents_of, processes

from .interrupted import GatedStore, Interruption, Killed
from .world import begin, check_consistent, opened, outcome


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes say where their logs begin after each twenty writes."""
    monkeypatch.setattr(intents, "_ANNOUNCED_FOR_NUMBERS", 20)


def change(number: int) -> str:
    return f"UPDATE members SET team = '{('red', 'grey')[number % 2]}' WHERE id = 1"


def test_a_sweep_does_not_read_over_what_was_written_and_forgotten() -> None:
    store = begin()
    writer = opened(store)
    for number in range(1, 60):
        assert outcome(writer, change(number)) == "done"
    assert store.row_writes is not None
    assert writer._identity is not None
    announced = processes(store.row_writes)[writer._identity.stamps.process]
    assert int(announced.behind, 16) >= 20
    check_consistent(writer)


def test_an_intent_that_was_left_is_found_however_much_was_written_after_it() -> None:
    store, interruption = begin(), Interruption(10_000)
    writer = opened(GatedStore(store, interruption))
    assert outcome(writer, change(1)) == "done"
    interruption.left = 4
    with suppress(Killed):
        outcome(writer, "INSERT INTO members (id, team, note) VALUES (4, 'blue', 'new')")
    assert interruption.late is not None
    interruption.late, interruption.left = None, 10**9  # the process lives, and only this write was given up
    for number in range(2, 60):
        outcome(writer, change(number))
    assert store.row_writes is not None
    assert writer._identity is not None
    name = writer._identity.stamps.process
    assert len(list(intents_of(store.row_writes, name, processes(store.row_writes)[name].behind))) == 1
    assert writer.sweep(older_than=-1).withdrawn == 1
    for number in range(2, 40):
        outcome(writer, change(number))
    assert int(processes(store.row_writes)[name].behind, 16) > 60
    check_consistent(writer)


def test_a_process_whose_announcement_failed_announces_itself_before_its_next_write() -> None:
    store = begin()
    fails = {"note"}

    def gate(name: str, request: Callable[[], Any]) -> Any:
        if name in fails:
            fails.clear()
            raise piql.StoreUnavailable("no answer")
        return request()

    writer, reader = opened(GatedStore(store, gate)), opened(store)
    assert outcome(writer, change(1)) == "StoreUnavailable"  # it was about to announce itself
    fails.add("change to VISIBLE")
    assert outcome(writer, change(1)) == "StoreUnavailable"
    assert reader.sweep(older_than=-1).withdrawn == 1
    check_consistent(reader)
