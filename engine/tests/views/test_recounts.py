"""`piql verify`: a view is counted again at one moment, beside writers, and repaired to what its table gives."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import piql
import pytest
from object_store.fixture import bucket_url, object_store
from piql.client.recounts import recount, repair, views_named
from piql.commands.verify import verify
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.transactional import TableWriter
from promises import broken_promises

__all__ = ["bucket_url", "object_store"]

SET = """
CREATE TABLE orders (id INT PRIMARY KEY, buyer VARCHAR(8) NOT NULL, price DECIMAL(8, 2));
CREATE VIEW totals AS SELECT buyer, COUNT(*) AS n, COUNT(price) AS m, SUM(price) AS total
FROM orders WHERE buyer <> 'z' GROUP BY buyer;
CREATE QUERY best AS SELECT buyer, n FROM totals ORDER BY n DESC LIMIT 3;
CREATE QUERY put AS INSERT INTO orders (id, buyer, price) VALUES ([id], [buyer], [price]);
CREATE QUERY remove AS DELETE FROM orders WHERE id = [id];
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL"


@pytest.fixture
def db(url: str) -> Iterator[piql.Database]:
    with piql.connect(url) as db:
        db.deploy(piql.compile({"a": SET}))
        rows = [{"id": n, "buyer": "abcz"[n % 4], "price": None if n % 3 else n} for n in range(40)]
        db.load("orders", rows)
        yield db


def falsify(db: piql.Database) -> None:
    """Take the row of a from the view, count b wrong, and add a group that there is not."""
    writer = TableWriter(db.deployment.tables["totals"], db.deployment, db.store)
    with db.store.transaction() as transaction:
        for key, change in (("a", None), ("b", {"buyer": "b", "n": 5, "m": 1, "total": 1}), ("x", None)):
            old = writer.read(transaction, Meter(), (key,))
            new = {"buyer": "x", "n": 1, "m": 0, "total": None} if key == "x" else change
            writer.apply(transaction, Meter(), old, writer.make(new) if new is not None else None)


@pytest.mark.parametrize("step_rows", [1, 3, 40, 1000])
def test_differences_are_told_and_repaired(db: piql.Database, step_rows: int) -> None:
    (view,) = views_named(db.deployment, [])
    assert recount(db, view, step_rows=step_rows).differences == ()
    falsify(db)
    recounted = recount(db, view, step_rows=step_rows)
    assert (recounted.rows, recounted.groups) == (40, 3)
    held = {difference.group["buyer"]: difference.held and difference.held["n"] for difference in recounted.differences}
    gives = {
        difference.group["buyer"]: difference.gives and difference.gives["n"] for difference in recounted.differences
    }
    assert held == {"a": None, "b": 5, "x": 1}
    assert gives == {"a": 10, "b": 10, "x": None}
    assert broken_promises(db) != []
    mended = repair(db, view, step_rows=step_rows)
    assert (mended.repaired, mended.differences) == (3, ())
    assert broken_promises(db) == []


def falsify_entries(db: piql.Database) -> None:
    """Take the entry of a from the index of the view, move that of b, and add one of a group that there is not."""
    writer = TableWriter(db.deployment.tables["totals"], db.deployment, db.store)
    (entries,) = writer.indexes
    with db.store.transaction() as transaction:
        for name in "ab":
            row = writer.read(transaction, Meter(), (name,))
            assert row is not None
            transaction.delete(entries.prepared, list(entries.by_key(row)))
        for name in "bx":
            transaction.put(entries.prepared, entries.of(writer.make({"buyer": name, "n": 77, "m": 1, "total": 1})))


@pytest.mark.parametrize("step_rows", [1, 2, 1000])
def test_entries_of_a_views_index_are_compared_with_its_rows_and_repaired(db: piql.Database, step_rows: int) -> None:
    view = db.deployment.tables["totals"]
    falsify_entries(db)
    recounted = recount(db, view, step_rows=step_rows)
    assert recounted.differences == ()
    strays = sorted((stray.group["buyer"], stray.is_lacking) for stray in recounted.strays)
    assert strays == [("a", True), ("b", False), ("b", True), ("x", False)]
    mended = repair(db, view, step_rows=step_rows)
    assert (mended.is_right, mended.repaired, mended.mended) == (True, 0, 4)
    assert broken_promises(db) == []
    falsify_entries(db)
    falsify(db)
    assert repair(db, view, step_rows=step_rows).is_right
    assert broken_promises(db) == []


