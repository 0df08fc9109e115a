"""A version is tried on a share of the executions before it is in force; whoever does not ask for it never meets it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import piql
import pytest
from patience import PATIENCE
from piql.runtime.deployment import LOOK_SECONDS
from piql.store.embedded.store import EmbeddedStore
from piql.versions.change import build as building
from piql.versions.change import steps
from piql.versions.change.state import Canary
from piql.versions.deploy import begin_deploy, open_build
from promises import broken_promises, unused_indexes

from .dying import DyingStore, dies
from .shop import ADD, BY_KIND, FIRST, GET, ITEMS, PRICE, REMOVE, filled, limited, row
from .working import Worker

DEAREST = "CREATE QUERY dearest AS SELECT id, price FROM items WHERE kind = [kind] ORDER BY price DESC LIMIT 3;\n"
KEPT = ADD + PRICE + REMOVE
GET_MORE = "CREATE QUERY item AS SELECT id, kind, price, colour FROM items WHERE id = [id];\n"
PAINT = "CREATE QUERY paint AS UPDATE items SET colour = [colour] WHERE id = [id];\n"
NOTES = """CREATE TABLE notes (item INT, at INT, text VARCHAR(40), PRIMARY KEY (item, at),
  CARDINALITY LIMIT 5 (item), FOREIGN KEY (item) REFERENCES items);
