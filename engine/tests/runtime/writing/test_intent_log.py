"""A log of intents is short however much has been written: sweeps begin where the oldest intent may be."""

from __future__ import annotations

from contextlib import suppress

import pytest
from piql.runtime.writing.stepped import intents
from piql.runtime.writing.stepped.intents import intents_of, servers

from .interrupted import GatedStore, Interruption, Killed
from .world import begin, check_consistent, opened, outcome


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers say where their logs begin after each twenty writes."""
    monkeypatch.setattr(intents, "_ANNOUNCED_FOR_NUMBERS", 20)


def change(number: int) -> str:
    return f"UPDATE members SET team = '{('red', 'grey')[number % 2]}' WHERE id = 1"


def test_a_sweep_does_not_read_over_what_was_written_and_forgotten() -> None:
    store = begin()
    writer = opened(store)
    for number in range(1, 60):
        assert outcome(writer, change(number)) == "done"
    assert store.steps is not None
    assert writer._server is not None
    announced = servers(store.steps)[writer._server.stamps.server]
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
    assert store.steps is not None
    assert writer._server is not None
    name = writer._server.stamps.server
    assert len(list(intents_of(store.steps, name, servers(store.steps)[name].behind))) == 1
    assert writer.sweep(older_than=-1).withdrawn == 1
    for number in range(2, 40):
        outcome(writer, change(number))
    assert int(servers(store.steps)[name].behind, 16) > 60
    check_consistent(writer)
