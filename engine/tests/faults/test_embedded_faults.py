"""What may happen to a file: a full disk, a folder that may not be written to, damage, a file that is no database."""

from __future__ import annotations

import dis
import errno
import gc
import os
import pickle
import random
import resource
import signal
import sqlite3
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

import piql
import pytest
from crash.workload import SOURCE, TEAMS
from piql.errors import StoreFull, StoreNotWritable
from piql.store.embedded.fork import FORKS
from piql.store.embedded.store import EmbeddedStore
from piql.store.embedded.waiting import _WHAT_TO_DO, not_opened, unavailable
from processes.forked import said_by_child
from promises import broken_promises, records_of

LARGEST_FILE = 400_000  # bytes
INTERRUPTED = ("embedded/store.py", "embedded/waiting.py", "embedded/connections.py")


def players(first: int, count: int) -> list[dict[str, object]]:
    return [{"id": f"{n}", "team": TEAMS[n % 4], "score": n, "bio": ""} for n in range(first, first + count)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "a.db"
    with piql.connect(f"embedded:{file}") as db:
        db.deploy(piql.compile(SOURCE))
        db.load("teams", [{"team": team, "town": "Oslo"} for team in TEAMS])
        db.load("players", players(0, 8))
    return file


def test_a_full_disk_refuses_writes_whole_and_still_reads(path: Path) -> None:
    with piql.connect(f"embedded:{path}") as db:
        connection = db.store.connection()  # type: ignore[attr-defined]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        big = "x" * 60
        with pytest.raises(piql.StoreUnavailable, match="full"):
            db.load("teams", [{"team": f"t{n}", "town": "Bergen"} for n in range(3000)])
        assert broken_promises(db) == []
        assert len(db.execute("best", {"team": "reds"}).rows) == 2
        connection.execute("PRAGMA max_page_count = 100000")
        db.execute("put", {"id": "p", "team": "reds", "email": "p@x", "score": 1, "bio": big})
        assert broken_promises(db) == []


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    for number, content in enumerate((b"not a database" * 400, bytes(5000))):
        path = tmp_path / f"{number}.db"
        path.write_bytes(content)
        with pytest.raises(piql.StoreUnavailable, match=f"{path}: it is damaged, or is not a store: replace"):
            piql.connect(f"embedded:{path}")
    with pytest.raises(piql.StoreUnavailable, match="give the path of"):
        piql.connect(f"embedded:{tmp_path}")
    with pytest.raises(piql.StoreUnavailable, match="give the path of"):
        piql.connect(f"embedded:{tmp_path / '0.db' / 'below'}")
    for name in ("a\0b", "\ud800", "x" * 5000):
        with pytest.raises(piql.StoreUnavailable):
            piql.connect(f"embedded:{tmp_path}/{name}")


def test_writes_that_the_disk_does_not_take_are_refused_and_those_before_them_kept(path: Path) -> None:
    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with piql.connect(f"embedded:{path}") as db:
            resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
            for number in range(1000):
                db.load("teams", [{"team": f"t{number}", "town": "Oslo"}])
                os.write(written, b".")

    reading_end, written = os.pipe()
    said = said_by_child(fill)
    os.close(written)
    acknowledged = len(os.read(reading_end, 2000))
    os.close(reading_end)
    assert said.startswith(
        "StoreUnavailable: the embedded store could not read or write its file: check whether the disk"
    )
    assert acknowledged > 0
    with piql.connect(f"embedded:{path}") as db:
        teams = {record["team"] for record in records_of(db.store, db.deployment.tables["teams"])}
        assert {f"t{number}" for number in range(acknowledged)} <= teams
        assert broken_promises(db) == []


def test_a_file_that_may_not_be_written_to_says_what_to_do(path: Path) -> None:
    with piql.connect(f"embedded:{path}") as db:
        assert isinstance(db.store, EmbeddedStore)
        db.store.connection().execute("PRAGMA query_only = TRUE")
        with pytest.raises(StoreNotWritable, match="allow this user to write its file and the folder of the file"):
            db.load("teams", [{"team": "whites", "town": "Oslo"}])
        assert len(db.execute("best", {"team": "reds"}).rows) == 2


@pytest.mark.parametrize("code", [*_WHAT_TO_DO, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_NOMEM])
def test_each_failure_of_sqlite_ends_in_what_to_do_about_it(path: Path, code: int) -> None:
    failure = sqlite3.OperationalError("as SQLite calls it")
    failure.sqlite_errorcode = code
    for error in (unavailable(failure), not_opened(path, failure, 0.0)):
        if not isinstance(error, StoreFull):
            assert error.advice
            assert str(error).endswith(f": {error.advice}")
            assert "running" not in str(error)
        refused = code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
        assert isinstance(error, StoreNotWritable) == refused
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.advice) == (type(error), str(error), error.advice)


