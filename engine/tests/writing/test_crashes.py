"""A write that stops at any single step is whole or nothing for every reader, and after recovery for the store, too."""

from __future__ import annotations

from contextlib import suppress

import pytest
from piql.store.embedded import EmbeddedStore

from .interrupted import GatedStore, Interruption, Killed
from .world import begin, check_consistent, opened, outcome, seen

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
    "a change that is refused by a reference": "UPDATE users SET mail = 'n@x' WHERE u = 'ada'",
}


def changes_of(statement: str) -> list[str]:
    """Give the names of the changes that a write makes, one by one."""
    count = Interruption(10_000)
    store = begin()
    db = opened(GatedStore(store, count))
    count.passed.clear()
    outcome(db, statement)
    db.close()
    return count.passed


def after(statement: str) -> dict[str, object]:
    db = opened(begin(EmbeddedStore))
    outcome(db, statement)
    found = seen(db)
    db.close()
    return dict(found)


@pytest.mark.parametrize("what", WRITES)
def test_a_write_may_stop_at_any_step(what: str) -> None:
    statement = WRITES[what]
    old, new = after("DELETE FROM members WHERE id = 99"), after(statement)
    steps = changes_of(statement)
    for at in range(len(steps) + 1):
        for is_late in (False, True):
            store = begin()
            reader = opened(store)
            interruption = Interruption(10_000)
            db = opened(GatedStore(store, interruption))
            interruption._left = at
            with suppress(Killed):
                outcome(db, statement)
            where = f"stopped after {at} of {steps}"
            found = seen(reader)
            assert found in (old, new), (
                f"{where}: {[(k, found[k], old[k], new[k]) for k in found if found[k] not in (old[k], new[k])]}"
            )
            fresh = opened(store)
            fresh.sweep(older_than=-1)
            assert seen(fresh) == found, f"{where}: recovery changed what had been seen"
            check_consistent(fresh)
            if is_late and interruption.late is not None:
                interruption.late()
                assert seen(fresh) == found, f"{where}: a late step changed what is seen"
            assert outcome(fresh, "INSERT INTO members (id, team, note) VALUES (4, 'grey', 'x')") == "done", where
            again = outcome(fresh, statement)
            assert again == outcome(opened(begin(EmbeddedStore)), statement) or "IF NOT EXISTS" in statement
            fresh.sweep(older_than=-1)
            fresh.close()
