"""Bulk loads keep every constraint, batch by batch, and a batch is there whole or not at all."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import piql
import pytest

from .conftest import NAMES, moment
from .test_writing import CONDITIONAL, count, entries, index_of


def test_progress_is_told_after_every_batch(empty: piql.Database) -> None:
    reported: list[int] = []
    loaded = empty.load("users", ({"username": f"u{n}"} for n in range(25)), reported.append, batch_rows=10)
    assert (loaded, reported) == (25, [10, 20, 25])


def test_a_table_that_is_not_deployed_is_refused(empty: piql.Database) -> None:
    for rows in ([], [{"a": 1}]):
        with pytest.raises(piql.NotDeployed, match="users"):
            empty.load("user", rows)


def test_a_refused_batch_is_left_out_whole_and_the_ones_before_stay(empty: piql.Database) -> None:
    empty.load("users", [{"username": name} for name in NAMES])
    rows = [{"owner": "a", "posted": moment(n)} for n in range(25)]
    rows[17] = {"owner": "nobody", "posted": moment(17)}
    with pytest.raises(piql.ForeignKeyViolation, match="owner = 'nobody'"):
        empty.load("thoughts", rows, batch_rows=10)
    assert count(empty, "thoughts") == 10


def test_limits_hold_within_a_batch_and_across_batches(empty: piql.Database) -> None:
    empty.load("users", [{"username": name} for name in NAMES])
    six = [{"owner": "a", "target": name, "approved": True} for name in "bcdefg"]
    for batch_rows in (100, 4):
        with pytest.raises(piql.CardinalityViolation, match="owner = 'a'"):
            empty.load("subscriptions", six, batch_rows=batch_rows)
    assert count(empty, "subscriptions") == 4
    empty.load("subscriptions", six[:5])
    empty.load("subscriptions", six[:5])
    assert count(empty, "subscriptions") == 5


def test_a_later_row_replaces_an_earlier_one_with_its_indexes(empty: piql.Database) -> None:
    empty.load("users", [{"username": "a", "hometown": "Oslo"}, {"username": "a", "hometown": "Cork"}])
    empty.load("users", [{"username": "a", "hometown": "Lima"}, {"username": "b", "hometown": "Lima"}])
    (index,) = [name for name, candidate in empty.deployment.indexes.items() if candidate.table == "users"]
    assert [entry[1:3] for entry in entries(empty, index)] == [("Lima", "a"), ("Lima", "b")]


def test_unique_keys_and_words_are_checked_in_a_batch() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(CONDITIONAL))
        with pytest.raises(piql.DuplicateKey):
            db.load("accounts", [{"id": n, "balance": 1, "email": "same"} for n in range(2)])
        db.load("accounts", [{"id": n, "balance": 1, "email": f"{n}"} for n in range(3)])
        db.load("accounts", [{"id": n, "balance": 1, "email": f"{(n + 1) % 3}"} for n in range(3)])
        with pytest.raises(piql.DuplicateKey):
            db.load("accounts", [{"id": 9, "balance": 1, "email": "2"}])
        db.load("accounts", [{"id": n, "balance": 1, "boss": 20} for n in range(20, 30)])
        with pytest.raises(piql.CardinalityViolation, match="the word 'red'"):
            db.load("notes", [{"id": n, "body": "red"} for n in range(3)])
        db.load("notes", [{"id": n, "body": "red red"} for n in range(2)])
        db.load("notes", [{"id": 1, "body": "blue"}, {"id": 2, "body": "red"}])
        assert len(entries(db, index_of(db, "notes"))) == 3


LOADER = """
import sys
import piql
with piql.connect("embedded:" + sys.argv[1]) as db:
    rows = ({"owner": "a", "posted": f"{n // 365 + 1000:04}-01-01T00:00:{n % 60:02}.{n % 365:03}Z", "text": str(n)}
            for n in range(10**7))
    db.load("thoughts", rows, lambda done: print(done, flush=True), batch_rows=700)
