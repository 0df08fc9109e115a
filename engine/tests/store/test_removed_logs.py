"""What lies beside the file of an open store is removed: writes are refused, and what was acknowledged is kept."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import piql
import pytest
from piql.errors import StoreReplaced
from piql.store.embedded import log_files

SOURCE = """
CREATE TABLE t (id INT PRIMARY KEY);
CREATE QUERY one AS SELECT id FROM t WHERE id = [id];
CREATE QUERY put AS INSERT INTO t VALUES ([id]);
"""

PUTS = """
import sys, piql
from piql.errors import StoreUnavailable
from piql.store.embedded.store import EmbeddedStore
path, wait_ms, *keys = sys.argv[1:]
try:
    with piql.Database(EmbeddedStore(path, wait_ms=int(wait_ms))) as db:
        for key in keys:
            db.execute("put", {"id": int(key)})
    print("acknowledged")
    with piql.connect(f"embedded:{path}") as db:
        print([key for key in range(10) if db.execute("one", {"id": key}).rows])
except StoreUnavailable as error:
    print(type(error).__name__, error)
"""

OTHER_PROGRAM = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute('INSERT INTO "table t" VALUES (7)')
connection.commit()
input()
"""

removals = pytest.mark.parametrize("ends", [["-wal"], ["-shm"], ["-wal", "-shm"]], ids=" and ".join)


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "LOOK_SECONDS", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    with piql.connect(f"embedded:{path}") as db:
        db.deploy(piql.compile(SOURCE))
    return path


def opened(path: Path) -> piql.Database:
    """Return a store with row 1, which is in its log alone."""
    db = piql.connect(f"embedded:{path}")
    db.execute("put", {"id": 1})
    return db


def beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def remove(path: Path, ends: list[str]) -> None:
    for end in ends:
        beside(path, end).unlink()


def rows(path: Path, *keys: int) -> list[int]:
    with piql.connect(f"embedded:{path}") as db:
        return [key for key in keys if db.execute("one", {"id": key}).rows]


def putting(path: Path, *keys: int, wait_ms: int = 5000) -> subprocess.Popen[str]:
    arguments = [str(path), str(wait_ms), *map(str, keys)]
    return subprocess.Popen([sys.executable, "-c", PUTS, *arguments], stdout=subprocess.PIPE, text=True)


def said_by_another_process(path: Path, key: int) -> str:
    with putting(path, key, wait_ms=300) as process:
        return process.communicate(timeout=60)[0].strip()


@removals
def test_a_write_after_the_removal_is_refused_and_earlier_ones_are_saved(path: Path, ends: list[str]) -> None:
    db = opened(path)
    remove(path, ends)
    with pytest.raises(StoreReplaced, match=rf"{ends[0]} .*removed while .* acknowledged has been saved .*: end every"):
        db.execute("put", {"id": 2})
    shutil.copy(path, path.with_name("copy.db"))
    assert rows(path.with_name("copy.db"), 1, 2) == [1]
    with pytest.raises(StoreReplaced, match="removed"):
        db.load("t", [{"id": 3}])
    with pytest.raises(StoreReplaced, match="removed"):
        db.execute("one", {"id": 1})
    db.close()
    opened(path).close()
    assert rows(path, 1, 2, 3) == [1]


@removals
def test_a_write_during_which_they_are_removed_is_refused(path: Path, ends: list[str]) -> None:
    db = opened(path)

    def write() -> None:
        with db.store.transaction() as transaction:
            transaction.set_setting("a", "b")
            remove(path, ends)

    with pytest.raises(StoreReplaced, match="has been saved"):
        write()
    db.close()
    assert rows(path, 1) == [1]
    with piql.connect(f"embedded:{path}") as again:
        assert "a" not in again.store.settings()


@removals
def test_a_store_that_is_closed_after_the_removal_has_all_that_was_acknowledged(path: Path, ends: list[str]) -> None:
    db = opened(path)
    remove(path, ends)
    db.close()
    assert rows(path, 1) == [1]


