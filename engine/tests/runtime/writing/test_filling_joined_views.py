"""A view of several tables that is added to tables with rows, on a store without transactions, beside writers.

The walk that fills it is a writer like others: `count 1` has it count the line 1. What the view takes of a book is held
from the announcement on; a change that was sent before by somebody who did not know of it must come too late.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import piql
import pytest
from piql.client.database import Database
from piql.client.recounts import recount
from piql.store.embedded.store import EmbeddedStore
from piql.store.stepwise.store import StepwiseStore
from piql.versions.change import build as builds
from piql.versions.change import steps
from piql.versions.change.state import read_state
from piql.versions.deploy import begin_deploy, open_build
from promises import broken_promises, broken_views

from .exploring import Exploration
from .filling_views import SLOW, intents_left, taken_over, write_or_count
from .interleaved import Script
from .interrupted import GatedStore, Interruption, Killed
from .joined_sales import ROWS, TABLES, VIEWS
from .test_all_orders import HURRIED, SKEWS, Theatre
from .world import opened, outcome

_FOLDERS: list[TemporaryDirectory[str]] = []  # they go with the process
_numbers = count()

PAIRS: dict[str, tuple[Script, Script]] = {
    "a line is counted, and its book changes": (("count 1",), ("UPDATE books SET kind = 'new' WHERE id = 1",)),
    "a line is counted and goes, and its book changes": (
        ("count 1",),
        ("DELETE FROM lines WHERE id = 1", "UPDATE books SET kind = 'new' WHERE id = 1"),
    ),
    "a line is counted and moves": (("count 1",), ("UPDATE lines SET book = 4 WHERE id = 1",)),
    "a line is counted, and another one of its book comes": (
        ("count 1",),
        ("INSERT INTO lines (id, book, qty) VALUES (5, 1, 2)",),
    ),
    "a line is counted, and what no view takes of its book changes": (
        ("count 1",),
        ("UPDATE books SET note = 'x' WHERE id = 1",),
    ),
    "a line is counted twice": (("count 1",), ("count 1",)),
    "a new line of a book without a mark, and the book changes": (
        ("INSERT INTO lines (id, book, qty) VALUES (5, 3, 2)",),
        ("UPDATE books SET kind = 'new' WHERE id = 3",),
    ),
}
WRITES = (
    "INSERT INTO lines (id, book, qty) VALUES (5, 3, 2)",
    "UPDATE lines SET book = 4 WHERE id = 1",
    "UPDATE lines SET book = NULL WHERE id = 1",
    "DELETE FROM lines WHERE id = 1",
    "UPDATE books SET kind = 'new' WHERE id = 4",
    "UPDATE books SET note = 'x' WHERE id = 1",
    "INSERT INTO marks (book, who, stars) VALUES (4, 1, 2)",
)


@pytest.fixture(autouse=True)
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for anybody: the tests say who knows what, and when."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(builds, "GRACE_SECONDS", 0.0)


@cache
def _in_phase(phase: str | None) -> Path:
    """Return a file of the tables with rows, whose views are on their way, or not yet announced."""
    _FOLDERS.append(TemporaryDirectory(prefix="piql-filling-", ignore_cleanup_errors=True))
    path = Path(_FOLDERS[-1].name) / "begin.db"
    store = StepwiseStore(path, "NORMAL")
    db = Database(store)
    db.deploy(piql.compile(TABLES))
    for table, rows in ROWS.items():
        db.load(table, rows)
    if phase is not None:
        build = begin_deploy(store, piql.compile(TABLES + VIEWS), pace=SLOW)
        while (change := read_state(store).change) is not None and change.phase != phase:
            assert build.step()
    db.close()
    return path


def tables(phase: str | None = "filling") -> EmbeddedStore:
    """Open a copy of the tables while their views are filled, or in another phase."""
    path = _in_phase(phase)
    copy = path.with_name(f"{next(_numbers)}.db")
    shutil.copy(path, copy)
    return StepwiseStore(copy, "NORMAL")


def do(db: Database, script: str) -> str:
    """Make a write, or count a line as the walk does, and say what came of it."""
    return write_or_count(db, "lines", script)


def check_filled(db: Database) -> None:
    """Settle and count what is left, and hold all views against their rows."""
    db.sweep(older_than=-1_000_000)
    for table, rows in ROWS.items():
        writer = db._prepared.stepped(table)
        for row in db.some_rows(table, db.deployment.tables[table].primary_key, 99) if rows else ():
            writer.count(row)
    assert broken_views(db, with_coming=True) == []
    assert intents_left(db) == []


def explore(what: str, hurried: int | None) -> int:
    """Try all orders of the requests of two processes, and say how many were told apart."""
    theatre, exploration = Theatre(SKEWS["clocks that agree"], hurried, tables, do), Exploration()
    runs = 0
    while True:
        exploration.begin()
        outcomes = theatre.run(PAIRS[what], exploration.choose)
        if outcomes is not None:
            runs += 1
            check_filled(theatre.reader)
        if not exploration.go_on():
            return runs


@pytest.mark.parametrize("what", ["a new line of a book without a mark, and the book changes"])
def test_the_walk_beside_a_writer_in_all_orders(what: str) -> None:
    assert explore(what, None) > 1


@pytest.mark.long
@pytest.mark.parametrize("hurried", HURRIED)
@pytest.mark.parametrize("what", PAIRS)
def test_the_walk_beside_every_writer_in_all_orders(what: str, hurried: str) -> None:
    runs = explore(what, HURRIED[hurried])
    print(f"{what}, {hurried}: {runs:,} orders")
    assert runs > 1


def stopped(script: str, at: int, phase: str | None = "filling") -> tuple[EmbeddedStore, Interruption]:
    """Return a store on which a process was killed after so many changes, and what stopped it."""
    store, interruption = tables(phase), Interruption(10_000)
    db = opened(GatedStore(store, interruption))
    interruption.left = at
    with suppress(Killed):
        do(db, script)
    return store, interruption


def changes_of(script: str, phase: str | None = "filling") -> int:
    return len(stopped(script, 10_000, phase)[1].passed)


@pytest.mark.parametrize("script", ["count 1", WRITES[4]])
def test_whoever_is_killed_while_views_are_filled(script: str) -> None:
    kill(script, "UPDATE lines SET book = NULL WHERE id = 1", "UPDATE books SET kind = 'new' WHERE id = 1")


@pytest.mark.long
@pytest.mark.parametrize("script", ["count 1", *WRITES])
@pytest.mark.parametrize("then", WRITES)
def test_whoever_is_killed_while_views_are_filled_and_whatever_comes_then(script: str, then: str) -> None:
    kill(script, then, "UPDATE books SET kind = 'new' WHERE id = 1")
    kill(script, then, "count 1")


def kill(script: str, *then: str) -> None:
    """Kill a process at each step, have others write, and let the step under way arrive between or behind them."""
    for at in range(changes_of(script) + 1):
        for arrives_at in range(len(then) + 1):
            store, interruption = stopped(script, at)
            fresh = opened(store)
            for number, statement in enumerate((*then, "")):
                if number == arrives_at and interruption.late is not None:
                    interruption.late()
                if statement:
                    do(fresh, statement)
            check_filled(fresh)
            fresh.close()


@pytest.mark.parametrize("book", [1, 3])
def test_a_change_of_a_book_from_one_who_did_not_know_of_the_view_comes_too_late(book: int) -> None:
    statement = f"UPDATE books SET kind = 'old' WHERE id = {book}"
    for at in range(changes_of(statement, None)):
        store, interruption = stopped(statement, at, None)
        begin_deploy(store, piql.compile(TABLES + VIEWS), pace=SLOW).run()
        fresh = opened(store)
        assert outcome(fresh, "INSERT INTO lines (id, book, qty) VALUES (5, 3, 2)") == "done"
        assert interruption.late is not None
        interruption.late()
        fresh.sweep(older_than=-1)
        assert broken_promises(fresh) == []
        fresh.close()


def test_writers_one_phase_apart_leave_new_views_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("piql.runtime.writing.stepped.writer.LOOK_SECONDS", float("inf"))
    store = tables("announced")
    late = opened(store)
    late._look_at = float("inf")
    build = taken_over(store)
    while (change := read_state(store).change) is not None and change.phase != "filling":
        assert build.step()
    early = opened(store)
    writes = [
        (late, "INSERT INTO lines (id, book, qty) VALUES (5, 3, 2)", "done"),
        (early, "INSERT INTO lines (id, book, qty) VALUES (6, 4, 2)", "done"),
        (late, "UPDATE books SET kind = 'new' WHERE id = 4", "ConstraintViolation"),
        (early, "UPDATE books SET kind = 'new' WHERE id = 3", "ConstraintViolation"),
        (late, "UPDATE lines SET book = 1 WHERE id = 6", "done"),
        (late, "UPDATE books SET kind = 'new' WHERE id = 4", "done"),
        (early, "count 1", "counted"),
        (late, "UPDATE lines SET book = 5 WHERE id = 1", "done"),  # nobody has counted a line of it yet
        (late, "UPDATE lines SET book = 4 WHERE id = 1", "done"),
        (early, "UPDATE lines SET qty = 3 WHERE id = 2", "done"),
        (late, "DELETE FROM lines WHERE id = 5", "done"),
        (late, "UPDATE books SET kind = 'last' WHERE id = 3", "done"),
    ]
    for db, script, result in writes:
        assert do(db, script) == result, script
    check_filled(early)


@pytest.mark.parametrize("killed_at", range(0, 60, 6))
def test_a_build_that_is_killed_at_any_request_is_ended_by_another(killed_at: int) -> None:
    store, interruption = tables(), Interruption(10_000)
    build = taken_over(GatedStore(store, interruption))  # type: ignore[arg-type]
    interruption.left = killed_at
    with suppress(Killed):
        build.run()
    if interruption.late is not None:
        interruption.late()
    fresh = opened(store)
    assert outcome(fresh, "UPDATE lines SET book = 4 WHERE id = 1") == "done"
    if open_build(store) is not None:
        taken_over(store).run()
    fresh._refresh()
    fresh.sweep(older_than=-1)
    assert fresh.deployment.version == 2
    assert broken_promises(fresh) == []
    assert all(recount(fresh, fresh.deployment.tables[name]).is_right for name in ("sold", "lands", "liked"))
    fresh.close()


def test_a_view_that_is_dropped_holds_nothing_and_is_filled_again_by_a_rollback() -> None:
    db = opened(tables(None))
    change = "UPDATE books SET kind = 'new' WHERE id = 1"
    db.deploy(piql.compile(TABLES + VIEWS))
    assert outcome(db, change) == "ConstraintViolation"
    db.deploy(piql.compile(TABLES), forget=["sold", "lands", "liked"])
    assert outcome(db, change) == "done"
    assert outcome(db, "UPDATE lines SET book = 4 WHERE id = 1") == "done"
    db.rollback()
    assert broken_promises(db) == []
    assert outcome(db, "UPDATE books SET kind = 'last' WHERE id = 4") == "ConstraintViolation"
