"""What only the embedded store has: its files, its threads and processes, its query plans."""

import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from piql.errors import StoreUnavailable
from piql.schema.catalog import Column, Index, IndexColumn, Kind, SqlType, Table
from piql.store.base import Batch, ReadShape
from piql.store.embedded.store import EmbeddedStore
from piql.store.open import open_store

INT = SqlType(Kind.INT)
TABLE = Table("t", tuple(Column(name, INT, name != "k") for name in "abck"), ("k",))


def test_a_temporary_store_goes_when_it_is_closed() -> None:
    store = EmbeddedStore()
    folder = store.path.parent
    assert store.path.exists()
    store.close()
    assert not folder.exists()


def test_a_file_stays_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "store.db"
    store = open_store(f"embedded:{path}")
    with store.transaction() as transaction:
        transaction.set_setting("name", "value")
    store.close()
    again = open_store(f"embedded:{path}?synchronous=NORMAL")
    assert again.settings() == {"name": "value"}
    again.close()


@pytest.mark.parametrize("url", ["postgres:x", "embedded:x?synchronous=OFF", "embedded:x?colour=red"])
def test_an_address_that_no_store_answers_to_is_refused(url: str) -> None:
    with pytest.raises(StoreUnavailable):
        open_store(url)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be looked at" * 100)
    with pytest.raises(StoreUnavailable, match=r"notes\.txt"):
        EmbeddedStore(path)


def test_commits_reach_the_disk_unless_asked_otherwise(tmp_path: Path) -> None:
    for synchronous, number in (("FULL", 2), ("NORMAL", 1)):
        store = open_store(f"embedded:{tmp_path / 'a.db'}?synchronous={synchronous}")
        assert isinstance(store, EmbeddedStore)
        store.make()
        assert store.connection().execute("PRAGMA synchronous").fetchone() == (number,)
        assert store.connection().execute("PRAGMA journal_mode").fetchone() == ("wal",)
        store.close()


def test_a_closed_store_says_so() -> None:
    store = EmbeddedStore()
    read = store.prepare(ReadShape(TABLE, TABLE.primary_index(), ("a",), 1))
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.read_many([Batch(read, [(1,)])])


def test_every_thread_reads_and_writes_with_a_connection_of_its_own() -> None:
    store = EmbeddedStore(synchronous="NORMAL")
    with store.transaction() as transaction:
        transaction.create_table(TABLE)
    primary = TABLE.primary_index()
    entries = store.prepare_entries(TABLE, primary)
    failures: list[BaseException] = []

    def write(first: int) -> None:
        try:
            for k in range(first, first + 50):
                with store.transaction() as transaction:
                    transaction.put(entries, [(k, 0, 0, 0)])
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=write, args=(number * 100,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    scan = store.prepare(ReadShape(TABLE, primary, ("k",), 0))
    assert len(store.read_many([Batch(scan, [(1000,)])])[0][0]) == 200
    store.close()


def test_a_snapshot_does_not_see_what_is_written_meanwhile() -> None:
    store = EmbeddedStore(synchronous="NORMAL")
    with store.transaction() as transaction:
        transaction.create_table(TABLE)
    primary = TABLE.primary_index()
    scan = Batch(store.prepare(ReadShape(TABLE, primary, ("k",), 0)), [(10,)])

    def write() -> None:
        with store.transaction() as transaction:
            transaction.put(store.prepare_entries(TABLE, primary), [(1, 0, 0, 0)])

    with store.snapshot():
        assert store.read_many([scan]) == [[[]]]
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        assert store.read_many([scan]) == [[[]]]
    assert store.read_many([scan]) == [[[(1,)]]]
    store.close()


def test_going_on_from_a_place_seeks_whatever_the_directions() -> None:
    store = EmbeddedStore(synchronous="NORMAL")
    index = Index("i", "t", (IndexColumn("a"), IndexColumn("b", False), IndexColumn("c"), IndexColumn("k")))
    with store.transaction() as transaction:
        transaction.create_index(TABLE, index)
    read = store.prepare(ReadShape(TABLE, index, ("k",), 1, after_length=3))
    plans = [
        store.connection().execute("EXPLAIN QUERY PLAN " + statement.sql, [1] * statement.sql.count(" ?")).fetchall()
        for statement in read.statements
    ]
    assert all(len(plan) == 1 and plan[0][3].startswith("SEARCH") for plan in plans), plans
    assert not any("ORDER BY" in row[3] for plan in plans for row in plan)
    store.close()


def test_a_locked_store_is_unavailable(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "a.db", wait_ms=50)
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match=r"being written by others for 0\.05 s"), store.transaction():
        pass
    other.execute("ROLLBACK")
    other.close()
    store.close()


def test_a_forked_process_opens_connections_of_its_own_and_leaves_the_parents_alone() -> None:
    store = EmbeddedStore(synchronous="NORMAL")
    with store.transaction() as transaction:
        transaction.set_setting("parent", "1")
    child = os.fork()
    if child == 0:
        is_good = False
        try:
            is_good = store.settings() == {"parent": "1"}
            with store.transaction() as transaction:
                transaction.set_setting("child", "1")
            store.close()
        finally:
            os._exit(0 if is_good else 1)  # a child that raises must not go on with the tests
    assert os.waitpid(child, 0)[1] == 0
    assert store.settings() == {"parent": "1", "child": "1"}
    store.close()


@pytest.mark.parametrize("address", [3, None, b"embedded:", ["embedded:"]])
def test_an_address_that_is_no_text_is_refused_in_words_of_the_user(address: Any) -> None:
    with pytest.raises(StoreUnavailable, match=f"is a text, such as embedded:PATH, not {type(address).__name__}"):
        open_store(address)