CREATE QUERY note AS INSERT INTO notes (item, at, text) VALUES ([item], [at], [text]);
CREATE QUERY notesOf AS SELECT at, text FROM notes WHERE item = [item];
"""
TRIED = ITEMS.format(more=", colour VARCHAR(10) NULL") + GET_MORE + KEPT + BY_KIND + PAINT + NOTES


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process looks at once after what it changes itself, so nothing here has to wait for others."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.05)
    monkeypatch.setattr(building, "GRACE_SECONDS", 0.05)


@pytest.fixture
def taking(file_url: str) -> Iterator[piql.Database]:
    """A database that takes its share, beside one that has deployed the first version."""
    filled(file_url, 20).close()
    with piql.connect(file_url, canary=True) as db:
        yield db


def columns(db: piql.Database) -> set[str]:
    return set(db.execute("item", {"id": 3}).rows[0])


def met(db: piql.Database, calls: int) -> int:
    """Return how many of so many executions were of the version that is tried."""
    return sum("colour" in columns(db) for _ in range(calls))


def test_the_stated_share_of_executions_goes_to_it(taking: piql.Database) -> None:
    build = taking.try_out(piql.compile(TRIED), 0.2)
    assert build.progress.phase == "canary"
    assert taking.deployment.version == 1
    assert 200 - 4 * 13 < met(taking, 1000) < 200 + 4 * 13  # four standard errors
    build.set_share(0)
    assert met(taking, 50) == 0
    build.set_share(1)
    assert met(taking, 50) == 50


def test_whoever_does_not_ask_for_it_never_meets_it(taking: piql.Database, file_url: str) -> None:
    taking.try_out(piql.compile(TRIED), 1)
    with piql.connect(file_url) as unaware, piql.connect(file_url, version=1) as staying:
        assert met(unaware, 20) == met(staying, 20) == 0
        with pytest.raises(piql.NotDeployed):
            unaware.execute("notesOf", {"item": 3})
        with pytest.raises(piql.CompilationRefused):
            taking.run("SELECT colour FROM items WHERE id = 3")  # statements are compiled for what is in force


def test_each_version_is_called_by_its_number(taking: piql.Database, file_url: str) -> None:
    taking.try_out(piql.compile(TRIED), 0)
    with piql.connect(file_url) as db:
        assert "colour" in db.execute("item", {"id": 3}, version=2).rows[0]
        assert "colour" not in db.execute("item", {"id": 3}, version=1).rows[0]
        with pytest.raises(piql.errors.DeployedMeanwhile):
            db.execute("item", {"id": 3}, version=3)


@pytest.fixture(params=("embedded", "stepwise"))
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[piql.Database]:
    """As `taking`, and on a store without transactions, too."""
    url = f"{request.param}:{tmp_path / 'b.db'}?synchronous=NORMAL&wait_ms=120000"
    filled(url, 20).close()
    with piql.connect(url, canary=True) as db:
        yield db


def test_writes_of_both_keep_the_indexes_and_constraints_of_both(anywhere: piql.Database) -> None:
    taking = anywhere
    build = taking.try_out(piql.compile(TRIED), 0.5)
    for at in range(30):
        version = 1 + at % 2
        taking.execute("add", row(100 + at), version=version)
        taking.execute("reprice", {"id": at, "price": 1000 + at} if at < 20 else {"id": 100 + at, "price": at})
    taking.execute("paint", {"id": 3, "colour": "red"})
    taking.execute("reprice", {"id": 3, "price": 9}, version=1)
    taking.execute("remove", {"id": 101}, version=1)
    taking.execute("note", {"item": 4, "at": 1, "text": "seen"})
    with pytest.raises(piql.ForeignKeyViolation):
        taking.execute("note", {"item": 999, "at": 1, "text": "seen"})
    for version in (1, 2):
        with pytest.raises(piql.ForeignKeyViolation):  # a table that only the tried version has refers to it
            taking.execute("remove", {"id": 4}, version=version)
    assert broken_promises(taking) == []
    assert taking.execute("byKind", {"kind": "k3"}, version=2).rows[0] == {"id": 17, "price": 1017}
    build.promote()
    assert broken_promises(taking) == []
    assert taking.execute("item", {"id": 3}).rows == [{"id": 3, "kind": "k3", "price": 9, "colour": "red"}]


def test_what_is_promoted_is_in_force_for_everybody(taking: piql.Database, file_url: str) -> None:
    build = taking.try_out(piql.compile(TRIED), 0.1)
    with piql.connect(file_url) as unaware:
        assert build.promote().version == 2
        assert unaware.deployment.version == 2
        assert met(unaware, 5) == 5
        assert met(taking, 5) == 5
        assert taking.rollback().version == 3
        assert met(taking, 5) == 0
        assert broken_promises(unaware) == []


def test_what_is_withdrawn_is_never_in_force_and_its_writes_stay(anywhere: piql.Database) -> None:
    taking = anywhere
    build = taking.try_out(piql.compile(TRIED), 1)
    taking.execute("add", row(70))
    taking.execute("paint", {"id": 70, "colour": "blue"})
    taking.execute("note", {"item": 70, "at": 1, "text": "kept"})
    build.cancel("byKind is too slow")
    with pytest.raises(piql.DeploymentInProgress, match="version 2 was cancelled"):
        build.wait(PATIENCE)
    assert build.progress.reason == "byKind is too slow"
    assert taking.deployment.version == 1
    assert taking.execute("item", {"id": 70}).rows == [{"id": 70, "kind": "k0", "price": 70}]
    with pytest.raises(piql.NotDeployed):
        taking.execute("byKind", {"kind": "k0"})
    assert unused_indexes(taking) == []
    assert broken_promises(taking) == []
    again = taking.deploy(piql.compile(TRIED))
    assert again.version == 3  # the number of what was withdrawn is not used for another version
    assert taking.execute("item", {"id": 70}).rows[0]["colour"] == "blue"
    assert taking.execute("notesOf", {"item": 70}).rows == [{"at": 1, "text": "kept"}]
    assert broken_promises(taking) == []


def test_a_later_page_is_of_the_version_that_gave_the_page_before(file_url: str) -> None:
    listed = "CREATE QUERY listed AS SELECT id{more} FROM items WHERE kind = [kind] ORDER BY {order} PAGINATE 2;\n"
    with piql.connect(file_url, canary=True) as db:
        db.deploy(piql.compile(FIRST + listed.format(more="", order="id")))
        db.load("items", [{**row(at), "kind": "tea"} for at in range(12)])
        build = db.try_out(piql.compile(FIRST + listed.format(more=", price", order="price")), 0.5)
        orders = Counter[tuple[int, bool]]()
        for _ in range(20):
            page = db.execute("listed", {"kind": "tea"})
            shapes = {frozenset(page.rows[0])}
            rows = len(page.rows)
            while page.cursor is not None:
                page = db.execute("listed", {"kind": "tea"}, page.cursor)
                shapes |= {frozenset(row) for row in page.rows}
                rows += len(page.rows)
            assert len(shapes) == 1
            orders[rows, "price" in shapes.pop()] += 1
        assert set(orders) == {(12, True), (12, False)}
        page = db.execute("listed", {"kind": "tea"}, version=2)
        build.cancel()
        with pytest.raises(piql.StaleCursor):
            db.execute("listed", {"kind": "tea"}, page.cursor)


def test_a_session_meets_both_versions_and_sees_what_it_wrote(taking: piql.Database) -> None:
    taking.try_out(piql.compile(TRIED), 0.5)
    session = taking.session()
    for at in range(20):
        session.execute("reprice", {"id": 3, "price": at})
        assert session.execute("item", {"id": 3}).rows[0]["price"] == at
    session.execute("note", {"item": 3, "at": 1, "text": "mine"})
    assert session.execute("notesOf", {"item": 3}).rows == [{"at": 1, "text": "mine"}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (limited(3) + GET + KEPT, r"items would get a tighter CARDINALITY LIMIT 3 \(kind\)"),
        (ITEMS.format(more=", UNIQUE (title)") + GET + KEPT, r"items would get UNIQUE \(title\)"),
        (ITEMS.format(more=", CHECK (price > -5)") + GET + KEPT, r"items would get CHECK \(price > -5\)"),
        (FIRST.replace("kind VARCHAR(20)", "kind VARCHAR(9)"), r"a stricter column kind VARCHAR\(9\)"),
        (FIRST.replace("SELECT id, kind, price", "SELECT id, kind"), "the rows of item would have no price"),
        (FIRST.replace("WHERE id = [id];", "WHERE id = [number];"), r"item takes \[id\] in one of the two alone"),
        (FIRST.replace(GET, GET.replace("SELECT id, kind, price FROM items", "DELETE FROM items")), "item would be a"),
        (FIRST, "version 1 has the same texts"),
    ],
)
def test_what_two_versions_cannot_share_is_refused_in_words(taking: piql.Database, text: str, reason: str) -> None:
    with pytest.raises(piql.CompilationRefused, match=reason):
        taking.try_out(piql.compile(text), 0.1)
    assert taking.build is None


def test_a_dropped_column_or_another_key_is_refused_as_ever(taking: piql.Database) -> None:
    text = "CREATE TABLE items (id INT PRIMARY KEY, kind VARCHAR(20), price INT);\n" + GET + PRICE
    with pytest.raises(piql.CompilationRefused, match="title would be dropped"):
        taking.try_out(piql.compile(text), 0.1, forget=["add"])


def test_nothing_is_tried_where_nothing_is_in_force(file_url: str) -> None:
    with piql.connect(file_url, canary=True) as db, pytest.raises(piql.CompilationRefused, match="nothing is in force"):
        db.try_out(piql.compile(FIRST), 0.1)


@pytest.mark.parametrize("share", [-0.1, 1.1, "a lot", float("nan")])
def test_a_share_is_a_number_from_0_to_1(taking: piql.Database, share: float) -> None:
    with pytest.raises(piql.InvalidParameter):
        taking.try_out(piql.compile(TRIED), share)


def test_a_raised_limit_has_an_effect_once_it_is_promoted(file_url: str) -> None:
    listed = "CREATE QUERY listed AS SELECT id FROM items WHERE kind = [kind];\n"
    with piql.connect(file_url, canary=True) as db:
        db.deploy(piql.compile(limited(2) + GET + KEPT + listed))
        build = db.try_out(piql.compile(limited(5) + GET + KEPT + listed), 1)
        for at in range(2):
            db.execute("add", {**row(at), "kind": "tea"})
        with pytest.raises(piql.CardinalityViolation):  # the version in force would not read the third
            db.execute("add", {**row(2), "kind": "tea"})
        build.promote()
        db.execute("add", {**row(2), "kind": "tea"})
        assert len(db.execute("listed", {"kind": "tea"}).rows) == 3
        assert broken_promises(db) == []


def test_values_that_only_the_wider_type_holds_wait_for_the_promotion(file_url: str) -> None:
    with piql.connect(file_url, canary=True) as db:
        db.deploy(piql.compile(FIRST))
        wider = FIRST.replace("title VARCHAR(60)", "title VARCHAR(90)")
        long = {**row(1), "title": "x" * 80}
        build = db.try_out(piql.compile(wider), 1)
        with pytest.raises(piql.ConstraintViolation, match="title"):
            db.execute("add", long)
        build.promote()
        db.execute("add", long)


def test_no_other_version_comes_while_one_is_tried(taking: piql.Database) -> None:
    taking.deploy(piql.compile(FIRST + BY_KIND))
    build = taking.try_out(piql.compile(TRIED), 0.25)
    with pytest.raises(piql.DeploymentInProgress, match=r"tried on 0.25 of the executions"):
        taking.deploy(piql.compile(FIRST + DEAREST))
    with pytest.raises(piql.DeploymentInProgress):
        taking.rollback()
    build.cancel()
    assert taking.deploy(piql.compile(FIRST + DEAREST)).version == 4


def test_what_is_over_is_neither_promoted_nor_given_a_share(taking: piql.Database) -> None:
    build = taking.try_out(piql.compile(TRIED), 0.25)
    build.promote()
    for act in (build.promote, lambda: build.set_share(0.5), build.cancel):
        with pytest.raises(piql.DeploymentInProgress):
            act()


def test_another_process_promotes_withdraws_and_sets_the_share(taking: piql.Database, file_url: str) -> None:
    taking.try_out(piql.compile(TRIED), 0)
    with piql.connect(file_url) as other:
        build = other.build
        assert build is not None
        build.set_share(1)
        assert taking.deployment.version == 1
        assert met(taking, 5) == 5
        build.promote()
        assert taking.deployment.version == 2


COUNTING = """
import json, sys, time
import piql
with piql.connect(sys.argv[1], canary=sys.argv[2] == "takes") as db:
    for line in sys.stdin:
        rows = [db.execute("item", {"id": 3}).rows[0] for _ in range(int(line))]
        print(sum("colour" in row for row in rows), flush=True)
