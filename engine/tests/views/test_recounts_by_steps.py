"""`piql verify` on a store without transactions: groups that rest are compared beside writers, and repaired."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import piql
import pytest
from piql.client.database import Database
from piql.client.recounts import recount, repair
from piql.commands.verify import verify
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.store.row_writes import EntryChange
from piql.store.rows import Row, State
from piql.store.stepwise.store import StepwiseStore
from piql.versions.change import build as builds
from piql.versions.change import steps
from promises import broken_promises
from runtime.writing.interrupted import GatedStore, Interruption, Killed
from runtime.writing.world import opened

TABLE = """
CREATE TABLE orders (id INT PRIMARY KEY, buyer VARCHAR(8) NOT NULL, price INT);
CREATE QUERY put AS INSERT INTO orders (id, buyer, price) VALUES ([id], [buyer], [price]);
CREATE QUERY remove AS DELETE FROM orders WHERE id = [id];
"""
VIEW = """
CREATE VIEW totals AS SELECT buyer, COUNT(*) AS n, COUNT(price) AS m, SUM(price) AS total
FROM orders WHERE buyer <> 'z' GROUP BY buyer;
CREATE QUERY best AS SELECT buyer, n FROM totals ORDER BY n DESC LIMIT 3;
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"stepwise:{tmp_path / 'a.db'}?synchronous=NORMAL"


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    with piql.connect(url) as db:
        db.deploy(piql.compile(TABLE + VIEW))
        db.load("orders", [{"id": n, "buyer": "abcz"[n % 4], "price": None if n % 3 else n} for n in range(20)])
        yield db


def falsify(db: Database) -> None:
    """Take the row of a from the view, count b wrong, and add a group that there is not."""
    groups = db._prepared.stepped("totals")
    wrong: dict[str, Row | None] = {"a": None, "b": ("b", 3, 1, 1), "x": ("x", 1, 0, None)}
    for name, row in wrong.items():

        def put(old: Row | None, row: Row | None = row) -> Row | None:
            return None if row is None else (*row, old[-1] if old is not None else None)

        groups.write((name,), put, Meter())


def test_a_view_that_is_right_is_told_so(db: Database) -> None:
    view = db.deployment.tables["totals"]
    counted = recount(db, view, step_rows=3)
    assert counted.is_right
    assert (counted.rows, counted.groups, counted.busy) == (20, 3, 0)


@pytest.mark.parametrize("step_rows", [1, 1000])
def test_groups_that_differ_are_told_and_repaired(db: Database, step_rows: int) -> None:
    view = db.deployment.tables["totals"]
    falsify(db)
    counted = recount(db, view, step_rows=step_rows)
    held = {difference.group["buyer"]: difference.held and difference.held["n"] for difference in counted.differences}
    gives = {
        difference.group["buyer"]: difference.gives and difference.gives["n"] for difference in counted.differences
    }
    assert held == {"a": None, "b": 3, "x": 1}
    assert gives == {"a": 5, "b": 5, "x": None}
    repaired = repair(db, view, step_rows=step_rows)
    assert repaired.is_right
    assert repaired.repaired == 3
    assert broken_promises(db) == []
    db.execute("put", {"id": 1, "buyer": "x", "price": 3})
    db.execute("remove", {"id": 0})
    assert broken_promises(db) == []


def test_entries_that_differ_are_told_and_repaired(db: Database) -> None:
    view = db.deployment.tables["totals"]
    groups = db._prepared.stepped("totals")
    (entries,) = groups.writer.indexes
    record = groups.records.find(("a",))
    image = groups.records.image(record)
    assert record is not None
    assert db.store.row_writes is not None
    at = stamp_of(record.write) + 100
    (key,) = entries.by_key(image)
    stale = entries.of(("x", 77, 1, 1))
    db.store.row_writes.change_entries([EntryChange(entries.prepared, key, State.GONE, at)])
    db.store.row_writes.change_entries([EntryChange(entries.prepared, row, State.VISIBLE, at) for row in stale])
    counted = recount(db, view)
    assert sorted((stray.group["buyer"], stray.is_lacking) for stray in counted.strays) == [("a", True), ("x", False)]
    assert repair(db, view).is_right
    assert broken_promises(db) == []


def test_writers_beside_a_recount_make_no_difference(db: Database, url: str) -> None:
    view = db.deployment.tables["totals"]
    is_over = threading.Event()

    def write() -> None:
        chance = random.Random(7)
        with piql.connect(url) as writing:
            while not is_over.is_set():
                row = {"id": chance.randrange(20), "buyer": chance.choice("abcz"), "price": chance.randrange(9)}
                writing.execute("put", row)
                writing.execute("remove", {"id": chance.randrange(20)})

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = [recount(db, view, step_rows=4) for _ in range(4)]
    finally:
        is_over.set()
        writer.join()
    assert [count.differences for count in counts] == [()] * 4
    falsify(db)
    assert repair(db, view).is_right
    assert broken_promises(db) == []


def test_what_a_killed_writer_has_left_is_no_difference(tmp_path: Path) -> None:
    for at in range(8):
        store, interruption = StepwiseStore(tmp_path / f"{at}.db", "NORMAL"), Interruption(10_000)
        first = opened(store)
        first.deploy(piql.compile(TABLE + VIEW))
        first.execute("put", {"id": 1, "buyer": "a", "price": 3})
        dying = opened(GatedStore(store, interruption))
        interruption.left = at
        with suppress(Killed):
            dying.execute("put", {"id": 1, "buyer": "b", "price": 4})
        counted = recount(first, first.deployment.tables["totals"])
        assert counted.differences == ()
        store.close()


def test_a_group_that_changes_before_it_is_repaired_is_counted_again(db: Database) -> None:
    view = db.deployment.tables["totals"]
    falsify(db)
    is_written = False

    def write_once(_: str, rows: int) -> None:
        nonlocal is_written
        if rows == 20 and not is_written:
            is_written = True
            db.execute("put", {"id": 99, "buyer": "b", "price": 7})

    assert repair(db, view, write_once, step_rows=4).is_right
    assert broken_promises(db) == []


def test_a_row_that_its_view_left_out_is_told_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written by one who did not know of the view, and made by the store when both walks had passed."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(builds, "GRACE_SECONDS", 0.0)
    db = opened(StepwiseStore(tmp_path / "a.db", "NORMAL"))
    db.deploy(piql.compile(TABLE))
    db.execute("put", {"id": 1, "buyer": "a", "price": 3})
    db.deploy(piql.compile(TABLE + VIEW))
    records = db._prepared.stepped("orders").records
    image: tuple[Any, ...] = (2, "a", 4)
    assert records.put((2,), image, State.VISIBLE, records.stamps.write_after(0), None)[0]
    view = db.deployment.tables["totals"]
    counted = recount(db, view)
    assert (counted.left_out, counted.differences, counted.is_right) == (1, (), False)
    assert repair(db, view).is_right
    assert broken_promises(db) == []


def test_the_command_says_what_differs(db: Database, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(["--store", url]) == 0
    assert capsys.readouterr().out == "totals: 20 rows of orders give 3 groups, and it holds them\n"
    falsify(db)
    assert verify(["--store", url]) == 1
    assert "3 groups of it differ" in capsys.readouterr().out
    assert verify(["--store", url, "--repair"]) == 0
    assert "and it holds them, 3 groups repaired" in capsys.readouterr().out
