"""The file of an open store is removed, replaced, or put back: no acknowledged write is lost, no other file written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import piql
import pytest
from piql.errors import StoreReplaced

SOURCE = """
CREATE TABLE t (id INT PRIMARY KEY, n INT);
CREATE QUERY n AS SELECT n FROM t WHERE id = [id];
CREATE QUERY put AS INSERT INTO t VALUES ([id], [n]);
"""


def made(path: Path, key: int) -> piql.Database:
    """Return a store with one row."""
    db = piql.connect(f"embedded:{path}")
    db.deploy(piql.compile(SOURCE))
    db.execute("put", {"id": key, "n": key})
    return db


def rows(path: Path, *keys: int) -> list[int]:
    """Return those of the keys that a store has, as another process would see it."""
    with piql.connect(f"embedded:{path}") as db:
        return [key for key in keys if db.execute("n", {"id": key}).rows]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def removed(path: Path) -> str:
    path.unlink()
    return "is gone"


def replaced(path: Path) -> str:
    made(path.with_name("theirs.db"), 7).close()
    os.replace(path.with_name("theirs.db"), path)
    return "was replaced"


def emptied(path: Path) -> str:
    path.with_name("nothing").touch()
    os.replace(path.with_name("nothing"), path)
    return "was replaced"


@pytest.mark.parametrize("change", [removed, replaced, emptied])
def test_nothing_is_acknowledged_any_more_and_another_file_stays_as_it_is(
    path: Path, change: Callable[[Path], str]
) -> None:
    db = made(path, 1)
    said = change(path)
    there = path.read_bytes() if path.exists() else None
    with pytest.raises(StoreReplaced, match=said):
        db.execute("put", {"id": 2, "n": 2})
    with pytest.raises(StoreReplaced, match=said):
        db.load("t", [{"id": 3, "n": 3}])
    with pytest.raises(StoreReplaced, match=said):
        _ = db.deployment
    db.close()
    assert (path.read_bytes() if path.exists() else None) == there
    if change is replaced:
        assert rows(path, 1, 2, 3, 7) == [7]
    else:
        made(path, 9).close()  # the log that was left is taken for no part of a new file
        assert rows(path, 1, 2, 3, 9) == [9]


def test_a_file_that_is_put_back_is_written_again(path: Path) -> None:
    db = made(path, 1)
    path.rename(path.with_name("away.db"))
    with pytest.raises(StoreReplaced, match="is gone"):
        db.execute("put", {"id": 2, "n": 2})
    path.with_name("away.db").rename(path)
    db.execute("put", {"id": 3, "n": 3})
    db.close()
    assert rows(path, 1, 2, 3) == [1, 3]
    assert {file.name for file in path.parent.iterdir()} == {path.name, f"{path.name}-turn"}


def test_a_file_that_is_put_back_after_its_store_was_closed_has_all_that_was_acknowledged(path: Path) -> None:
    db = made(path, 1)
    path.rename(path.with_name("away.db"))
    db.close()
    path.with_name("away.db").rename(path)
    assert rows(path, 1) == [1]


def cut_to_nothing(path: Path) -> None:
    os.truncate(path, 0)


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("cut", [cut_to_nothing, cut_in_half])
def test_nothing_is_acknowledged_by_a_file_that_was_cut(path: Path, cut: Callable[[Path], None]) -> None:
    made(path, 1).close()  # so that the file has it all, and its log nothing
    db = piql.connect(f"embedded:{path}")
    db.execute("put", {"id": 2, "n": 2})
    cut(path)
    with pytest.raises(
        StoreReplaced, match=r"was cut while it was open, from \d+ to \d+ bytes: put a copy in its place"
    ):
        db.execute("put", {"id": 3, "n": 3})
    with pytest.raises(StoreReplaced, match="was cut"):
        db.load("t", [{"id": 4, "n": 4}])
    with pytest.raises(StoreReplaced, match="was cut"):
        _ = db.deployment
    db.close()


READS_WHILE_IT_IS_CUT = """
import os, sys, piql
from piql.errors import StoreUnavailable
path = sys.argv[1]
with piql.connect(f"embedded:{path}") as db, db.store.at_work() as connection:
    rows = connection.execute('SELECT * FROM "table t"')
    rows.fetchone()
    os.truncate(path, 4096)
    try:
        list(rows)
    except Exception as error:
        print(type(error).__name__)
"""


def test_a_file_that_is_cut_under_a_read_is_an_error_and_not_the_end_of_the_process(path: Path) -> None:
    with made(path, 1) as db:
        db.load("t", [{"id": number, "n": number} for number in range(2, 3000)])
    process = subprocess.run(
        [sys.executable, "-c", READS_WHILE_IT_IS_CUT, str(path)], capture_output=True, text=True, timeout=60
    )
    assert (process.returncode, process.stdout) == (0, "DatabaseError\n")


WRITES_AFTER_A_CUT = """
import os, sys, piql
from piql.errors import StoreReplaced
from piql.store.embedded import log_files
log_files.LOOK_SECONDS = 0.0
path, end, when = sys.argv[1:]
db = piql.connect(f"embedded:{path}")
db.execute("put", {"id": 2, "n": 2})

def said(work):
    try:
        work()
    except StoreReplaced as error:
        print(end in str(error), "start again" in str(error))

def within():
    with db.store.transaction() as transaction:
        transaction.set_setting("a", "b")
        os.truncate(path + end, 0)

if when == "within a write":
    said(within)
else:
    os.truncate(path + end, 0)
    said(lambda: db.execute("n", {"id": 1}))
    said(lambda: db.execute("put", {"id": 3, "n": 3}))
said(lambda: piql.connect(f"embedded:{path}"))
db.close()
print("closed")
"""


@pytest.mark.parametrize("end", ["-wal", "-shm"])
@pytest.mark.parametrize("when", ["between writes", "within a write"])
def test_nothing_is_acknowledged_and_no_process_ends_when_what_lies_beside_the_file_is_emptied(
    path: Path, end: str, when: str
) -> None:
    made(path, 1).close()
    process = subprocess.run(
        [sys.executable, "-c", WRITES_AFTER_A_CUT, str(path), end, when], capture_output=True, text=True, timeout=60
    )
    refusals = ["True True"] * (3 if when == "between writes" else 2)
    assert (process.returncode, process.stdout.split("\n")) == (0, [*refusals, "closed", ""]), process.stderr
    assert rows(path, 1, 2, 3) == ([1, 2] if end == "-shm" else [1])
