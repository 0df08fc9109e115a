"""Whatever the store does, an answer is right and whole, or a typed error says that there is none."""

from __future__ import annotations

import itertools
import random

import piql
import pytest
from crash.holding import difference, hold_reads, players_in
from crash.workload import SOURCE, TEAMS, Players, after, operations
from oracle.check import run_world
from oracle.world import random_world
from piql.store.open import open_store
from promises import broken_promises

from .faulty import FaultyStore, faulty_connect, with_repeatable_writes


@pytest.mark.parametrize(
    "seed",
    [700_003, *(pytest.param(n, marks=pytest.mark.long) for n in (*range(700_000, 700_003), *range(700_004, 700_030)))],
)
def test_what_compiles_gives_the_right_rows_over_a_store_that_fails(seed: int) -> None:
    opened: list[FaultyStore] = []
    outcome = run_world(with_repeatable_writes(random_world(seed)), faulty_connect(0.03, seed, opened))
    assert not outcome.failures, outcome.failures[0]
    assert sum(store.faults.total() for store in opened) > 5


@pytest.mark.parametrize("seed", range(6))
def test_writes_whose_answer_is_lost_are_there_or_not_and_never_in_part(seed: int) -> None:
    """Each write is tried once; what was not answered may be there as a whole, and what was refused is not."""
    store = FaultyStore(open_store("embedded:?synchronous=NORMAL"), 0.04, seed)
    unanswered = 0
    with piql.Database(store) as db:
        db.deploy(piql.compile(SOURCE))
        db.load("teams", [{"team": team, "town": "Oslo"} for team in TEAMS])
        states: list[Players] = [{}]
        for operation in itertools.islice(operations(seed), 150):
            pieces = operation.pieces()
            store.is_well = False
            try:
                operation.run(db, lambda _: None)
                outcome = "ok"
            except piql.PiqlError as error:
                outcome = type(error).__name__
            store.is_well = True
            possible_ends: list[tuple[str, Players]] = []
            refusals, players = set[str](), states[0]
            for piece in pieces:
                refusals, then = after(players, piece)
                if refusals:
                    break
                possible_ends.append(("StoreUnavailable", players))
                players = then
            possible_ends += [(refusal, players) for refusal in refusals or {"ok"}]
            possible_ends.append(("StoreUnavailable", players))
            players_now = players_in(db)
            assert (outcome, players_now) in possible_ends, (operation, outcome, difference(players_now, players))
            unanswered += outcome == "StoreUnavailable"
            states = [players_now]
        assert broken_promises(db) == []
        hold_reads(db, states[0])
    assert unanswered > 10


def test_pages_under_faults_are_whole_or_not_there() -> None:
    store = FaultyStore(open_store("embedded:?synchronous=NORMAL"), 0.2, 3)
    chance = random.Random(3)
    with piql.Database(store) as db:
        db.deploy(
            piql.compile(
                """CREATE TABLE follows (who INT, whom INT, PRIMARY KEY (who, whom), CARDINALITY LIMIT 6 (who));
                CREATE TABLE posts (who INT, at INT, text TEXT, PRIMARY KEY (who, at));
                CREATE QUERY stream AS SELECT p.who, p.at, p.text FROM follows f JOIN posts p ON p.who = f.whom
                WHERE f.who = [me] ORDER BY p.at DESC PAGINATE 7;"""
            )
        )
        db.load("follows", [{"who": 0, "whom": whom} for whom in range(6)])
        db.load("posts", [{"who": at % 6, "at": at, "text": str(at)} for at in range(50)])
        store.is_well = False
        refused = 0
        for _ in range(20):
            rows, cursor = [], None
            while True:
                strategy = chance.choice(("parallel", "simple", "lazy"))
                try:
                    page = db.execute("stream", {"me": 0}, cursor, strategy)  # type: ignore[arg-type]
                except piql.StoreUnavailable:
                    refused += 1
                    continue
                assert (page.cursor is None) == (len(page.rows) < 7)
                rows += [row["at"] for row in page.rows]
                cursor = page.cursor
                if cursor is None:
                    break
            assert rows == list(range(49, -1, -1))
        assert refused > 20