"""


def test_killing_a_load_leaves_no_part_of_a_batch(tmp_path: Path, scadr: piql.Compilation) -> None:
    path = tmp_path / "a.db"
    with piql.connect(f"embedded:{path}") as db:
        db.deploy(scadr)
        db.load("users", [{"username": "a"}])
    loader = subprocess.Popen([sys.executable, "-c", LOADER, str(path)], stdout=subprocess.PIPE, text=True)
    assert loader.stdout is not None
    reported = [int(loader.stdout.readline()) for _ in range(5)]
    time.sleep(0.01)
    loader.send_signal(signal.SIGKILL)
    reported += [int(line) for line in loader.stdout.read().splitlines()]
    loader.wait()
    loader.stdout.close()
    with piql.connect(f"embedded:{path}") as db:
        loaded = count(db, "thoughts")
        assert loaded % 700 == 0
        assert loaded >= reported[-1]
        assert db.store.connection().execute("PRAGMA integrity_check").fetchone() == ("ok",)  # type: ignore[attr-defined]


WRITER = """
import sys
import piql
with piql.connect("embedded:" + sys.argv[1]) as db:
    for n in range(int(sys.argv[2]), int(sys.argv[2]) + 40):
        db.execute("addUser", {"username": f"u{n}", "hometown": "Oslo"})
        try:
            db.execute("follow", {"owner": "a", "target": f"u{n}"})
        except piql.CardinalityViolation:
            pass
"""


def test_processes_on_one_file_keep_its_promises_together(tmp_path: Path, scadr: piql.Compilation) -> None:
    path = tmp_path / "a.db"
    with piql.connect(f"embedded:{path}?synchronous=NORMAL&wait_ms=120000") as db:
        db.deploy(scadr)
        db.load("users", [{"username": "a"}])
        writers = [
            subprocess.Popen([sys.executable, "-c", WRITER, f"{path}?wait_ms=120000", str(n * 100)]) for n in range(3)
        ]
        assert [writer.wait() for writer in writers] == [0, 0, 0]
        assert count(db, "users") == 121
        assert count(db, "subscriptions") == 5
        assert db.execute("findUser", {"username": "u239"}).rows == [{"username": "u239", "hometown": "Oslo"}]


def numbered(first: int, last: int) -> list[dict[str, object]]:
    return [{"username": f"u{number:03}", "hometown": "Oslo"} for number in range(first, last)]


@pytest.mark.parametrize("url", ["embedded:?synchronous=NORMAL&wait_ms=120000", "stepwise:"])
def test_a_load_that_broke_off_goes_on_behind_what_is_in(url: str, scadr: piql.Compilation) -> None:
    reported: list[int] = []
    with piql.connect(url) as db:
        db.deploy(scadr)
        rows = numbered(0, 15)
        broken = [*rows[:12], {"username": None}, *rows[13:]]
        with pytest.raises(piql.ConstraintViolation):
            db.load("users", broken, reported.append, batch_rows=10, resume="towns")
        assert reported == [10]
        assert db.load("users", iter(rows), reported.append, batch_rows=3, resume="towns") == 15
        assert reported == [10, 13, 15]
        assert db.load("users", rows, batch_rows=20, resume="towns") == 15
        assert len(db.execute("usersIn", {"town": "Oslo", "count": 20}).rows) == 15


def test_a_load_goes_on_only_with_the_rows_that_it_began_with(empty: piql.Database) -> None:
    broken = [*numbered(0, 10), {"username": None}]
    with pytest.raises(piql.ConstraintViolation):
        empty.load("users", broken, batch_rows=10, resume="towns")
    for rows in (numbered(5, 30), numbered(0, 9), []):
        with pytest.raises(piql.InvalidParameter, match="towns has loaded 10 rows before"):
            empty.load("users", rows, resume="towns")
    assert empty.load("users", numbered(5, 30), resume="other towns") == 25
    assert empty.load("users", numbered(0, 30), resume="towns") == 30
    assert count(empty, "users") == 30


@pytest.mark.parametrize("size", [0, -1])
def test_batches_that_hold_no_row_are_refused(empty: piql.Database, size: int) -> None:
    with pytest.raises(piql.InvalidParameter, match=f"batch_rows is {size}: give at least 1"):
        empty.load("users", numbered(0, 3), batch_rows=size)


@pytest.mark.parametrize("rows", [5, None])
def test_rows_that_are_no_rows_are_refused(empty: piql.Database, rows: Any) -> None:
    with pytest.raises(piql.InvalidParameter, match="rows of users are given as"):
        empty.load("users", rows)
