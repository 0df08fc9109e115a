"""Deployments and loads are killed at any moment: what is deployed is one set whole, and no batch is there in part."""

from __future__ import annotations

import random
from pathlib import Path

import piql
import pytest
from processes.nursery import Killed, Nursery
from promises import broken_promises, records_of, unused_indexes

SCHEMA = """
CREATE TABLE rooms (room INT PRIMARY KEY, size INT, door INT NULL);
CREATE TABLE notes (id INT PRIMARY KEY, room INT REFERENCES rooms, text VARCHAR(60), CARDINALITY LIMIT 100 (room));
"""
BY_TEXT = "CREATE QUERY byText AS SELECT id FROM notes WHERE room = [room] ORDER BY text DESC LIMIT 3;\n"
BY_WORD = "CREATE QUERY byWord AS SELECT id, room FROM notes WHERE text LIKE [word] LIMIT 3;\n"
BY_SIZE = """
CREATE INDEX biggest ON rooms (size DESC) BUCKETS 4;
CREATE QUERY bySize AS SELECT room, size FROM rooms ORDER BY size DESC LIMIT 3;
"""
TURNS = ([SCHEMA + BY_TEXT, ["byWord", "bySize"]], [SCHEMA + BY_WORD + BY_SIZE, ["byText"]])
ROOMS, ROWS = 50, 3000


def rooms(path: Path) -> str:
    """Return a database with rooms, and notes to come."""
    url = f"embedded:{path}"
    with piql.connect(url) as db:
        db.deploy(piql.compile(SCHEMA.replace(", door INT NULL", "")))
        db.load("rooms", [{"room": room, "size": room} for room in range(ROOMS)])
    return url


@pytest.fixture
def url(tmp_path: Path) -> str:
    return rooms(tmp_path / "a.db")


def kill_deployments(nurse: Nursery, url: str, kills: int, seed: int) -> Killed:
    """Kill processes that deploy two sets by turns, on a table with rows."""
    with piql.connect(url) as db:
        db.load("notes", [{"id": at, "room": at // 100, "text": f"note {at}"} for at in range(ROWS)])
    chance = random.Random(seed)
    killed = Killed()
    for round_ in range(kills):
        with piql.connect(url) as db:
            before = db.deployment.version
        job = {"job": "crash.jobs:deploy", "url": url, "sets": [TURNS[round_ % 2], TURNS[1 - round_ % 2]]}
        (life,) = nurse.run(job, kill_after=chance.random() * 0.06, after=1 + chance.randrange(3))
        assert life.was_killed, life.other
        with piql.connect(url) as db:
            assert broken_promises(db) == []
            killed.count(len(life.done), db.deployment.version - before - len(life.done) == 1)
            queries = db.deployment.compilation.queries
            assert set(queries) in (set(), {"byText"}, {"byWord", "bySize"})
            if "byText" in queries:
                assert [row["id"] for row in db.execute("byText", {"room": 2}).rows] == [299, 298, 297]
            if "byWord" in queries:
                assert db.execute("byWord", {"word": "2999"}).rows == [{"id": 2999, "room": 29}]
                assert [row["size"] for row in db.execute("bySize").rows] == [49, 48, 47]
    with piql.connect(url) as db:
        db.deploy(piql.compile(SCHEMA + BY_TEXT + BY_WORD + BY_SIZE))
        assert broken_promises(db) == []
        assert unused_indexes(db) == []
    return killed


def kill_loads(nurse: Nursery, url: str, kills: int, seed: int, resume: str | None = None) -> Killed:
    """Kill processes that load the same rows again and again, until one is let through."""
    with piql.connect(url) as db:
        db.deploy(piql.compile(SCHEMA + BY_TEXT + BY_WORD))
    chance = random.Random(seed)
    rows, batch = 4000, 200
    ids: list[int] = []
    killed = Killed()
    for _ in range(kills):
        job = {"job": "crash.jobs:load", "url": url, "rows": rows, "batch_rows": batch, "resume": resume}
        before = len(ids)
        (life,) = nurse.run(
            job,
            kill_after=chance.random() * (0.008 if resume else 0.02),
            after=1 + chance.randrange(1 if resume else 4),
        )
        with piql.connect(url) as db:
            assert broken_promises(db) == []
            ids = [record["id"] for record in records_of(db.store, db.deployment.tables["notes"])]
        assert ids == list(range(len(ids)))
        assert len(ids) % batch == 0
        reports = [int(line.removeprefix("loaded ")) for line in life.other]
        rows_reported = reports[-1] if reports else before if resume else 0
        assert not (resume and reports) or reports[0] == before + batch, "a batch is loaded again"
        assert len(ids) >= rows_reported
        killed.count(rows_reported // batch, len(ids) > rows_reported)
        if resume and len(ids) == rows:
            break  # the kill came too late: a load that has ended begins anew
    (life,) = nurse.run({"job": "crash.jobs:load", "url": url, "rows": rows, "batch_rows": batch, "resume": resume})
    assert life.done, life.other
    with piql.connect(url) as db:
        assert broken_promises(db) == []
        assert len(list(records_of(db.store, db.deployment.tables["notes"]))) == rows
    return killed


def test_a_killed_deployment_leaves_one_of_the_sets_whole(nurse: Nursery, url: str) -> None:
    assert kill_deployments(nurse, url, 15, 7).acknowledged > 5


def test_a_killed_load_leaves_whole_batches_in_their_order_and_can_be_repeated(nurse: Nursery, url: str) -> None:
    assert kill_loads(nurse, url, 12, 8).acknowledged > 5


def test_a_killed_load_with_a_name_goes_on_where_it_was(nurse: Nursery, url: str) -> None:
    assert kill_loads(nurse, url, 8, 9, resume="nightly").kills >= 2
