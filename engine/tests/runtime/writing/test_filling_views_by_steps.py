"""A view that is added to a table with rows, on a store without transactions: each row counts once, whoever is killed.

The walk that fills it is a writer beside others: `count 1` has it count the row 1.
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
from piql.runtime.writing.stepped import writer as writers
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
from .test_all_orders import HURRIED, SKEWS, Theatre
from .test_views_by_steps import SUMS, WRITES
from .world import TEXT, begin, opened, outcome

VIEW = """
CREATE VIEW by_page_again AS
SELECT page, COUNT(*) AS visits, COUNT(seconds) AS timed, SUM(seconds) AS total
FROM visits WHERE page IS NOT NULL GROUP BY page;
CREATE QUERY top_again AS SELECT page, visits FROM by_page_again ORDER BY visits DESC LIMIT 3;
"""
IDS = range(1, 8)
_FOLDERS: list[TemporaryDirectory[str]] = []  # they go with the process
_numbers = count()  # of copies: a name that is used twice is that of a store that may still be open

PAIRS: dict[str, tuple[Script, Script]] = {
    "a row is counted and changed": (("count 1",), ("UPDATE visits SET page = 'news' WHERE id = 1",)),
    "a row is counted and goes": (("count 3",), ("DELETE FROM visits WHERE id = 3",)),
    "a row is counted twice": (("count 1",), ("count 1",)),
    "two rows of one group": (("count 1",), ("count 2",)),
    "a row is counted, and one comes": (
        ("count 1",),
        ("INSERT INTO visits (id, page, seconds) VALUES (5, 'home', 3)",),
    ),
    "a row is counted, and changed so that no group sees it": (
        ("count 1",),
        ("UPDATE visits SET host = 'x' WHERE id = 1",),
    ),
    "a row goes and comes again": (
        ("count 3",),
        ("DELETE FROM visits WHERE id = 3", "INSERT INTO visits (id, page, seconds) VALUES (3, 'home', 1)"),
    ),
    "a row comes into the view": (("count 4",), ("UPDATE visits SET page = 'news' WHERE id = 4",)),
}


@pytest.fixture(autouse=True)
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for anybody: the tests say who knows what, and when."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(builds, "GRACE_SECONDS", 0.0)


@cache
def _in_phase(phase: str) -> Path:
    """Return a file of the world whose view is on its way, and has counted nothing yet."""
    _FOLDERS.append(TemporaryDirectory(prefix="piql-filling-", ignore_cleanup_errors=True))
    store = begin()
    build = begin_deploy(store, piql.compile(TEXT + VIEW), pace=SLOW)
    while (change := read_state(store).change) is not None and change.phase != phase:
        assert build.step()
    path = Path(_FOLDERS[-1].name) / f"{phase}.db"
    store.close()
    shutil.copy(store.path, path)
    return path


def filling(phase: str = "filling") -> EmbeddedStore:
    """Open the world while its view is filled, a copy of its own."""
    path = _in_phase(phase)
    copy = path.with_name(f"{next(_numbers)}.db")
    shutil.copy(path, copy)
    return StepwiseStore(copy, "NORMAL")


def do(db: Database, script: str) -> str:
    """Make a write, or count a row as the walk does, and say what came of it."""
    return write_or_count(db, "visits", script)


def check_filled(db: Database) -> None:
    """Settle and count what is left, and hold both views against their rows."""
    db.sweep(older_than=-1_000_000)
    for row in IDS:
        do(db, f"count {row}")
    assert broken_views(db, with_coming=True) == []
    assert intents_left(db) == []


def stopped(script: str, at: int) -> tuple[EmbeddedStore, Interruption]:
    """Return a store on which a process was killed after so many changes, and what stopped it."""
    store, interruption = filling(), Interruption(10_000)
    db = opened(GatedStore(store, interruption))
    interruption.left = at
    with suppress(Killed):
        do(db, script)
    return store, interruption


def changes_of(script: str) -> int:
    interruption = stopped(script, 10_000)[1]
    return len(interruption.passed)


def explore(what: str, scripts: tuple[Script, Script], hurried: int | None) -> int:
    """Try all orders of the requests of two processes, and say how many were told apart."""
    theatre, exploration = Theatre(SKEWS["clocks that agree"], hurried, filling, do), Exploration()
    runs = 0
    while True:
        exploration.begin()
        outcomes = theatre.run(scripts, exploration.choose)
        if outcomes is not None:
            runs += 1
            assert {result for results in outcomes for result in results} <= {"done", "counted"}, f"{what}: {outcomes}"
            check_filled(theatre.reader)
        if not exploration.go_on():
            return runs


@pytest.mark.parametrize("script", ["count 1", "count 3"])
def test_the_walk_may_stop_at_any_step_of_a_row(script: str) -> None:
    for at in range(changes_of(script) + 1):
        store, interruption = stopped(script, at)
        fresh = opened(store)
        do(fresh, "UPDATE visits SET page = 'new' WHERE id = 1")
        if interruption.late is not None:
            interruption.late()
        check_filled(fresh)
        fresh.close()


@pytest.mark.parametrize("what", WRITES)
def test_a_write_may_stop_at_any_step_while_a_view_is_filled(what: str) -> None:
    for at in range(changes_of(WRITES[what]) + 1):
        store, interruption = stopped(WRITES[what], at)
        fresh = opened(store)
        if at % 2:
            do(fresh, "count 1")
            do(fresh, "count 3")
        if interruption.late is not None:
            interruption.late()
        check_filled(fresh)
        assert outcome(fresh, WRITES[what]) in ("done", "no row")
        check_filled(fresh)
        fresh.close()


@pytest.mark.parametrize("what", ["a row is counted and changed", "a row is counted twice"])
def test_the_walk_beside_a_writer_in_all_orders(what: str) -> None:
    assert explore(what, PAIRS[what], None) > 1


@pytest.mark.long
@pytest.mark.parametrize("hurried", HURRIED)
@pytest.mark.parametrize("what", PAIRS)
def test_the_walk_beside_every_writer_in_all_orders(what: str, hurried: str) -> None:
    runs = explore(what, PAIRS[what], HURRIED[hurried])
    print(f"{what}, {hurried}: {runs:,} orders")
    assert runs > 1


@pytest.fixture
def late_and_early(monkeypatch: pytest.MonkeyPatch) -> tuple[Database, Database]:
    """A writer that knows of the view and counts nothing yet, and one that counts."""
    monkeypatch.setattr(writers, "LOOK_SECONDS", float("inf"))
    store = filling("announced")
    late = opened(store)
    late._look_at = float("inf")
    build = taken_over(store)
    while (change := read_state(store).change) is not None and change.phase != "filling":
        assert build.step()
    return late, opened(store)


def test_writers_one_phase_apart_leave_a_new_view_right(late_and_early: tuple[Database, Database]) -> None:
    late, early = late_and_early
    writes = [
        (late, "INSERT INTO visits (id, page, seconds) VALUES (5, 'home', 3)"),
        (early, "INSERT INTO visits (id, page, seconds) VALUES (6, 'home', 4)"),
        (late, "UPDATE visits SET page = 'news' WHERE id = 6"),
        (early, "UPDATE visits SET page = 'news' WHERE id = 5"),
        (late, "UPDATE visits SET page = 'new' WHERE id = 1"),
        (early, "count 1"),
        (late, "UPDATE visits SET page = 'home', seconds = 1 WHERE id = 1"),
        (early, "DELETE FROM visits WHERE id = 2"),
        (late, "INSERT INTO visits (id, page, seconds) VALUES (2, 'home', 9)"),
        (late, "DELETE FROM visits WHERE id = 6"),
        (early, "INSERT INTO visits (id, page, seconds) VALUES (6, 'new', 2)"),
        (late, "UPDATE visits SET page = NULL WHERE id = 6"),
        (early, "UPDATE visits SET page = 'home' WHERE id = 6"),
    ]
    for db, script in writes:
        assert do(db, script) in ("done", "counted")
    check_filled(early)


def test_a_writer_that_does_not_know_of_a_view_changes_no_row_that_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "LOOK_SECONDS", float("inf"))
    store = begin()
    unknowing = opened(store)
    unknowing._look_at = float("inf")
    build = begin_deploy(store, piql.compile(TEXT + VIEW), pace=SLOW)
    build.run()
    assert unknowing._prepared.deployment.version == 1
    assert outcome(unknowing, "UPDATE visits SET page = 'news' WHERE id = 1") == "done"
    assert unknowing._prepared.deployment.version == 2
    assert broken_views(unknowing) == []


def test_a_row_that_arrives_late_from_one_who_did_not_know_is_counted_by_a_sweep() -> None:
    store, interruption = begin(), Interruption(10_000)
    unknowing = opened(GatedStore(store, interruption))
    interruption.left = 2  # its intent, behind the name of its process
    with suppress(Killed):
        outcome(unknowing, "INSERT INTO visits (id, page, seconds) VALUES (5, 'home', 3)")
    assert interruption.late is not None
    begin_deploy(store, piql.compile(TEXT + VIEW), pace=SLOW).run()
    interruption.late()
    fresh = opened(store)
    fresh.sweep(older_than=-1)
    assert broken_promises(fresh) == []


@pytest.mark.parametrize("killed_at", range(0, 60, 3))
def test_a_build_that_is_killed_at_any_request_is_ended_by_another(killed_at: int) -> None:
    store, interruption = filling(), Interruption(10_000)
    build = taken_over(GatedStore(store, interruption))
    interruption.left = killed_at
    with suppress(Killed):
        build.run()
    if interruption.late is not None:
        interruption.late()
    fresh = opened(store)
    assert outcome(fresh, "UPDATE visits SET page = 'new' WHERE id = 3") == "done"
    if open_build(store) is not None:
        taken_over(store).run()
    fresh._refresh()
    fresh.sweep(older_than=-1)
    assert fresh.deployment.version == 2
    assert broken_promises(fresh) == []
    fresh.close()


def with_sums(tmp_path: Path) -> tuple[Database, str]:
    """A table of sales that no view counts yet, and the text with the view."""
    table, view = SUMS.split("CREATE VIEW")
    db = opened(StepwiseStore(tmp_path / "a.db", "NORMAL"))
    db.deploy(piql.compile(table))
    return db, table + "CREATE VIEW" + view


def test_rows_whose_sum_does_not_fit_have_the_view_refused_and_no_write(tmp_path: Path) -> None:
    db, text = with_sums(tmp_path)
    half = 2**62 + 1
    for row in (1, 2):
        assert outcome(db, f"INSERT INTO sales (id, shop, amount) VALUES ({row}, 'a', {half})") == "done"
    with pytest.raises(piql.CompilationRefused, match="each sum must fit"):
        db.deploy(piql.compile(text))
    assert outcome(db, "DELETE FROM sales WHERE id = 1") == "done"
    assert db.deploy(piql.compile(text)).version == 2
    assert broken_promises(db) == []


def test_a_write_that_a_view_on_its_way_cannot_hold_is_made_and_has_it_refused(tmp_path: Path) -> None:
    db, text = with_sums(tmp_path)
    half = 2**62 + 1
    assert outcome(db, f"INSERT INTO sales (id, shop, amount) VALUES (5, 'a', {half})") == "done"
    assert outcome(db, "INSERT INTO sales (id, shop, amount) VALUES (6, 'a', 1)") == "done"
    build = begin_deploy(db.store, piql.compile(text), pace=SLOW)
    while not build.progress.rows_done:
        assert build.step()
    db._refresh()
    assert outcome(db, f"INSERT INTO sales (id, shop, amount) VALUES (1, 'a', {half})") == "done"
    assert outcome(db, f"UPDATE sales SET amount = {half} WHERE id = 6") == "done"
    with pytest.raises(piql.CompilationRefused, match="each sum must fit"):
        build.run()
    for row in (1, 6):
        assert outcome(db, f"DELETE FROM sales WHERE id = {row}") == "done"
    assert db.deploy(piql.compile(text)).version == 2
    assert broken_promises(db) == []


def test_a_view_is_dropped_filled_again_and_returned_to(tmp_path: Path) -> None:
    db, text = with_sums(tmp_path)
    without = piql.compile(text.split("CREATE VIEW")[0])

    def write(row: int, shop: str) -> str:
        return outcome(db, f"INSERT INTO sales (id, shop, amount) VALUES ({row}, '{shop}', {row})")

    for row in range(6):
        assert write(row, "ab"[row % 2]) == "done"
    db.deploy(piql.compile(text))
    assert write(7, "c") == "done"
    assert broken_promises(db) == []
    db.deploy(without, forget=["by_shop"])
    assert write(8, "a") == "done"
    db.rollback()
    assert write(9, "b") == "done"
    assert broken_promises(db) == []
    db.deploy(without, forget=["by_shop"])
    db.deploy(piql.compile(text.split("CREATE VIEW")[0] + "CREATE TABLE more (id INT PRIMARY KEY);"))
    assert write(10, "a") == "done"
    assert outcome(db, "DELETE FROM sales WHERE id = 1") == "done"
    db.deploy(piql.compile(text))
    assert outcome(db, "UPDATE sales SET shop = 'c' WHERE id = 2") == "done"
    assert broken_promises(db) == []


def test_a_write_of_another_version_s_view_stays_within_its_bound(tmp_path: Path) -> None:
    db, text = with_sums(tmp_path)
    assert outcome(db, "INSERT INTO sales (id, shop, amount) VALUES (1, 'a', 1)") == "done"
    db.deploy(piql.compile(text))
    db.deploy(piql.compile(text.split("CREATE VIEW")[0]), forget=["by_shop"])
    second = opened(db.store)
    assert outcome(second, "UPDATE sales SET shop = 'b' WHERE id = 1") == "done"
    assert outcome(db, "UPDATE sales SET shop = 'c' WHERE id = 1") == "done"
    assert outcome(second, "DELETE FROM sales WHERE id = 1") == "done"
    assert broken_promises(db) == []
