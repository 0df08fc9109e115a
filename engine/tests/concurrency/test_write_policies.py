"""Write policies over replicas that lag: what each read sees of an acknowledged write, and that none is lost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from piql.schema.write_policies import WRITE_POLICIES, WriteLevel

from .lagging_writes import ReplicatedStore

LEVELS: tuple[WriteLevel, ...] = tuple(WRITE_POLICIES)
SOURCE = (
    """
CREATE TABLE counters (id INT PRIMARY KEY, value INT, label VARCHAR(10));
CREATE QUERY now WITH READ QUORUM AS SELECT value FROM counters WHERE id = [1: id];
CREATE QUERY seen WITH READ EVENTUAL AS SELECT value FROM counters WHERE id = [1: id];
CREATE QUERY found WITH READ EVENTUAL AS SELECT id FROM counters WHERE value = [1: value] LIMIT 5;
CREATE QUERY plain AS INSERT INTO counters (id, value) VALUES ([1: id], [2: value]);
"""
    + "".join(
        f"CREATE QUERY put_{level} WITH WRITE {level.upper()} AS "
        "INSERT INTO counters (id, value) VALUES ([1: id], [2: value]);\n"
        for level in LEVELS
    )
    + "CREATE QUERY remove WITH WRITE ALL AS DELETE FROM counters WHERE id = [1: id];\n"
)
ROW = {"id": 1}


@pytest.fixture
def replicated(tmp_path: Path) -> Iterator[ReplicatedStore]:
    path = tmp_path / "a.db"
    with piql.connect(f"stepwise:{path}") as db:
        db.deploy(piql.compile(SOURCE))
        db.execute("plain", {**ROW, "value": 0})
    store = ReplicatedStore(path)
    yield store
    store.close()


def value(db: piql.Database, name: str) -> int | None:
    rows = db.execute(name, ROW).rows
    return rows[0]["value"] if rows else None


@pytest.mark.parametrize("seed", range(6))
def test_every_later_read_sees_what_was_written_to_all_copies(replicated: ReplicatedStore, seed: int) -> None:
    chance, replicated.chance = random.Random(seed), random.Random(seed)
    db = piql.Database(replicated)
    to_all = now = 0
    for moment in range(1, 120):
        match chance.randrange(5):
            case 0:
                to_all = now = moment
                db.execute("put_all", {**ROW, "value": moment})
                assert db.execute("found", {"value": moment}).rows == [ROW]
            case 1:
                now = moment
                db.execute(chance.choice(["plain", "put_quorum"]), {**ROW, "value": moment})
            case 2:
                replicated.catch_up()
            case _:
                seen = value(db, "seen")
                assert seen is not None
                assert to_all <= seen <= now
        assert value(db, "now") == now
    assert replicated.eventual_reads > 20


@pytest.mark.parametrize("name", ["plain", "put_quorum"])
def test_an_eventual_read_may_miss_what_a_majority_has_and_a_quorum_read_does_not(
    replicated: ReplicatedStore, name: str
) -> None:
    db = piql.Database(replicated)
    db.execute(name, {**ROW, "value": 7})
    assert (value(db, "now"), value(db, "seen")) == (7, 0)


def test_a_write_to_all_copies_that_changes_nothing_still_brings_them_what_is_there(
    replicated: ReplicatedStore,
) -> None:
    db = piql.Database(replicated)
    db.execute("plain", {**ROW, "value": 7})
    assert value(db, "seen") == 0
    db.execute("put_all", {**ROW, "value": 7})
    assert [value(db, "seen") for _ in range(9)] == [7] * 9


def test_a_row_that_was_deleted_from_all_copies_is_seen_by_nobody(replicated: ReplicatedStore) -> None:
    db = piql.Database(replicated)
    db.execute("remove", ROW)
    assert [value(db, "seen") for _ in range(9)] == [None] * 9
    assert [db.execute("found", {"value": 0}).rows for _ in range(9)] == [[]] * 9
    for _ in range(9):
        replicated.catch_up()  # what comes late brings nothing back
        assert value(db, "seen") is None


def test_while_a_copy_is_away_a_write_to_all_fails_and_says_that_it_may_be_made(replicated: ReplicatedStore) -> None:
    db = piql.Database(replicated)
    replicated.replicas[1].is_away = True
    with pytest.raises(piql.StoreUnavailable, match="whether the row was written is not known"):
        db.execute("put_all", {**ROW, "value": 7})
    db.execute("put_quorum", {**ROW, "value": 8})  # a majority is enough for this one
    assert value(db, "now") == 8
    replicated.replicas[1].is_away = False
    db.execute("put_all", {**ROW, "value": 9})
    assert [value(db, "seen") for _ in range(9)] == [9] * 9


def test_each_policy_makes_the_same_requests_within_the_same_bound(replicated: ReplicatedStore) -> None:
    db = piql.Database(replicated)
    queries = db.deployment.compilation.queries
    assert len({queries[name].bound for name in ("plain", *(f"put_{level}" for level in LEVELS))}) == 1
    pages = [db.execute(name, {"id": 2 + number, "value": 5}) for number, name in enumerate(("plain", "put_all"))]
    assert pages[0].operations == pages[1].operations


def test_each_policy_says_what_it_asks_and_what_may_be_seen() -> None:
    for policy in WRITE_POLICIES.values():
        assert policy.asks.endswith(".")
        assert policy.sees.endswith(".")