def test_a_file_that_the_system_does_not_let_this_user_open_is_said_to_be(path: Path) -> None:
    error = not_opened(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)), 0.0)
    assert isinstance(error, StoreNotWritable)
    assert str(error).endswith("Permission denied: give the path of a file, in a folder that may be written to")


def test_a_text_that_is_damaged_is_said_to_be_and_not_shown(path: Path) -> None:
    with piql.connect(f"embedded:{path}") as db:
        assert isinstance(db.store, EmbeddedStore)
        with pytest.raises(piql.StoreUnavailable, match="is damaged") as failure, db.store.at_work() as connection:
            connection.execute("SELECT CAST(x'736563726574ff' AS TEXT)").fetchone()
        assert "secret" not in str(failure.value)


def test_a_damaged_file_ends_in_typed_errors(path: Path) -> None:
    whole = path.read_bytes()
    chance = random.Random(5)
    ends = set()
    for number in range(60):
        damaged = path.with_name(f"{number}.db")
        content = bytearray(whole)
        for _ in range(chance.choice((1, 4, 40))):
            at = chance.randrange(100, len(content))
            content[at] = chance.randrange(256)
        if chance.random() < 0.3:
            del content[chance.randrange(len(content)) :]
        damaged.write_bytes(content)
        try:
            with piql.connect(f"embedded:{damaged}") as db:
                for team in TEAMS:
                    db.execute("best", {"team": team})
                db.execute("put", {"id": "p", "team": "reds", "email": "p@x", "score": 1, "bio": "fast"})
                db.execute("withWord", {"word": "fast"})
            ends.add("answers")
        except piql.PiqlError as error:
            ends.add(type(error).__name__)
        except TypeError:  # a value has become one of another type, which nothing in the file tells
            ends.add("another type")
    assert "StoreUnavailable" in ends


def interrupt(work: Callable[[], object], at: int) -> str | None:
    """Do some work, with Ctrl+C before one of the embedded store's instructions; give the function it came to."""
    instructions, function = 0, None

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal instructions, function
        if not frame.f_code.co_filename.endswith(("embedded/store.py", "embedded/waiting.py")):
            return None
        frame.f_trace_opcodes = True
        instructions += event == "opcode"
        if event == "opcode" and instructions == at:
            function = frame.f_code.co_name
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return function
    finally:
        sys.settrace(before)
    return None


@cache
def looks(code: CodeType) -> frozenset[int]:
    """Return the calls of a function: there CPython looks whether Ctrl+C came, and where a function begins.

    `with` calls what ends it as any other function, so an interrupt may come as that begins.
    """
    return frozenset(
        instruction.offset for instruction in dis.get_instructions(code) if instruction.opname.startswith("CALL")
    )


def interrupt_where_python_looks(work: Callable[[], object], at: int) -> str | None:
    """Do some work, with Ctrl+C at one of the places where it may come to the embedded store; give the function."""
    places, function = 0, None

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal places, function
        if not frame.f_code.co_filename.endswith(INTERRUPTED):
            return None
        frame.f_trace_opcodes = True
        if event == "call" or (event == "opcode" and frame.f_lasti in looks(frame.f_code)):
            places += 1
            if places == at:
                function = frame.f_code.co_name
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return function
    finally:
        sys.settrace(before)
    return None