def test_the_command_names_entries_that_differ(db: piql.Database, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    falsify_entries(db)
    assert verify(["--store", url]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("totals: 40 rows of orders give 3 groups; 4 entries of its indexes differ\n")
    assert "buyer = 'a': " in printed
    assert "lacks its entry" in printed
    assert "holds a stale entry" in printed
    assert verify(["--store", url, "--repair"]) == 0
    assert "and it holds them, 4 index entries repaired\n" in capsys.readouterr().out
    assert broken_promises(db) == []


def test_a_group_that_a_write_changes_meanwhile_is_counted_again_before_it_is_repaired(db: piql.Database) -> None:
    (view,) = views_named(db.deployment, ["totals"])
    falsify(db)
    is_written = False

    def write_once(_: str, rows: int) -> None:
        nonlocal is_written
        if rows == 40 and not is_written:
            is_written = True
            thread = threading.Thread(target=lambda: db.execute("put", {"id": 99, "buyer": "b", "price": 7}))
            thread.start()
            thread.join()

    mended = repair(db, view, write_once, step_rows=4)
    assert (mended.repaired, mended.differences, mended.rows) == (3, (), 41)
    assert broken_promises(db) == []


def test_writers_beside_a_recount_make_no_difference(db: piql.Database, url: str) -> None:
    view = db.deployment.tables["totals"]
    is_over = threading.Event()

    def write() -> None:
        chance = random.Random(7)
        with piql.connect(url) as writing:
            while not is_over.is_set():
                row = {"id": chance.randrange(60), "buyer": chance.choice("abcz"), "price": chance.randrange(9)}
                writing.execute("put", row)
                writing.execute("remove", {"id": chance.randrange(60)})

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert [recount(db, view, step_rows=2).differences for _ in range(12)] == [()] * 12
    finally:
        is_over.set()
        writer.join()


def test_a_version_that_comes_meanwhile_ends_the_recount(db: piql.Database) -> None:
    view = db.deployment.tables["totals"]

    def deploy(_: str, __: int) -> None:
        thread = threading.Thread(target=lambda: db.deploy(piql.compile({"a": SET + "\n"})))
        thread.start()
        thread.join()

    falsify(db)
    with pytest.raises(piql.PiqlError, match="begin again"):
        repair(db, view, deploy)


def test_the_command_says_what_differs_and_what_to_do(
    db: piql.Database, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(["--store", url]) == 0
    assert capsys.readouterr().out == "totals: 40 rows of orders give 3 groups, and it holds them\n"
    falsify(db)
    assert verify(["totals", "--store", url]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("totals: 40 rows of orders give 3 groups; 3 groups of it differ\n")
    assert "buyer = 'x': holds n = 1, m = 0, total = NULL; its rows give no row" in printed.out
    assert "add --repair" in printed.err
    assert verify(["--store", url, "--repair"]) == 0
    assert capsys.readouterr().out == "totals: 40 rows of orders give 3 groups, and it holds them, 3 groups repaired\n"
    assert verify(["sums", "--store", url]) == 1
    assert "no view 'sums' is deployed; there are: totals" in capsys.readouterr().err
    assert verify(["orders", "--store", url]) == 0
    assert capsys.readouterr().out == "orders: it has no index\n"


def test_a_bucket_is_counted_again_and_repaired(bucket_url: Callable[..., str]) -> None:
    with piql.connect(bucket_url()) as db:
        db.deploy(piql.compile({"a": SET}))
        db.load("orders", [{"id": n, "buyer": "ab"[n % 2], "price": n} for n in range(9)])
        (view,) = views_named(db.deployment, [])
        falsify(db)
        assert len(recount(db, view, step_rows=4).differences) == 3
        assert repair(db, view, step_rows=4).differences == ()
        assert broken_promises(db) == []
