"""What may happen to a file: a full disk, a folder that may not be written to, damage, a file that is no database."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import piql
import pytest
from crash.workload import SOURCE, TEAMS
from promises import broken_promises


def players(first: int, count: int) -> list[dict[str, object]]:
    return [{"id": f"{n}", "team": TEAMS[n % 4], "score": n, "bio": ""} for n in range(first, first + count)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "a.db"
    with piql.connect(f"embedded:{made}") as db:
        db.deploy(piql.compile(SOURCE))
        db.load("teams", [{"team": team, "town": "Oslo"} for team in TEAMS])
        db.load("players", players(0, 8))
    return made


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
        with pytest.raises(piql.StoreUnavailable):
            piql.connect(f"embedded:{path}")
    with pytest.raises(piql.StoreUnavailable):
        piql.connect(f"embedded:{tmp_path}")
    for name in ("a\0b", "\ud800", "x" * 5000):
        with pytest.raises(piql.StoreUnavailable):
            piql.connect(f"embedded:{tmp_path}/{name}")


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
        with pytest.raises(piql.StoreUnavailable, match=r"written to by others for 0\.03 s"):
            db.execute("remove", {"id": "1"})
        with pytest.raises(piql.StoreUnavailable, match="others"):
            db.load("players", players(9, 1))
        with pytest.raises(piql.StoreUnavailable, match="others"):
            db.deploy(piql.compile(SOURCE))
        assert len(db.execute("best", {"team": "reds"}).rows) == 2
        other.execute("ROLLBACK")
        db.execute("remove", {"id": "1"})
    other.close()
