"""A write that stops at any step is whole or absent for every reader, and after recovery in the store, too."""

from __future__ import annotations

from contextlib import suppress

import pytest
from piql.runtime.writing.stepped.backoff import WaitPolicy

from .interleaved import serially
from .interrupted import GatedStore, Interruption, Killed
from .world import begin, check_consistent, opened, outcome, seen, seen_by

WRITES = {
    "a new row": "INSERT INTO users (u, mail, town, age) VALUES ('new', 'n@x', 'Bonn', 9)",
    "a new row if there is none": "INSERT INTO members (id, team, note) VALUES (4, 'blue', 'new out') IF NOT EXISTS",
    "a row in the place of another": "INSERT INTO users (u, mail, town, age) VALUES ('zoe', 'n@x', 'Rome', 9)",
    "a change of a key column": "UPDATE users SET town = 'Rome' WHERE u = 'bob'",
    "a change of what an index holds": "UPDATE users SET age = 7 WHERE u = 'bob'",
    "a change of a unique value": "UPDATE users SET mail = 'n@x' WHERE u = 'zoe'",
    "a move to another group": "UPDATE members SET team = 'blue', note = 'out' WHERE id = 1",
    "leaving a group": "UPDATE members SET team = NULL, note = NULL WHERE id = 1",
    "a row that refers to others": "INSERT INTO subs (o, t) VALUES ('ada', 'eve')",
    "a row that refers by a unique value": "INSERT INTO letters (id, mail) VALUES (2, 'z@x')",
    "a row goes": "DELETE FROM members WHERE id = 2",
    "a row goes that could be referred to": "DELETE FROM users WHERE u = 'zoe'",
    "a row that is refused by a limit": "INSERT INTO members (id, team, note) VALUES (5, 'red', 'out')",
    "a row that is refused by a foreign key": "INSERT INTO subs (o, t) VALUES ('ada', 'nobody')",
    "a delete that is refused by a reference": "DELETE FROM users WHERE u = 'ada'",
    "an upsert of a new row": "INSERT INTO users (u, mail, town, age) VALUES ('new', 'n@x', 'Bonn', 9)"
    " ON CONFLICT (u) DO UPDATE SET age = 9",
    "an upsert of a row that is there": "INSERT INTO members (id, team) VALUES (1, 'blue')"
    " ON CONFLICT (id) DO UPDATE SET team = EXCLUDED.team, note = 'out'",
    "an upsert by a unique value": "INSERT INTO users (u, mail) VALUES ('new', 'z@x')"
    " ON CONFLICT (mail) DO UPDATE SET town = 'Rome', age = 9",
    "a row that is left as it is": "INSERT INTO users (u, mail) VALUES ('new', 'z@x') ON CONFLICT DO NOTHING",
    "a change by a unique value": "UPDATE users SET town = 'Rome', mail = 'z@x' WHERE mail = 'z@x'",
    "a row that goes by its unique value": "DELETE FROM users WHERE mail = 'z@x'",
    "a change that is refused by a reference": "UPDATE users SET mail = 'n@x' WHERE u = 'ada'",
}


def changes_of(statement: str) -> list[str]:
    """Return the names of the changes that a write makes, one by one."""
    count = Interruption(10_000)
    db = opened(GatedStore(begin(), count))
    count.passed.clear()
    outcome(db, statement)
    db.close()
    return count.passed


def test_writes_have_steps_to_stop_at() -> None:
    assert changes_of(WRITES["a change of what an index holds"]) == [
        "note",  # the server announces itself, once
        "note",
        "entry DOUBTFUL",
        "entry DOUBTFUL",
        "change to VISIBLE",
        "entry VISIBLE",
        "entry VISIBLE",
        "forget",
    ]
    assert len(changes_of(WRITES["a row in the place of another"])) == 15


@pytest.mark.parametrize("what", WRITES)
def test_a_write_may_stop_at_any_step(what: str) -> None:
    statement = WRITES[what]
    old, new = serially()[1], serially(statement)[1]
    steps = changes_of(statement)
    for at in range(len(steps) + 1):
        where = f"stopped after {at} of {steps}"
        store, interruption = begin(), Interruption(10_000)
        reader, db = opened(store), opened(GatedStore(store, interruption))
        interruption.left = at
        result = ""
        with suppress(Killed):
            result = outcome(db, statement)
        state = seen(reader)
        assert state in (old, new), f"{where}: " + str({key: state[key] for key in state if state[key] != old[key]})
        assert result != "done" or state == new, f"{where}: an acknowledged write is lost"
        fresh = opened(store)
        assert seen_by(fresh, "parallel") == state, f"{where}: recovery changed what had been seen"
        check_consistent(fresh)
        if interruption.late is not None:
            interruption.late()
            assert seen(fresh) == state, f"{where}: a late step changed what is seen"
        once_more = outcome(fresh, statement)
        if "IF NOT EXISTS" not in statement and not statement.startswith("DELETE"):  # there is no row any more
            assert once_more == serially(statement)[0][0], where
        assert seen(fresh) == new, f"{where}: the same write does not do its work any more"
        fresh.close()


