"""A cluster keeps deleted cells for days: a log of intents is swept without reading over the deleted ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from cluster.running import Cluster
from piql.client.database import Database
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.intents import processes
from piql.store.open import open_store

from .interrupted import GatedStore, Interruption, Killed

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]
pytestmark = [pytest.mark.cluster, pytest.mark.long]

WRITES = 1500
TEXT = """
CREATE TABLE members (id INT PRIMARY KEY, team INT, CARDINALITY LIMIT 20 (team));
CREATE QUERY put AS INSERT INTO members (id, team) VALUES ([id], [team]);
CREATE QUERY move AS UPDATE members SET team = [team] WHERE id = [id];
CREATE QUERY team AS SELECT id FROM members WHERE team = [team];
"""


def warnings(cluster: Cluster) -> list[str]:
    """Return what the nodes have said of what was deleted and is read over."""
    return [
        line
        for node in cluster.nodes
        for line in node.log.read_text().splitlines()
        if "tombstone cells" in line or "tombstones during" in line
    ]


def move_about(db: piql.Database, first: int, writes: int) -> None:
    """Move rows between groups: each write notes an intent and forgets it."""
    ids = range(8 * first, 8 * first + 8)
    for number in range(writes):
        db.execute("move", {"id": ids[number % 8], "team": 1000 + number // 8 % 7 + 10 * first})


def test_after_many_writes_a_sweep_reads_over_few_that_were_forgotten(
    cluster: Cluster, cluster_url: Callable[[], str]
) -> None:
    warnings_before = len(warnings(cluster))
    with piql.connect(cluster_url()) as db:
        db.deploy(piql.compile(TEXT))
        db.load("members", [{"id": at, "team": at // 8} for at in range(48)])
        began = time.monotonic()
        db.sweep(older_than=-1)
        before = time.monotonic() - began
        with ThreadPoolExecutor(6) as pool:
            for done in [pool.submit(move_about, db, first, WRITES // 6) for first in range(6)]:
                done.result()
        began = time.monotonic()
        report = db.sweep(older_than=-1)
        after = time.monotonic() - began
    print(f"a sweep takes {before:.3f} s before {WRITES} writes and {after:.3f} s behind them")
    assert (report.completed, report.withdrawn) == (0, 0)
    assert warnings(cluster)[warnings_before:] == []


def test_an_intent_left_before_the_mark_moved_is_found_after_the_server_is_gone(
    cluster: Cluster, cluster_url: Callable[[], str]
) -> None:
    url = cluster_url()
    warnings_before = len(warnings(cluster))
    with piql.connect(url) as db:
        db.deploy(piql.compile(TEXT))
        db.load("members", [{"id": at, "team": at // 8} for at in range(48)])
    child = os.fork()
    if child == 0:
        _write_leave_and_die(url)
    os.waitpid(child, 0)
    with piql.connect(url) as db:
        assert db.store.row_writes is not None
        marks = [int(server.behind or "0", 16) for server in processes(db.store.row_writes).values()]
        assert max(marks) > 500, "the log never said where it begins"
        report = db.sweep(older_than=-1)
        settled = report.completed + report.withdrawn
        where = [team for team in (77, 5) if {"id": 47} in db.execute("team", {"team": team}).rows]
        assert len(where) == 1, "the row is in both groups, or in none"
        db.execute("move", {"id": 47, "team": 5})
        assert {"id": 47} in db.execute("team", {"team": 5}).rows
    print(f"marks {marks}, settled {settled}")
    assert warnings(cluster)[warnings_before:] == []


def _write_leave_and_die(url: str) -> None:
    """Make enough writes for the mark to move, leave one at its fifth change, and end without a word."""
    interruption = Interruption(10**9)
    db = Database(GatedStore(open_store(url), interruption), wait_policy=WaitPolicy())
    try:
        move_about(db, 0, 600)
        interruption.left = 4
        with suppress(Killed):
            db.execute("move", {"id": 47, "team": 77})
    finally:
        os._exit(0)
