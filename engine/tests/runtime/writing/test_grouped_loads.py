"""Loads take each step for many new rows; each row is whole or absent wherever a load stops or meets other writers."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import piql
import pytest
from piql.client.database import Database
from piql.runtime.writing.stepped.grouped_load import chunks
from piql.store.base import Store

from .interrupted import READING, GatedStore, Interruption, Killed
from .world import begin, check_consistent, opened, outcome, seen

Rows = list[dict[str, Any]]

LOADS: dict[str, tuple[str, Rows]] = {
    "rows with unique values": (
        "users",
        [{"u": name, "mail": mail, "town": "Oslo", "age": 9} for name, mail in (("new", "n@x"), ("nil", None))],
    ),
    "rows that name others": ("subs", [{"o": "zoe", "t": "ada"}, {"o": "zoe", "t": "bob"}, {"o": "eve", "t": "zoe"}]),
    "rows that name by a unique value": ("letters", [{"id": 2, "mail": "z@x"}, {"id": 3, "mail": "z@x"}]),
    "rows in groups": (
        "members",
        [{"id": 4, "team": "grey", "note": "out"}, {"id": 5, "team": "grey", "note": "out new"}, {"id": 6}],
    ),
    "new rows and old ones": (
        "members",
        [{"id": 1, "team": "red", "note": "new here"}, {"id": 2, "team": "grey"}, {"id": 4, "team": "blue"}],
    ),
}
MEETINGS = (
    ("rows with unique values", "INSERT INTO users (u, mail, town, age) VALUES ('new', 'n@x', 'Rome', 1)"),
    ("rows with unique values", "INSERT INTO users (u, mail, town, age) VALUES ('zoe', 'n@x', 'Oslo', 4)"),
    ("rows that name others", "DELETE FROM users WHERE u = 'zoe'"),
    ("rows that name by a unique value", "UPDATE users SET mail = NULL WHERE u = 'zoe'"),
    ("rows in groups", "INSERT INTO members (id, team, note) VALUES (9, 'grey', 'out')"),
    ("new rows and old ones", "INSERT INTO members (id, team, note) VALUES (4, 'red', 'here') IF NOT EXISTS"),
    ("new rows and old ones", "UPDATE members SET team = 'grey', note = 'out' WHERE id = 3"),
)


def loaded(db: Database, table: str, rows: Rows) -> str:
    try:
        db.load(table, rows)
    except piql.PiqlError as refusal:
        return type(refusal).__name__
    return "done"


def changes_of(table: str, rows: Rows) -> list[str]:
    count = Interruption(10_000)
    db = opened(GatedStore(begin(), count))
    count.passed.clear()
    assert loaded(db, table, rows) == "done"
    db.close()
    return count.passed


def row_by_row(table: str, rows: Rows) -> list[dict[str, Any]]:
    """Return what is seen when none, one, two … of the rows are in, whichever they are: of each read, its rows."""
    states = []
    for chosen in range(2 ** len(rows)):
        db = opened(begin())
        assert loaded(db, table, [row for at, row in enumerate(rows) if chosen >> at & 1]) == "done"
        states.append(seen(db))
        db.close()
    return states


@pytest.mark.parametrize("what", LOADS)
def test_a_load_may_stop_at_any_step(what: str) -> None:
    table, rows = LOADS[what]
    possible = row_by_row(table, rows)
    steps = changes_of(table, rows)
    for at in range(len(steps) + 1):
        where = f"stopped after {at} of {steps}"
        store, interruption = begin(), Interruption(10_000)
        reader, db = opened(store), opened(GatedStore(store, interruption))
        interruption.left = at
        result = ""
        with suppress(Killed):
            result = loaded(db, table, rows)
        state = seen(reader)
        assert state in possible, where
        assert result != "done" or state == possible[-1], f"{where}: a loaded row is lost"
        fresh = opened(store)
        assert seen(fresh) == state, f"{where}: recovery changed what had been seen"
        check_consistent(fresh)
        if interruption.late is not None:
            interruption.late()
            assert seen(fresh) == state, f"{where}: a late step changed what is seen"
        assert loaded(fresh, table, rows) == "done", where
        assert seen(fresh) == possible[-1], where
        fresh.close()


@pytest.mark.parametrize(("what", "statement"), MEETINGS)
def test_another_write_may_come_between_any_two_steps(what: str, statement: str) -> None:
    table, rows = LOADS[what]
    ends = []
    for is_first in (True, False):
        db = opened(begin())
        said = [outcome(db, statement)] if is_first else []
        said.append(loaded(db, table, rows))
        ends.append((said if is_first else [outcome(db, statement), *said], seen(db)))
        db.close()
    for at in range(len(changes_of(table, rows)) + 1):
        store: Store = begin()
        other, count, said = opened(store), 0, []

        def gate(name: str, request: Any, at: int = at, other: Database = other, said: list[str] = said) -> Any:
            nonlocal count
            if name not in READING:
                if count == at:
                    count += 1
                    said.append(outcome(other, statement))
                count += 1
            return request()

        db = opened(GatedStore(store, gate))
        said.append(loaded(db, table, rows))
        fresh = opened(store)
        fresh.sweep(older_than=-1)
        check_consistent(fresh, may_have_places_left=True)
        if said[-1] == "done" and len(said) == 2:
            assert (said, seen(fresh)) in ends, f"{statement} before step {at}: {said}"
        fresh.close()


def test_rows_of_one_partition_are_loaded_together() -> None:
    records = {(f"a{at % 3}", at): (f"a{at % 3}", at) for at in range(9)}
    divided = chunks(records, 1, size=4)
    assert [[key[0] for key in chunk] for chunk in divided] == [["a0"] * 3 + ["a1"], ["a1"] * 2 + ["a2"] * 2, ["a2"]]
    assert [key for chunk in divided for key in chunk] == sorted(records)