def test_a_late_place_is_found_and_given_back_when_its_group_is_full() -> None:
    store, interruption = begin(), Interruption(10_000)
    db = opened(GatedStore(store, interruption))
    interruption.left = 2  # the intent is noted, the place is under way
    with suppress(Killed):
        outcome(db, "INSERT INTO members (id, team, note) VALUES (4, 'blue', NULL)")
    assert interruption.late is not None
    fresh = opened(store)
    interruption.late()  # now a place is taken that no intent knows of
    assert outcome(fresh, "INSERT INTO members (id, team, note) VALUES (5, 'blue', NULL)") == "done"
    assert outcome(fresh, "INSERT INTO members (id, team, note) VALUES (6, 'blue', NULL)") == "CardinalityViolation"
    check_consistent(fresh)


def test_a_place_is_taken_over_only_from_a_write_that_cannot_succeed_any_more() -> None:
    statement = "INSERT INTO members (id, team, note) VALUES (4, 'blue', NULL)"
    commit = changes_of(statement).index("change to VISIBLE")
    store, interruption = begin(), Interruption(10_000)
    dying, other = opened(GatedStore(store, interruption)), opened(store)
    interruption.left = commit
    with suppress(Killed):
        outcome(dying, statement)
    assert outcome(other, "INSERT INTO members (id, team, note) VALUES (5, 'blue', NULL)") == "done"
    assert interruption.late is not None
    interruption.late()
    assert [row["id"] for row in other.execute("by_team", {"team": "blue"}).rows] == [3, 5]
    other.sweep(older_than=-1)
    check_consistent(other)


def test_a_sweep_says_what_it_did_and_leaves_writes_in_progress_alone() -> None:
    store = begin()
    for at in (2, 7):
        interruption = Interruption(10_000)
        db = opened(GatedStore(store, interruption), wait_policy=None)
        interruption.left = at
        with suppress(Killed):
            outcome(db, f"INSERT INTO users (u, mail, town, age) VALUES ('new{at}', '{at}@x', 'Bonn', 9)")
    report = opened(store, wait_policy=None).sweep(older_than=60)
    assert (report.completed, report.withdrawn, report.waiting) == (0, 0, 2)
    reader = opened(store, wait_policy=None)
    report = reader.sweep(older_than=-1)
    assert (report.completed, report.withdrawn, report.waiting) == (1, 1, 0)
    assert reader.execute("by_town", {"town": "Bonn"}).rows == [{"u": "new7", "mail": "7@x", "age": 9}]
    check_consistent(reader)


def test_readers_count_what_they_settle() -> None:
    store, interruption = begin(), Interruption(10_000)
    db = opened(GatedStore(store, interruption))
    reader = opened(store)
    interruption.left = 5
    with suppress(Killed):
        outcome(db, "INSERT INTO users (u, mail, town, age) VALUES ('new', 'n@x', 'Bonn', 9)")
    page = reader.execute("by_town", {"town": "Bonn"})
    assert (page.rows, page.operations, page.repair_operations, page.attempts) == ([], 1, 1, 2)


def test_places_that_a_late_step_took_are_found_by_a_sweep_though_no_group_is_full() -> None:
    store, interruption = begin(), Interruption(10_000)
    dying = opened(GatedStore(store, interruption))
    interruption.left = 2  # the intent is noted, the place is under way
    with suppress(Killed):
        outcome(dying, "INSERT INTO members (id, team, note) VALUES (4, 'grey', NULL)")
    assert interruption.late is not None
    naps: list[float] = []
    fresh = opened(store, wait_policy=WaitPolicy(patience=0.0, sleep=naps.append))
    interruption.late()  # now a place of a group without rows is taken, and no intent knows of it
    report = fresh.sweep(older_than=3600, places=True)
    assert (report.places_returned, naps) == (0, [])
    report = fresh.sweep(older_than=-1, per_second=200, places=True)
    assert report.places_returned == 1
    assert naps == [1 / 200] * report.groups
    assert report.groups >= 6
    check_consistent(fresh)
    again = fresh.sweep(older_than=-1, places=True)
    assert (again.places_returned, again.groups) == (0, report.groups - 1)
    interruption.late()  # once more: a place is never taken for good
    assert fresh.sweep(older_than=-1, places=True).places_returned == 1


def test_a_sweep_of_places_ends_a_write_that_has_one_and_stands_still() -> None:
    statement = "INSERT INTO members (id, team, note) VALUES (4, 'blue', NULL)"
    store, interruption = begin(), Interruption(10_000)
    dying, other = opened(GatedStore(store, interruption)), opened(store)
    interruption.left = changes_of(statement).index("change to VISIBLE")
    with suppress(Killed):
        outcome(dying, statement)
    assert other.sweep(older_than=60, places=True).places_returned == 0
    assert other.sweep(older_than=-1, places=True).withdrawn == 1
    assert interruption.late is not None
    interruption.late()
    assert other.execute("member", {"id": 4}).rows == []
    check_consistent(other)