@pytest.mark.parametrize("ends", [["-wal"], ["-wal", "-shm"]], ids=" and ".join)
def test_another_process_makes_no_second_log_while_the_store_is_open(path: Path, ends: list[str]) -> None:
    db = opened(path)
    remove(path, ends)
    said = said_by_another_process(path, 2)
    assert said.startswith("StoreReplaced another process has the embedded store")
    assert f"{ends[0]}" in said
    assert "close it without killing it" in said
    assert "disk" not in said
    with pytest.raises(StoreReplaced, match="has been saved"):
        db.execute("put", {"id": 3})
    db.close()
    assert said_by_another_process(path, 4) == "acknowledged\n[1, 4]"


def test_a_second_index_loses_nothing(path: Path) -> None:
    db = opened(path)
    remove(path, ["-shm"])
    assert said_by_another_process(path, 2) == "acknowledged\n[1, 2]"
    refusal = r"-shm was removed .* acknowledged is not lost"
    with pytest.raises(StoreReplaced, match=refusal):
        db.execute("put", {"id": 3})
    db.close()
    with pytest.raises(StoreReplaced, match=refusal):  # this process has the old index until it ends
        piql.connect(f"embedded:{path}")
    assert said_by_another_process(path, 4) == "acknowledged\n[1, 2, 4]"


def test_a_store_that_is_closed_after_another_process_made_a_second_index_removes_no_log(path: Path) -> None:
    db = opened(path)
    remove(path, ["-shm"])
    with putting(path, 2) as process:
        assert process.communicate(timeout=60)[0].startswith("acknowledged")
    db.close()
    assert said_by_another_process(path, 4) == "acknowledged\n[1, 2, 4]"


def test_a_store_of_which_another_program_made_a_second_log_says_what_is_lost_and_leaves_it_alone(path: Path) -> None:
    db = opened(path)
    remove(path, ["-wal", "-shm"])
    with subprocess.Popen([sys.executable, "-c", OTHER_PROGRAM, str(path)], stdin=subprocess.PIPE, text=True) as other:
        while not beside(path, "-wal").exists() or not beside(path, "-wal").stat().st_size:
            assert other.poll() is None
        with pytest.raises(StoreReplaced, match="that were only in the old one are lost"):
            db.execute("put", {"id": 2})
        with pytest.raises(StoreReplaced, match="are lost"):
            db.execute("one", {"id": 1})
        db.close()
        other.communicate("\n", timeout=60)
    assert said_by_another_process(path, 4) == "acknowledged\n[4, 7]"
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_log_that_is_put_back_is_written_again(path: Path) -> None:
    db = opened(path)
    beside(path, "-wal").rename(path.with_name("away"))
    with pytest.raises(StoreReplaced, match="removed"):
        db.execute("put", {"id": 2})
    path.with_name("away").rename(beside(path, "-wal"))
    db.execute("put", {"id": 3})
    db.close()
    assert rows(path, 1, 2, 3) == [1, 3]


def test_a_log_that_was_left_without_its_index_is_opened(path: Path) -> None:
    opened(path)
    for end in ("", "-wal"):
        shutil.copy(beside(path, end), path.with_name("copy.db" + end))
    assert rows(path.with_name("copy.db"), 1) == [1]


def test_an_index_that_was_left_without_its_log_is_opened(path: Path) -> None:
    beside(path, "-shm").write_bytes(bytes(32768))
    assert rows(path, 1) == []


def test_processes_that_open_and_close_a_store_take_nothing_for_removed(path: Path) -> None:
    processes = [putting(path, key) for key in range(10, 22)]
    for key in range(30, 60):
        with piql.connect(f"embedded:{path}") as db:
            db.execute("put", {"id": key})
    assert {process.communicate(timeout=120)[0].split("\n")[0] for process in processes} == {"acknowledged"}
    keys = [*range(10, 22), *range(30, 60)]
    assert rows(path, *keys) == keys
