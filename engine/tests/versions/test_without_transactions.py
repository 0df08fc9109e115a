"""On a store without transactions a writer may be one phase behind the others: no entry is missing or left over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import piql
import pytest
from piql.versions.change import build as builds
from piql.versions.change import steps
from piql.versions.change.build import BackfillRate, Build
from piql.versions.change.progress import read_progress
from piql.versions.deploy import begin_deploy, deploy
from promises import broken_promises, unused_indexes

from .shop import BY_KIND, BY_WORD, FIRST, filled, limited, row

SLOW = BackfillRate(step_rows=20, first_rows=0, busy_share=1.0)
ROWS = 60


@pytest.fixture
def url(stepped_url: str) -> str:
    return stepped_url


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for anybody: the tests say who knows what, and when."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(builds, "GRACE_SECONDS", 0.0)


@pytest.fixture
def db(url: str, no_grace: None) -> Iterator[piql.Database]:
    with filled(url, ROWS) as db:
        yield db


def looks_only_when_told(db: piql.Database) -> piql.Database:
    db._look_at = float("inf")
    return db


def phase(db: piql.Database) -> str:
    change = steps_state(db).change
    return change.phase if change is not None else "none"


def steps_state(db: piql.Database) -> steps.SchemaState:
    from piql.versions.change.state import read_state

    return read_state(db.store)


def passed_to(build: Build, db: piql.Database, phase_wanted: str) -> None:
    while phase(db) != phase_wanted:
        assert build.step()


def test_writers_one_phase_apart_leave_every_index_right(db: piql.Database, url: str) -> None:
    with piql.connect(url) as late:
        looks_only_when_told(db)
        looks_only_when_told(late)
        build = begin_deploy(db.store, piql.compile(FIRST + BY_KIND), pace=SLOW)
        assert phase(db) == "announced"
        db._refresh()
        db.execute("add", row(100))  # one knows the index as to be deleted from, the other does not know it
        late.execute("reprice", {"id": 100, "price": 1})
        late.execute("add", row(101))
        db.execute("reprice", {"id": 5, "price": 500})
        late.execute("reprice", {"id": 5, "price": 5})
        late._refresh()
        passed_to(build, db, "filling")
        db._refresh()
        db.execute("add", row(102))  # one writes the index, the other deletes from it
        late.execute("remove", {"id": 102})
        db.execute("add", row(103))
        late.execute("reprice", {"id": 103, "price": 7})
        db.execute("reprice", {"id": 103, "price": 8})
        late.execute("reprice", {"id": 103, "price": 7})
        late.execute("reprice", {"id": 9, "price": 900})
        db.execute("reprice", {"id": 10, "price": 1000})
        late.execute("reprice", {"id": 10, "price": 10})
        db.execute("reprice", {"id": 11, "price": 1100})
        late.execute("reprice", {"id": 11, "price": 11})
        db.execute("reprice", {"id": 11, "price": 1100})
        late._refresh()
        build.run()
        for client in (db, late):
            client._refresh()
        assert broken_promises(db) == []
        assert late.execute("byKind", {"kind": "k4"}).rows[:2] == [{"id": 11, "price": 1100}, {"id": 53, "price": 53}]
        assert unused_indexes(db) == []


def test_rows_that_were_there_have_places_under_a_new_limit(db: piql.Database) -> None:
    deploy(db.store, piql.compile(limited(9)), pace=SLOW)
    db._refresh()
    with pytest.raises(piql.CardinalityViolation):
        db.execute("add", {**row(200), "kind": "k0"})
    db.execute("remove", {"id": 7})
    db.execute("add", {**row(200), "kind": "k0"})
    with pytest.raises(piql.CompilationRefused, match="but 4 values break this"):
        deploy(db.store, piql.compile(limited(8)), pace=SLOW)
    assert broken_promises(db) == []


def test_a_write_that_takes_long_looks_again_before_it_is_decided(db: piql.Database) -> None:
    query = db._named("reprice")
    stepped = query._stepped
    begin_deploy(db.store, piql.compile(FIRST + BY_KIND), pace=SLOW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("piql.runtime.writing.stepped.writer.LOOK_SECONDS", -1.0)
        with pytest.raises(piql.runtime.deployment.Redeployed):
            stepped.write((3,), lambda old: (*old[:2], 333, *old[3:]), _meter())
        assert db.run("SELECT price FROM items WHERE id = 3").rows == [{"price": 3}]
        db.execute("reprice", {"id": 3, "price": 333})
    assert db.run("SELECT price FROM items WHERE id = 3").rows == [{"price": 333}]


def _meter() -> object:
    from piql.runtime.writing.meter import Meter

    return Meter()


def test_each_phase_waits_until_every_writer_knows_of_it(url: str) -> None:
    with filled(url, ROWS) as db:
        build = begin_deploy(db.store, piql.compile(FIRST + BY_WORD), pace=SLOW)
        schema_steps = steps.SchemaSteps(db.store, steps_state(db))
        state, progress = steps_state(db), read_progress(db.store)
        assert progress is not None
        assert 0 < schema_steps.seconds_to_wait(steps.Stand(state, progress)) <= steps.GRACE_SECONDS
        build.cancel()


def test_what_needs_neither_filling_nor_checking_waits_for_nobody(db: piql.Database) -> None:
    build = begin_deploy(db.store, piql.compile(FIRST + "CREATE TABLE more (id INT PRIMARY KEY);"), pace=BackfillRate())
    assert build.progress.phase == "in force"


def test_a_limit_that_is_refused_has_hindered_no_writer(db: piql.Database, url: str) -> None:
    with piql.connect(url) as late:
        build = begin_deploy(db.store, piql.compile(limited(8)), pace=SLOW)
        number = 300
        while not build.progress.is_done:
            assert phase(db) != "checking"
            late._refresh()
            late.execute("add", {**row(number), "kind": "k0"})  # the group has more than eight rows already
            number += 1
            build.step()
        with pytest.raises(piql.CompilationRefused, match="at most 8 rows"):
            build.wait()
        assert broken_promises(db) == []


@pytest.mark.parametrize("said", ["pause", "cancel"])
def test_what_is_said_to_a_build_during_a_step_is_not_lost(
    db: piql.Database, url: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = begin_deploy(db.store, piql.compile(FIRST + BY_KIND), pace=SLOW)
    passed_to(build, db, "filling")
    advance = steps.SchemaSteps.advance

    def interrupted(*arguments: object) -> object:
        monkeypatch.setattr(steps.SchemaSteps, "advance", advance)
        with piql.connect(url) as second:
            assert second.build is not None
            getattr(second.build, said)()
        return advance(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(steps.SchemaSteps, "advance", interrupted)
    with suppress(piql.StoreUnavailable):  # the index that it fills is dropped: it looks again
        while build.step():
            pass
    assert not build.step()
    assert build.progress.is_paused == (said == "pause")
    assert build.progress.phase == ("filling" if said == "pause" else "cancelled")
    if said == "pause":
        build.unpause()
        assert build.run().version == 2
    assert broken_promises(db) == []
    assert unused_indexes(db) == []