@pytest.mark.parametrize("call", ["one request", "several requests", "a write"])
def test_a_call_that_is_interrupted_where_that_may_be_is_over(path: Path, call: str) -> None:
    """Its connection counts as used by nobody, so a fork need not wait for it; reads see what was written since."""
    calls: dict[str, Callable[[piql.Database], object]] = {
        "one request": lambda db: db.execute("byMail", {"email": "a@x"}),
        "several requests": lambda db: db.execute("ofTown", {"team": "reds"}),
        "a write": lambda db: db.execute("remove", {"id": "1"}),
    }
    address = f"embedded:{path}?synchronous=NORMAL&wait_ms=0"
    with piql.connect(address) as db, piql.connect(address) as other:
        assert isinstance(db.store, EmbeddedStore)
        calls[call](db)
        functions, at = set[str](), 1
        while function := interrupt_where_python_looks(lambda: calls[call](db), at):
            functions.add(function)
            other.load("teams", [{"team": f"t{at}", "town": "Oslo"}])
            assert db.run("SELECT town FROM teams WHERE team = [1: team]", {"team": f"t{at}"}).rows, (function, at)
            assert not any(held.uses for held in FORKS.handles), (function, at)
            assert not db.store.connection().in_transaction, (function, at)
            at += 1
        assert functions >= {"connected", "use_is_over"}
        db.execute("remove", {"id": "1"})


def test_a_transaction_that_ends_late_ends_no_later_one(path: Path) -> None:
    """What was interrupted is kept by its traceback, and ends when that goes: in the midst of another transaction."""
    with piql.connect(f"embedded:{path}") as db:
        for first in (db.store.transaction, db.store.snapshot):
            interrupted = first()
            interrupted.__enter__()
            with db.store.transaction() as later:
                later.set_setting("kept", first.__name__)
                del interrupted
                gc.collect()
            assert db.store.settings()["kept"] == first.__name__


def test_a_write_that_is_interrupted_anywhere_holds_up_nobody(path: Path) -> None:
    address = f"embedded:{path}?synchronous=NORMAL"
    with piql.connect(address) as db, piql.connect(f"{address}&wait_ms=0") as other:
        db.execute("remove", {"id": "1"})  # prepared: from now on the instructions are the same each time
        at, functions = 1, set[str]()
        while function := interrupt(lambda: db.execute("remove", {"id": "1"}), at):
            functions.add(function)
            db.load("teams", [{"team": f"m{at}", "town": "Oslo"}])
            other.load("teams", [{"team": f"t{at}", "town": "Oslo"}])
            at += 1
        assert {"transaction", "patiently"} <= functions
        teams = {record["team"] for record in records_of(db.store, db.deployment.tables["teams"])}
        assert {f"{whose}{number}" for whose in "mt" for number in range(1, at)} <= teams
        assert broken_promises(db) == []


async def test_a_store_that_was_closed_says_so_to_tasks(path: Path) -> None:
    db = await piql.aconnect(f"embedded:{path}")
    await db.close()
    await db.close()
    with pytest.raises(piql.StoreUnavailable, match="closed"):
        await db.execute("best", {"team": "reds"})


def test_a_store_that_was_closed_says_so(path: Path) -> None:
    db = piql.connect(f"embedded:{path}")
    db.execute("best", {"team": "reds"})
    db.close()
    db.close()
    for call in (
        lambda: db.execute("best", {"team": "reds"}),
        lambda: db.execute("remove", {"id": "1"}),
        lambda: db.load("players", players(9, 1)),
        lambda: db.run("SELECT town FROM teams WHERE team = 'reds'"),
        lambda: db.deploy(piql.compile(SOURCE)),
        lambda: db.deployment,
    ):
        with pytest.raises(piql.StoreUnavailable, match="closed"):
            call()


def test_a_writer_that_waits_in_vain_gets_a_typed_error_and_readers_do_not_wait(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with piql.connect(f"embedded:{path}?wait_ms=30") as db:
        with pytest.raises(piql.StoreUnavailable, match=r"being written by others for 0\.03 s"):
            db.execute("remove", {"id": "1"})
        with pytest.raises(piql.StoreUnavailable, match="others"):
            db.load("players", players(9, 1))
        with pytest.raises(piql.StoreUnavailable, match="others"):
            db.deploy(piql.compile(SOURCE))
        assert len(db.execute("best", {"team": "reds"}).rows) == 2
        other.execute("ROLLBACK")
        db.execute("remove", {"id": "1"})
    other.close()