"""


def test_other_processes_honour_the_share_also_once_the_one_that_set_it_is_killed(file_url: str) -> None:
    filled(file_url, 20).close()

    def counting(takes: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", COUNTING, file_url, takes]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def met_in(process: subprocess.Popen[str], calls: int) -> int:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{calls}\n")
        process.stdin.flush()
        return int(process.stdout.readline())

    def try_out() -> None:
        with piql.connect(file_url) as db:
            db.try_out(piql.compile(TRIED), 0.2)
            os.kill(os.getpid(), signal.SIGKILL)

    processes = [counting("takes"), counting("takes"), counting("stays")]
    try:
        assert [met_in(process, 10) for process in processes] == [0, 0, 0]
        assert dies(try_out)
        time.sleep(LOOK_SECONDS + 0.1)
        *taking, staying = [met_in(process, 1000) for process in processes]
        assert all(200 - 5 * 13 < count < 200 + 5 * 13 for count in taking)
        assert staying == 0
        with piql.connect(file_url) as db:
            assert db.build is not None
            db.build.cancel()
            time.sleep(LOOK_SECONDS + 0.1)
            assert [met_in(process, 50) for process in processes] == [0, 0, 0]
    finally:
        for process in processes:
            process.communicate()


def test_a_view_that_is_tried_is_kept_by_the_writes_of_both(taking: piql.Database) -> None:
    view = (
        "CREATE VIEW kinds AS SELECT COALESCE(kind, 'none') AS kind, COUNT(*) AS n, COUNT(price) AS priced, "
        "SUM(price) AS total FROM items GROUP BY COALESCE(kind, 'none');\n"
        "CREATE QUERY kindTotal AS SELECT n, total FROM kinds WHERE kind = [kind];\n"
    )
    build = taking.try_out(piql.compile(FIRST + view), 1)
    for version in (1, 2):
        taking.execute("add", {**row(200 + version), "kind": "new", "price": 10 * version}, version=version)
    taking.execute("remove", {"id": 201}, version=1)
    assert taking.execute("kindTotal", {"kind": "new"}).rows == [{"n": 1, "total": 20}]
    build.cancel()
    assert broken_promises(taking) == []
    taking.execute("add", {**row(210), "kind": "new", "price": 5})
    taking.deploy(piql.compile(FIRST + view))
    assert taking.execute("kindTotal", {"kind": "new"}).rows == [{"n": 2, "total": 25}]


def test_a_view_of_the_tried_version_that_cannot_hold_a_write_withdraws_it(file_url: str) -> None:
    text = "CREATE TABLE sums (id INT PRIMARY KEY, kind VARCHAR(9) NOT NULL, much BIGINT);\n" + (
        "CREATE QUERY put AS INSERT INTO sums (id, kind, much) VALUES ([id], [kind], [much]);\n"
    )
    view = (
        "CREATE VIEW totals AS SELECT kind, COUNT(*) AS n, COUNT(much) AS with_much, SUM(much) AS total "
        "FROM sums GROUP BY kind;\n"
    )
    read = "CREATE QUERY total AS SELECT total FROM totals WHERE kind = [kind];\n"
    with piql.connect(file_url, canary=True) as db:
        db.deploy(piql.compile(text))
        build = db.try_out(piql.compile(text + view + read), 0.5)
        for at in range(4):
            db.execute("put", {"id": at, "kind": "a", "much": 2**62}, version=1)
        assert db.build is None or db.build.progress.phase in ("closing", "refused")
        with pytest.raises(piql.NotDeployed):
            db.execute("total", {"kind": "a"}, version=2)
        build.start()
        with pytest.raises(piql.CompilationRefused, match="totals"):
            build.wait(PATIENCE)
        assert broken_promises(db) == []


def test_a_removed_query_is_executed_by_the_version_in_force(taking: piql.Database) -> None:
    build = taking.try_out(piql.compile(FIRST.replace(PRICE, "")), 1, forget=["reprice"])
    taking.execute("reprice", {"id": 3, "price": 33})
    assert taking.execute("item", {"id": 3}).rows[0]["price"] == 33
    build.promote()
    with pytest.raises(piql.NotDeployed):
        taking.execute("reprice", {"id": 3, "price": 34})


def test_writers_go_on_while_a_version_is_tried_and_promoted(taking: piql.Database, file_url: str) -> None:
    """Two threads write and read through a whole trial, one of them by both versions."""
    stop = Event()
    listed = "CREATE QUERY list AS SELECT id FROM items WHERE kind = [kind] LIMIT 5;\n"
    taking.deploy(piql.compile(FIRST + listed))
    taking.load("items", [row(at) for at in range(70)])
    with piql.connect(file_url) as unaware:
        workers = [Worker(taking, 1, 20), Worker(unaware, 2, 20)]
        threads = [Thread(target=worker.run, args=(stop.is_set,)) for worker in workers]
        for thread in threads:
            thread.start()
        build = taking.try_out(piql.compile(FIRST + listed + BY_KIND + DEAREST), 0.5)
        while min(worker.rounds for worker in workers) < 30:
            stop.wait(0.01)
        build.promote()
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)
        assert [worker.failures for worker in workers] == [[], []]
        assert broken_promises(taking) == []


def killed(path: Path, act: str, at: int) -> bool:
    def work() -> None:
        store = DyingStore(EmbeddedStore(path, "NORMAL"), at)
        if act == "try":
            begin_deploy(store, piql.compile(TRIED), canary=Canary(0.5)).run_to_canary()
            return
        build = open_build(store)
        assert build is not None
        if act == "promote":
            build.promote()
        elif act == "share":
            build.set_share(0.75)
        else:
            build.cancel("enough")
            while build.step():
                pass

    return dies(work)


@pytest.mark.parametrize("act", ["try", "promote", "share", "withdraw"])
def test_a_process_killed_at_any_call_leaves_a_version_that_is_tried_or_not(tmp_path: Path, act: str) -> None:
    kept = tmp_path / "kept.db"
    url = f"embedded:{kept}?synchronous=NORMAL&wait_ms=120000"
    with filled(url, 40) as db:
        if act != "try":
            db.try_out(piql.compile(TRIED), 0.5)
    at = 0
    while True:
        path = tmp_path / f"{at}.db"
        shutil.copy(kept, path)
        was_killed = killed(path, act, at)
        with piql.connect(f"embedded:{path}?synchronous=NORMAL&wait_ms=120000", canary=True) as db:
            for call in range(6):
                db.execute("add", row(1000 + call))
                db.execute("reprice", {"id": call, "price": 7000 + call})
            assert broken_promises(db) == []
            build = db.build
            if build is not None and build.progress.phase == "canary" and at % 2:
                assert build.progress.canary is not None
                assert build.progress.canary.share in (0.5, 0.75)
                build.promote()
            elif build is not None:
                build.run_to_canary() if build.progress.phase not in ("canary", "closing") else build.cancel()
                build.start()
            assert db.deployment.version in (1, 2)
            if db.build is not None and db.build.progress.phase == "canary":
                db.build.promote()
            db.deploy(piql.compile(TRIED + DEAREST))
            assert db.execute("byKind", {"kind": "k3"}).rows[0] == {"id": 3, "price": 7003}
            assert broken_promises(db) == []
            assert unused_indexes(db) == []
        path.unlink()
        if not was_killed:
            break
        at += 1
    assert at > 3
