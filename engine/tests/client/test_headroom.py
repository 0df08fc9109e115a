"""How many rows more a group may take, asked before they are written."""

from datetime import date

import piql
import pytest

from .conftest import NAMES


def test_headroom_goes_down_with_each_row_and_up_again(db: piql.Database) -> None:
    assert db.headroom("subscriptions", {"owner": "a"}) == 1
    db.execute("follow", {"owner": "a", "target": "h"})
    assert db.headroom("subscriptions", {"owner": "a"}) == 0
    db.execute("unfollow", {"owner": "a", "target": "h"})
    db.execute("unfollow", {"owner": "a", "target": "b"})
    assert db.headroom("subscriptions", {"owner": "a"}) == 2
    assert db.headroom("subscriptions", {"owner": "nobody"}) == 5
    assert all(db.headroom("subscriptions", {"owner": name}, consistency="quorum") == 1 for name in NAMES[1:])


def test_headroom_of_what_has_no_limit_is_refused(db: piql.Database) -> None:
    with pytest.raises(piql.InvalidParameter, match=r"no CARDINALITY LIMIT on target; it has: owner"):
        db.headroom("subscriptions", {"target": "a"})
    with pytest.raises(piql.InvalidParameter, match="it has: none"):
        db.headroom("users", {"hometown": "Oslo"})
    with pytest.raises(piql.NotDeployed):
        db.headroom("nothing", {"owner": "a"})
    for owner in (5, None, "x" * 33):
        with pytest.raises(piql.InvalidParameter, match=r"subscriptions\.owner"):
            db.headroom("subscriptions", {"owner": owner})


def test_headroom_of_words_days_and_whole_keys() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(
            piql.compile(
                """CREATE TABLE notes (id INT PRIMARY KEY, day DATE NULL, room INT, body VARCHAR(60) NULL,
                CARDINALITY LIMIT 2 (TOKEN(body)), CARDINALITY LIMIT 3 (day, room));"""
            )
        )
        db.load("notes", [{"id": n, "day": date(2026, 1, 1), "room": 1, "body": "Red"} for n in range(2)])
        assert db.headroom("notes", {"body": "rEd"}) == 0
        assert db.headroom("notes", {"body": "blue"}) == 2
        assert db.headroom("notes", {"room": 1, "day": "2026-01-01"}) == 1
        with pytest.raises(piql.InvalidParameter, match="not counted"):
            db.headroom("notes", {"room": 1, "day": None})
