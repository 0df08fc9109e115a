"""Without transactions nothing tells a reader at once that a limit was raised: writers wait until everybody looked."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import piql
import pytest
from patience import PATIENCE
from piql.versions.change.build import BackfillRate, Build
from piql.versions.deploy import begin_deploy, deploy, open_build
from promises import broken_promises

from .shop import FIRST, filled, limited, row
from .test_without_transactions import SLOW, looks_only_when_told, no_grace, passed_to, phase, steps_state

__all__ = ["no_grace"]

LISTED = "CREATE QUERY listed AS SELECT id FROM items WHERE kind = [kind];\n"
UNIQUE = FIRST.replace("title VARCHAR(60)", "title VARCHAR(60) UNIQUE")
TITLED = "CREATE QUERY titled AS SELECT id FROM items WHERE title = [title]{limit};\n"


@pytest.fixture
def url(stepped_url: str) -> str:
    return stepped_url


@pytest.fixture
def db(url: str, no_grace: None) -> Iterator[piql.Database]:
    """Two rows of tea under a limit of two."""
    with piql.connect(url) as db:
        db.deploy(piql.compile(limited(2) + LISTED + FIRST[FIRST.index("CREATE QUERY") :]))
        db.load("items", [tea(at) for at in range(2)])
        yield db


def tea(at: int) -> dict[str, object]:
    return {**row(at), "kind": "tea"}


def until_read(build: Build, db: piql.Database) -> None:
    while not steps_state(db).is_before_held:
        assert build.step()


def test_a_raised_limit_is_one_for_writers_when_all_readers_know_of_it(db: piql.Database, url: str) -> None:
    with piql.connect(url) as late, piql.connect(url) as writer:
        looks_only_when_told(late)
        build = begin_deploy(db.store, piql.compile(limited(5) + LISTED), pace=SLOW)
        until_read(build, db)
        writer._refresh()
        assert writer.deployment.version == 2
        with pytest.raises(piql.CardinalityViolation, match="at most 2 rows share one kind"):
            writer.execute("add", tea(2))
        with pytest.raises(piql.CardinalityViolation, match="at most 2 rows share one kind"):
            writer.load("items", [tea(3)])
        with pytest.raises(piql.CardinalityViolation, match="at most 2 rows share one kind"):
            writer.run(INTO_TEA)
        assert len(late.execute("listed", {"kind": "tea"}).rows) == 2
        assert build.progress.phase == "checking"
        assert build.run().version == 2
        late._refresh()
        writer._refresh()
        for at in range(2, 5):
            writer.execute("add", tea(at))
        assert len(late.execute("listed", {"kind": "tea"}).rows) == 5
        with pytest.raises(piql.CardinalityViolation, match="at most 5 rows share one kind"):
            writer.execute("add", tea(5))
        assert broken_promises(db) == []


INTO_TEA = "INSERT INTO items (id, kind, price, title) VALUES (9, 'tea', 9, 'green')"


def test_a_key_that_is_unique_no_more_is_so_for_writers_when_all_readers_know_of_it(url: str, no_grace: None) -> None:
    with piql.connect(url) as db, piql.connect(url) as late:
        db.deploy(piql.compile(UNIQUE + TITLED.format(limit="")))
        db.load("items", [row(1)])
        looks_only_when_told(late)
        late._refresh()
        build = begin_deploy(db.store, piql.compile(FIRST + TITLED.format(limit=" LIMIT 5")), pace=SLOW)
        until_read(build, db)
        with pytest.raises(piql.DuplicateKey):
            db.load("items", [{**row(1), "id": 2}])
        build.run()
        for client in (db, late):
            client._refresh()
        db.load("items", [{**row(1), "id": 2}])
        assert len(late.execute("titled", {"title": row(1)["title"]}).rows) == 2
        assert broken_promises(db) == []


def test_a_column_that_may_be_null_and_a_reference_that_goes_wait_in_the_same_way(url: str, no_grace: None) -> None:
    kinds = "CREATE TABLE kinds (name VARCHAR(20) PRIMARY KEY);"
    strict = FIRST.replace("kind VARCHAR(20)", "kind VARCHAR(20) NOT NULL REFERENCES kinds")
    with piql.connect(url) as db:
        db.deploy(piql.compile(strict + kinds))
        db.load("kinds", [{"name": "k1"}])
        db.load("items", [row(1)])
        build = begin_deploy(db.store, piql.compile(FIRST + kinds), pace=SLOW)
        until_read(build, db)
        with pytest.raises(piql.ConstraintViolation):
            db.load("items", [{"id": 2, "title": "x"}])
        with pytest.raises(piql.ForeignKeyViolation):
            db.load("items", [row(2)])
        with pytest.raises(piql.ForeignKeyViolation):
            db.run("DELETE FROM kinds WHERE name = 'k1'")
        build.run()
        db._refresh()
        db.load("items", [{"id": 2, "title": "x"}, row(3)])
        db.run("DELETE FROM kinds WHERE name = 'k1'")
        assert broken_promises(db) == []


def test_a_reader_that_took_long_looks_again(db: piql.Database, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with piql.connect(url) as late:
        late.execute("listed", {"kind": "tea"})
        query = late._prepared.queries["listed"]
        execute = type(query).execute

        def slowly(*given: object) -> piql.Page:
            monkeypatch.setattr(type(query), "execute", execute)
            deploy(db.store, piql.compile(limited(5) + LISTED), pace=SLOW)
            db._refresh()
            db.load("items", [tea(at) for at in range(2, 5)])
            late._look_at = time.monotonic() - 1  # that long ago did it look
            return execute(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(type(query), "execute", slowly)
        assert len(late.execute("listed", {"kind": "tea"}).rows) == 5


def test_a_build_that_dies_before_the_old_limit_is_given_up_is_seen_through_by_the_next(
    db: piql.Database, url: str
) -> None:
    build = begin_deploy(db.store, piql.compile(limited(5) + LISTED), pace=SLOW)
    until_read(build, db)
    with pytest.raises(piql.DeploymentInProgress, match="version 2 is in force already: roll back instead"):
        build.cancel()
    build.stop()
    with piql.connect(url) as second:
        left = open_build(second.store, SLOW)
        assert left is not None
        assert second.deploy(piql.compile(limited(5) + LISTED)).version == 2
        assert not steps_state(second).is_before_held
        assert open_build(second.store) is None
        second.load("items", [tea(at) for at in range(2, 5)])
        until_read(begin_deploy(second.store, piql.compile(limited(7) + LISTED), pace=SLOW), second)
        assert second.rollback().version == 4  # waits for the one that is left, then goes back
        assert broken_promises(second) == []


def test_a_limit_is_lowered_for_writers_of_the_old_one_while_it_is_checked(url: str, no_grace: None) -> None:
    with filled(url, 60) as db:
        deploy(db.store, piql.compile(limited(20)), pace=SLOW)
        db._refresh()
        build = begin_deploy(db.store, piql.compile(limited(9)), pace=SLOW)
        passed_to(build, db, "checking")
        db._refresh()
        for at in range(100, 120):
            with pytest.raises(piql.CardinalityViolation, match="at most 9 rows share one kind"):
                db.execute("add", {**row(at), "kind": "k0"})  # it has nine
        build.run()
        assert phase(db) == "none"
        assert broken_promises(db) == []


@pytest.mark.parametrize("left", [8, 7, 3, 0])
def test_rows_whose_places_lie_beyond_a_lowered_limit_count_in_it(url: str, no_grace: None, left: int) -> None:
    """Places are taken by chance: after the limit was lowered from 60 to 8, most of those taken lie beyond it."""
    with piql.connect(url) as db:
        db.deploy(piql.compile(limited(60) + FIRST[FIRST.index("CREATE QUERY") :]))
        db.load("items", [tea(at) for at in range(40)])
        for at in range(left, 40):
            db.execute("remove", {"id": at})
        deploy(db.store, piql.compile(limited(8)), pace=SLOW)
        db._refresh()
        for at in range(left, 8):
            db.execute("add", tea(100 + at))
        with pytest.raises(piql.CardinalityViolation, match="at most 8 rows"):
            db.execute("add", tea(200))
        assert broken_promises(db) == []


def test_nobody_sees_a_page_cut_while_a_limit_is_raised(url: str) -> None:
    """Readers and a writer in threads, with the time that everybody really takes: a page is never short."""
    with piql.connect(url) as db:
        db.deploy(piql.compile(limited(2) + LISTED + FIRST[FIRST.index("CREATE QUERY") :]))
        db.load("items", [tea(at) for at in range(2)])
        acknowledged, is_over = [2], threading.Event()

        def read() -> list[str]:
            wrong: list[str] = []
            with piql.connect(url) as reader:
                while not is_over.is_set():
                    least = acknowledged[0]
                    count = len(reader.execute("listed", {"kind": "tea"}).rows)
                    if count < least:
                        wrong.append(f"{count} rows where {least} had been written")
            return wrong

        def write() -> None:
            with piql.connect(url) as writer:
                while acknowledged[0] < 9:
                    try:
                        writer.execute("add", tea(acknowledged[0]))
                        acknowledged[0] += 1
                    except piql.CardinalityViolation:
                        time.sleep(0.01)

        with ThreadPoolExecutor(3) as pool:
            readers = [pool.submit(read) for _ in range(2)]
            writing = pool.submit(write)
            try:
                deploy(db.store, piql.compile(limited(9) + LISTED), pace=BackfillRate())
                writing.result(PATIENCE)
            finally:
                is_over.set()
            assert [wrong for reader in readers for wrong in reader.result()] == []
