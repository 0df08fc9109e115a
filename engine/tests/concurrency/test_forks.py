"""Processes that were forked while their parent had the file open: no acknowledged write is lost, in whatever order."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import piql
import pytest
from patience import PATIENCE
from piql.errors import StoreForked
from piql.forking import RenewedLock
from piql.runtime.writing.stepped.stamps import Stamps
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.store.embedded import fork as embedded_fork
from piql.store.embedded.connections import ConnectionHandle, DatabaseFile
from piql.store.embedded.fork import FORKS, Forks
from piql.store.stepwise.store import StepwiseStore
from piql.trees.cached_property import cached_property
from piql.trees.caches import Memory
from piql.versions.change.build import BackfillRate
from processes.forked import said_by_child
from processes.nursery import Nursery
from promises import broken_promises, records_of

from .jobs import SOURCE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def db(path: Path) -> Iterator[piql.Database]:
    with piql.connect(f"embedded:{path}?synchronous=NORMAL") as database:
        database.deploy(piql.compile(SOURCE))
        yield database


def put(db: piql.Database, number: int) -> None:
    db.execute("put", {"id": number, "value": number})


def numbers(db: piql.Database) -> set[int]:
    return {record["id"] for record in records_of(db.store, db.deployment.tables["counters"])}


def in_child(work: Callable[[], object], fork: Callable[[], int] = os.fork) -> str:
    """Return the name of what a forked process raised, else "done"."""
    return said_by_child(work, fork).partition(":")[0]


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(n, marks=pytest.mark.long) for n in range(4, 150))])
def test_a_family_loses_no_write_that_was_acknowledged(nurse: Nursery, tmp_path: Path, scheme: str, seed: int) -> None:
    url, acks, alive = (
        f"{scheme}:{tmp_path / 'a.db'}?synchronous=NORMAL&wait_ms=60000",
        tmp_path / "acks",
        tmp_path / "alive",
    )
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
    os.mkfifo(alive)
    still = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    job = {"job": "concurrency.families:raise_family", "url": url, "acks": str(acks), "alive": str(alive)}
    (life,) = nurse.run({**job, "seed": seed, "actions": 6})
    assert life.status == 0, life.other
    os.set_blocking(still, True)
    assert os.read(still, 1) == b""  # the last member has ended
    os.close(still)
    lines = acks.read_text().splitlines()
    assert [line for line in lines if not line.startswith("wrote ")] == [], life.other
    with piql.connect(url) as db:
        db.sweep(older_than=0)
        kept_ids = {record["id"] for record in records_of(db.store, db.deployment.tables["accounts"])}
        lost = {line.removeprefix("wrote ") for line in lines} - kept_ids
        assert lost == set(), life.other
        assert broken_promises(db) == []


def test_parent_and_child_go_on_with_the_same_database(db: piql.Database) -> None:
    put(db, 1)
    assert in_child(lambda: put(db, 2)) == "done"
    put(db, 3)
    assert numbers(db) == {1, 2, 3}


def test_a_child_that_closes_leaves_the_parents_file_and_folder() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(SOURCE))

        def use_and_close() -> None:
            put(db, 1)
            db.close()

        assert in_child(use_and_close) == "done"
        put(db, 2)
        assert numbers(db) == {1, 2}


def test_threads_that_write_go_on_through_forks(db: piql.Database) -> None:
    over = threading.Event()
    written: list[int] = []

    def write(first: int) -> None:
        number = first
        while not over.is_set():
            put(db, number)
            written.append(number)
            number += 1

    threads = [threading.Thread(target=write, args=(first,)) for first in (10_000, 20_000, 30_000)]
    for thread in threads:
        thread.start()
    outcomes = [in_child(lambda number=number: put(db, number)) for number in range(10)]  # type: ignore[misc]
    over.set()
    for thread in threads:
        thread.join()
    assert outcomes == ["done"] * 10
    assert numbers(db) == {*written, *range(10)}


def test_a_fork_waits_for_a_transaction_of_another_thread(db: piql.Database) -> None:
    began, forked = threading.Event(), threading.Event()

    def write() -> None:
        with db.store.transaction() as transaction:
            began.set()
            while not FORKS.is_near:
                pass
            assert not forked.is_set()
            transaction.set_setting("kept", "yes")

    thread = threading.Thread(target=write)
    thread.start()
    began.wait()
    assert in_child(lambda: put(db, 1)) == "done"
    forked.set()
    thread.join()
    assert db.store.settings()["kept"] == "yes"


@pytest.mark.parametrize("act", ["read another", "close another", "read its own, closed meanwhile"])
def test_a_fork_waits_for_no_thread_that_waits_for_it(db: piql.Database, tmp_path: Path, act: str) -> None:
    began, closed, outcomes = threading.Event(), threading.Event(), list[object]()
    other = piql.connect(f"embedded:{tmp_path / 'other.db'}")

    def write() -> None:
        other.store.version()
        with db.store.transaction():
            began.set()
            closed.wait()
            while not FORKS.is_near:
                pass
            if act == "close another":
                other.close()
            else:
                (other if act == "read another" else db).store.settings()
            outcomes.append("over")

    def tell() -> None:
        try:
            write()
        except piql.StoreUnavailable as failure:
            outcomes.append(str(failure))

    thread = threading.Thread(target=tell)
    thread.start()
    began.wait()
    if act == "read its own, closed meanwhile":
        db.close()
    closed.set()
    url = f"embedded:{tmp_path / 'a.db'}"
    assert in_child(lambda: put(piql.connect(url), 1)) == "done"
    thread.join()
    assert outcomes == ["the store has been closed" if act == "read its own, closed meanwhile" else "over"]
    other.close()
    with piql.connect(url) as again:
        assert numbers(again) == {1}


def test_a_connection_that_its_store_gave_up_is_used_by_nobody(path: Path) -> None:
    file = DatabaseFile(path, "NORMAL", 1.0)
    file.may_be_made = True
    held = ConnectionHandle(file)
    with held.used():
        held.retire()
        with held.used() as connection:  # a read within a transaction: it goes on
            connection.execute("PRAGMA user_version")
    with pytest.raises(piql.StoreUnavailable, match="the store has been closed"), held.used():
        pass
    assert held.connection is None


def test_a_transaction_that_does_not_end_in_time_is_kept_and_the_child_refused(
    db: piql.Database, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_fork, "PATIENCE_SECONDS", 0.01)
    began, over = threading.Event(), threading.Event()

    def write() -> None:
        with db.store.transaction() as transaction:
            began.set()
            over.wait()
            transaction.set_setting("kept", "yes")

    thread = threading.Thread(target=write)
    thread.start()
    began.wait()
    elsewhere = f"embedded:{tmp_path / 'b.db'}"
    outcomes = [
        in_child(lambda: put(db, 1)),
        in_child(lambda: piql.connect(f"embedded:{path}")),
        in_child(lambda: piql.connect(elsewhere).deploy(piql.compile(SOURCE))),  # SQLite may be locked
    ]
    over.set()
    thread.join()
    assert outcomes == ["StoreForked"] * 3
    assert db.store.settings()["kept"] == "yes"
    assert numbers(db) == set()


def test_a_child_forked_within_a_transaction_can_neither_go_on_with_it_nor_end_it(db: piql.Database) -> None:
    outcomes: list[str] = []
    with db.store.transaction() as transaction:
        transaction.set_setting("kept", "yes")
        outcomes.append(in_child(lambda: transaction.set_setting("kept", "no")))
        outcomes.append(in_child(lambda: transaction.connection.close()))
        outcomes.append(in_child(lambda: db.store.settings()))
    assert outcomes == ["StoreForked"] * 3
    assert db.store.settings()["kept"] == "yes"


def test_a_child_that_leaves_the_parents_transaction_by_the_usual_way_harms_nothing(
    db: piql.Database, path: Path
) -> None:
    reads, writes = os.pipe()
    try:
        with db.store.transaction() as transaction:
            transaction.set_setting("kept", "yes")
            pid = os.fork()
    except StoreForked:
        os.write(writes, b"refused")
        os._exit(0)
    os.close(writes)
    assert os.waitpid(pid, 0) == (pid, 0)
    assert os.read(reads, 100) == b"refused"
    os.close(reads)
    assert db.store.settings()["kept"] == "yes"
    assert broken_promises(db) == []


def test_a_file_that_another_library_has_open_is_refused_in_the_child(db: piql.Database, path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path)
    foreign = sqlite3.connect(path)
    foreign.execute("SELECT COUNT(*) FROM settings").fetchone()
    assert in_child(lambda: put(db, 1)) == "StoreForked"
    assert in_child(lambda: piql.connect(f"embedded:{link}")) == "StoreForked"
    message = said_by_child(lambda: put(db, 1))
    assert message.startswith(
        f"StoreForked: this process was forked while its parent had {path} open: start it by spawn"
    )
    foreign.close()
    assert in_child(lambda: put(db, 2)) == "done"
    put(db, 3)
    assert numbers(db) == {2, 3}


def test_a_grandchild_is_refused_though_its_parent_closed_what_it_inherited(db: piql.Database, path: Path) -> None:
    foreign = sqlite3.connect(path)

    pid = os.fork()
    if pid == 0:
        os.closerange(3, 10_000)  # as a daemon does
        os._exit(0 if in_child(lambda: piql.connect(f"embedded:{path}")) == "StoreForked" else 1)
    assert os.waitpid(pid, 0) == (pid, 0)
    foreign.close()


def forked_by_c() -> int:
    """Fork as a server written in C does, which tells Python only in the child."""
    pid: int = ctypes.PyDLL(None).fork()
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    return pid


def test_a_fork_that_python_learns_of_afterwards_is_refused_what_was_open(db: piql.Database, tmp_path: Path) -> None:
    elsewhere = f"embedded:{tmp_path / 'b.db'}"
    assert in_child(lambda: put(db, 1), forked_by_c) == "StoreForked"
    assert in_child(lambda: db.execute("value", {"id": 1}), forked_by_c) == "StoreForked"
    assert in_child(lambda: piql.connect(elsewhere).deploy(piql.compile(SOURCE)), forked_by_c) == "done"


def test_a_fork_of_which_python_never_learns_cannot_write(db: piql.Database, tmp_path: Path) -> None:
    fork = ctypes.PyDLL(None).fork
    assert in_child(lambda: put(db, 1), fork) == "StoreForked"
    assert in_child(lambda: piql.connect(f"embedded:{tmp_path / 'b.db'}"), fork) == "StoreForked"
    assert numbers(db) == set()


def test_connections_are_forgotten_with_their_threads_and_stores(path: Path) -> None:
    before = len(FORKS.handles)
    with piql.connect(f"embedded:{path}") as db:
        db.deploy(piql.compile(SOURCE))
        for number in range(3):
            thread = threading.Thread(target=put, args=(db, number))
            thread.start()
            thread.join()
        assert len(FORKS.handles) == before + 1
    assert len(FORKS.handles) == before


def test_a_use_that_is_interrupted_while_it_waits_for_a_fork_is_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    forks = Forks()
    forks.is_near = True
    monkeypatch.setattr(forks, "_over", SimpleNamespace(wait=interrupted))
    monkeypatch.setattr("piql.store.embedded.connections.FORKS", forks)
    held = ConnectionHandle(DatabaseFile(path, "NORMAL", 1.0))
    with pytest.raises(KeyboardInterrupt), held.used():
        pass
    assert held.uses == 0


def test_a_file_that_could_not_be_opened_is_open_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_bytes(b"SQLite format 3\0" + b"no database" * 500)
    with pytest.raises(piql.StoreUnavailable) as failure:
        piql.connect(f"embedded:{path}")
    opened = path.stat()
    assert (opened.st_dev, opened.st_ino) not in embedded_fork._open_databases()
    assert failure.value.__cause__ is not None


def open_accounts(url: str, numbers: range) -> int:
    with piql.connect(url) as db:
        for number in numbers:
            put(db, number)
    return len(numbers)


@pytest.mark.parametrize(
    "method", ["fork", *(pytest.param(name, marks=pytest.mark.long) for name in ("forkserver", "spawn"))]
)
def test_a_pool_made_while_the_store_is_open_loses_nothing_after_it_was_closed(path: Path, method: str) -> None:
    url = f"embedded:{path}"
    db = piql.connect(url)
    db.deploy(piql.compile(SOURCE))
    with ProcessPoolExecutor(3, multiprocessing.get_context(method)) as pool:
        first = pool.submit(open_accounts, url, range(10))
        first.result()
        db.close()
        rest = [pool.submit(open_accounts, url, range(at, at + 20)) for at in range(100, 400, 20)]
        assert sum(future.result() for future in rest) == 300
    with piql.connect(url) as db:
        assert numbers(db) == {*range(10), *range(100, 400)}
        assert broken_promises(db) == []


def test_a_child_writes_under_a_name_and_into_a_log_of_its_own(tmp_path: Path) -> None:
    stamps = Stamps()
    with piql.connect(f"stepwise:{tmp_path / 'a.db'}") as db:
        db.deploy(piql.compile(SOURCE))
        inherited = piql.Database(db.store, stamps=stamps)
        put(inherited, 1)
        assert in_child(lambda: put(inherited, 2)) == "done"
        assert in_child(lambda: put(inherited, 3)) == "done"
        put(inherited, 4)
        steps = db.store.row_writes
        assert steps is not None
        table = db.deployment.tables["counters"]
        records = db.store.prepare_entries(table, table.primary_index())
        records_found = [steps.find(records, (number,)) for number in (1, 2, 3, 4)]
        one, two, three, four = (record.write.split("-")[1] for record in records_found if record is not None)
        assert one == four == stamps.process
        assert len({one, two, three}) == 3


def test_locks_and_threads_of_the_parent_hold_up_no_child(db: piql.Database) -> None:
    memory: Memory[int] = Memory(4)
    names = RenewedLock()
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with memory._lock.lock, names.lock, stamps._lock:
            held.set()
            over.wait()

    stamps = Stamps()
    server = WriterIdentity(StepwiseStore(), stamps)
    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    assert held.wait(PATIENCE), "the thread ended before it had the locks"

    def use_all() -> None:
        memory.put((db,), 1)
        with names.lock:
            server.stamps.write_after(0)

    assert in_child(use_all) == "done"
    over.set()
    thread.join()


def test_a_property_that_a_thread_of_the_parent_works_out_holds_up_no_child() -> None:
    at_work, over = threading.Event(), threading.Event()
    parent = os.getpid()

    class Value:
        @cached_property
        def slow(self) -> int:
            if os.getpid() == parent:
                at_work.set()
                over.wait()
            return 1

    def read() -> None:
        signal.alarm(int(PATIENCE))  # ends a child that waits for ever
        assert Value().slow == 1

    thread = threading.Thread(target=lambda: Value().slow, daemon=True)
    thread.start()
    assert at_work.wait(PATIENCE), "the thread ended before it was at work"
    assert in_child(read) == "done"
    over.set()
    thread.join()


async def test_tasks_of_a_child_have_threads_of_their_own(path: Path) -> None:
    async with piql.aconnect(f"embedded:{path}") as db:
        await db.deploy(piql.compile(SOURCE))
        child = lambda: asyncio.new_event_loop().run_until_complete(db.execute("put", {"id": 1, "value": 1}))  # noqa: E731
        with ThreadPoolExecutor(1) as aside:  # a thread has no running loop, nor has what it forks
            assert aside.submit(in_child, child).result() == "done"
        assert (await db.execute("value", {"id": 1})).rows == [{"value": 1}]


def test_a_child_leaves_the_build_to_its_parent(db: piql.Database) -> None:
    db.load("counters", ({"id": number, "value": number} for number in range(3000)))
    newer = SOURCE + "CREATE QUERY low AS SELECT id FROM counters WHERE value = [value] ORDER BY id LIMIT 3;"
    build = db.deploy(piql.compile(newer), background=True, rows_per_second=10)  # it would take five minutes
    build.pause()
    build.resume()
    assert in_child(db.close) == "done"
    assert in_child(lambda: build.pause()) == "done"
    build._pace = BackfillRate()
    build.resume()
    build.wait(PATIENCE)
    assert db.execute("low", {"value": 7}).rows == [{"id": 7}]
