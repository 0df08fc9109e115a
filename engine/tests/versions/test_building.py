"""Indexes built in the background: followed, paused, cancelled and resumed, while writers go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from patience import PATIENCE
from piql.errors import StoreFull
from piql.runtime.deployment import LOOK_SECONDS
from piql.store.embedded import connections
from piql.store.embedded.store import EmbeddedStore
from piql.versions.change import build as building
from piql.versions.change.build import BackfillRate, Build, collect
from piql.versions.deploy import begin_deploy
from promises import broken_promises, unused_indexes

from .shop import BY_KIND, BY_WORD, FIRST, filled, limited, row

ROWS = 704  # of four kinds 101, of three 100; more than a background build does at once
SLOW = BackfillRate(step_rows=20, first_rows=0, busy_share=1.0)


@pytest.fixture
def db(url: str) -> Iterator[piql.Database]:
    with filled(url, ROWS) as db:
        yield db


def begun(db: piql.Database, text: str = BY_KIND + BY_WORD) -> Build:
    """Return a build that nobody drives yet."""
    return begin_deploy(db.store, piql.compile(FIRST + text), pace=SLOW)


def steps(build: Build, count: int) -> None:
    for _ in range(count):
        assert build.step()


def test_a_query_is_refused_until_its_index_is_complete(db: piql.Database) -> None:
    build = begun(db)
    steps(build, 10)
    with pytest.raises(piql.NotDeployed):
        db.execute("byKind", {"kind": "k1"})
    with pytest.raises(piql.CompilationRefused):
        db.run("SELECT id FROM items WHERE title LIKE 'thing' LIMIT 5")
    build.run()
    assert [row["price"] for row in db.execute("byKind", {"kind": "k1"}).rows] == [701, 694, 687, 680, 673]
    assert broken_promises(db) == []


def test_what_is_written_meanwhile_is_found_through_the_new_index(db: piql.Database, url: str) -> None:
    build = begun(db)
    steps(build, 20)
    with piql.connect(url) as second:
        for writer, start in ((db, 0), (second, 1)):  # behind the place where the walk is, and before it
            writer.execute("reprice", {"id": 70 + start, "price": 10_000 + start})
            writer.execute("reprice", {"id": 630 + start, "price": 20_000 + start})
            writer.execute("remove", {"id": 7 + start})
            writer.execute("remove", {"id": 637 + start})
            writer.execute("add", row(5000 + start))
        db.load("items", [{**row(at), "price": -at} for at in range(700, 710)])
        build.run()
        assert [row["id"] for row in second.execute("byKind", {"kind": "k0"}).rows[:2]] == [630, 70]
        assert [row["id"] for row in second.execute("byKind", {"kind": "k1"}).rows[:2]] == [631, 71]
        assert broken_promises(second) == []


def test_writes_keep_their_bound_while_an_index_is_built(db: piql.Database) -> None:
    before = db.execute("reprice", {"id": 1, "price": 9}).operations
    build = begun(db)
    steps(build, 3)
    page = db.execute("reprice", {"id": 1, "price": 2})
    assert page.operations == before <= db.deployment.compilation.queries["reprice"].bound.operations
    build.cancel()


def test_a_build_says_how_far_it_is(db: piql.Database) -> None:
    build = begun(db)
    estimate = ROWS if db.store.topology() is None else 0  # a cluster counts its rows only by reading them
    assert (build.progress.phase, build.progress.rows_done, build.progress.rows_estimate) == ("filling", 0, estimate)
    steps(build, 10)
    if estimate:
        assert build.progress.rows_done == 200
        assert build.progress.share == pytest.approx(200 / ROWS)
    assert 0 < build.progress.rows_done <= 200
    assert build.run().version == 2
    assert (build.progress.phase, build.progress.share, build.progress.is_done) == ("in force", 1.0, True)


def test_a_build_rests_while_it_is_paused_and_goes_on_where_it_was(db: piql.Database, url: str) -> None:
    build = begun(db)
    steps(build, 10)
    with piql.connect(url) as second:
        same_build = second.build
        assert same_build is not None
        same_build.pause()
        assert not build.step()
        db.execute("reprice", {"id": 3, "price": 77_777})
        assert same_build.progress.is_paused
        same_build.resume()
        assert same_build.wait(PATIENCE).version == 2
        assert same_build.progress.rows_done == ROWS
        assert broken_promises(second) == []


def test_a_build_resumed_when_its_thread_is_about_to_end_is_built_to_its_end(
    db: piql.Database, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, step = begun(db), Build.step
    was_seen, is_resumed = threading.Event(), threading.Event()

    def step_and_wait(build: Build) -> bool:
        goes_on = step(build)
        if not goes_on and not was_seen.is_set():
            was_seen.set()
            assert is_resumed.wait(PATIENCE)
        return goes_on

    monkeypatch.setattr(Build, "step", step_and_wait)
    with piql.connect(url) as second:
        found = second.build
        assert found is not None
        found.pause()
        build.start()
        thread = build._thread
        assert thread is not None
        assert was_seen.wait(PATIENCE), "the thread did not see the pause"
        build.resume()
        is_resumed.set()
        thread.join(PATIENCE)
    assert build.progress.phase == "in force"


def test_a_cancelled_build_leaves_nothing_behind(db: piql.Database) -> None:
    build = begun(db)
    steps(build, 10)
    build.cancel()
    assert build.progress.phase == "cancelled"
    assert (db.deployment.version, db.deployment.others) == (1, ())
    assert unused_indexes(db) == []
    with pytest.raises(piql.DeploymentInProgress, match="cancelled"):
        build.wait()
    with pytest.raises(piql.DeploymentInProgress, match="it is over: cancelled"):
        build.pause()
    assert db.deploy(piql.compile(FIRST + BY_KIND)).version == 2
    assert broken_promises(db) == []


def test_one_version_at_a_time_is_on_its_way(db: piql.Database) -> None:
    build = begun(db)
    steps(build, 1)
    with pytest.raises(piql.DeploymentInProgress, match="version 2 is on its way"):
        db.deploy(piql.compile(FIRST + "CREATE QUERY q AS SELECT price FROM items WHERE id = [id];"))
    build.cancel()


def test_a_small_change_is_in_force_at_once(db: piql.Database) -> None:
    build = db.deploy(
        piql.compile(FIRST + "CREATE QUERY q AS SELECT price FROM items WHERE id = [id];"), background=True
    )
    assert build.progress.phase == "in force"
    assert db.execute("q", {"id": 4}).rows == [{"price": 4}]


def test_a_background_build_comes_into_force_by_itself(db: piql.Database) -> None:
    build = db.deploy(piql.compile(FIRST + BY_WORD), background=True)
    assert build.wait(PATIENCE).version == 2
    assert db.build is None
    assert [row["id"] for row in db.execute("byWord", {"word": "703"}).rows] == [703]


def test_a_closed_database_leaves_its_build_to_the_next(url: str) -> None:
    with filled(url, ROWS) as db:
        build = db.deploy(piql.compile(FIRST + BY_KIND), background=True, rows_per_second=400)
        assert not build.progress.is_done
    with piql.connect(url) as db:
        build = db.build
        assert build is not None
        assert build.progress.rows_done < ROWS
        build.run()
        assert broken_promises(db) == []
        assert db.execute("byKind", {"kind": "k1"}).rows


def test_data_that_break_a_new_limit_refuse_it_with_their_number(db: piql.Database) -> None:
    with pytest.raises(piql.CompilationRefused) as refusal:
        db.deploy(piql.compile(limited(100)))
    message = str(refusal.value)
    assert "at most 100 rows may share one kind, but 4 values break this: " in message
    assert "kind = 'k0' (101 rows)" in message  # which of them is found first is the store's
    assert unused_indexes(db) == []
    assert db.deploy(piql.compile(limited(101))).version == 2


def checking(db: piql.Database, limit: int) -> Build:
    """Return a build of a lower limit whose indexes are full, and which is about to check the rows there are."""
    build = begin_deploy(db.store, piql.compile(limited(limit)), pace=SLOW)
    while build.progress.phase == "filling":
        build.step()
    return build


def test_writers_hold_a_new_limit_while_the_rows_there_are_are_checked(file_url: str) -> None:
    with filled(file_url, ROWS) as db:
        build = checking(db, 101)
        with pytest.raises(piql.CardinalityViolation):
            db.execute("add", {**row(7001), "kind": "k0"})
        with pytest.raises(piql.CardinalityViolation):
            db.load("items", [{**row(7001), "kind": "k0"}])
        db.execute("add", {**row(7001), "kind": "fresh"})
        build.run()
        assert broken_promises(db) == []


def test_without_transactions_a_row_that_passes_a_coming_limit_refuses_the_limit(stepped_url: str) -> None:
    with filled(stepped_url, ROWS) as db:
        build = checking(db, 101)
        time.sleep(LOOK_SECONDS)  # every server has looked then; the rows there are have no places yet
        db.execute("add", {**row(7001), "kind": "k0"})
        with pytest.raises(piql.CompilationRefused):
            build.run()
        assert build.progress.phase == "refused"
        db.execute("add", {**row(7008), "kind": "k0"})
        assert broken_promises(db) == []


def test_a_refused_build_lifts_the_constraint_again(db: piql.Database) -> None:
    build = begin_deploy(db.store, piql.compile(limited(90)), pace=SLOW)
    with pytest.raises(piql.CompilationRefused, match="but 7 values break this"):
        build.run()
    assert build.progress.phase == "refused"
    assert "but 7 values break this" in (build.progress.reason or "")
    db.execute("add", {**row(7001), "kind": "k0"})
    assert db.deployment.version == 1
    assert collect(db.store) == []


@pytest.mark.parametrize("whose", ["its own", "another's"])
def test_a_connection_that_waited_reads_by_the_new_version_at_once(
    url: str, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    """Without it, it looks only when it has not looked for a while: for an hour, here."""
    monkeypatch.setattr("piql.client.version_in_force.LOOK_SECONDS", 3600.0)
    with filled(url, ROWS) as db, piql.connect(url) as second:
        db.execute("item", {"id": 7})
        second.execute("item", {"id": 7})
        newer = FIRST.replace("AS SELECT id, kind, price", "AS SELECT price AS cost") + BY_KIND
        build: Build | None
        if whose == "its own":
            waits, build = db, db.deploy(piql.compile(newer), background=True)
        else:
            driven = begin_deploy(db.store, piql.compile(newer), pace=SLOW)
            waits, build = second, second.build
            driven.start()
        assert build is not None
        build.wait(PATIENCE)
        assert waits.execute("item", {"id": 7}).rows == [{"cost": 7}]


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
def test_a_disk_that_is_full_stops_a_build_in_words_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    with filled(f"{scheme}:{tmp_path / 'full.db'}", ROWS) as db:
        assert isinstance(db.store, EmbeddedStore)
        build = begun(db)
        pages = db.store.connection().execute("PRAGMA page_count").fetchone()[0]
        with monkeypatch.context() as full:
            room = f"PRAGMA max_page_count = {pages + 2};"  # for the thread that builds
            full.setattr(connections, "_PRAGMAS", f"{connections._PRAGMAS} {room}")
            full.setattr(building, "_FIRST_PAUSE_SECONDS", 0.0)
            build.start()
            with pytest.raises(StoreFull):
                build.wait(PATIENCE)
        progress = build.progress
        assert (progress.phase, progress.is_running) == ("filling", False)
        assert "is full" in (progress.reason or "")
        db.execute("reprice", {"id": 1, "price": 9})
        assert db.execute("item", {"id": 1}).rows == [{"id": 1, "kind": "k1", "price": 9}]
        build.resume()
        build.wait(PATIENCE)
        assert build.progress.reason is None
        assert [row["price"] for row in db.execute("byKind", {"kind": "k1"}).rows] == [701, 694, 687, 680, 673]
        assert broken_promises(db) == []
