"""Faults of single steps, where a write is many of them: it is whole in the end, or an error says that it may not be.

After a sweep all promises hold; what arrives later still changes nothing.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import piql
import pytest
from crash.holding import difference, hold_reads, players_in
from crash.workload import SOURCE, TEAMS, Players, after, operations
from oracle.check import run_world
from oracle.world import random_world
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.writer import UNKNOWN
from piql.store.open import open_store
from piql.versions.change import build as builds
from piql.versions.change import steps
from promises import broken_promises
from runtime.writing.interleaved import serially
from runtime.writing.test_crashes import WRITES
from runtime.writing.world import begin, check_consistent, opened, outcome, seen, seen_by

from .faulty import FaultyStore, faulty_connect, with_repeatable_writes
from .faulty_row_writes import CHANGING, READING


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process alone: a deployment waits for nobody."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(builds, "GRACE_SECONDS", 0.0)


def hold_world(seed: int) -> None:
    opened: list[FaultyStore] = []
    result = run_world(
        with_repeatable_writes(random_world(seed)), faulty_connect(0.02, seed, opened, scheme="stepwise")
    )
    assert not result.failures, result.failures[0]
    assert sum(store.faults.total() for store in opened) > 2


def test_what_compiles_gives_the_right_rows_though_steps_fail(no_grace: None) -> None:
    hold_world(710_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", [*range(710_001, 710_006), *range(711_005, 711_065)])
def test_what_compiles_gives_the_right_rows_though_steps_fail_again_and_again(seed: int, no_grace: None) -> None:
    hold_world(seed)


@pytest.mark.parametrize("seed", range(2))
def test_writes_whose_steps_fail_are_there_or_not_and_never_in_part(seed: int) -> None:
    hold_writes(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", [*range(2, 6), *range(1000, 1060)])
def test_writes_whose_steps_fail_again_and_again_are_there_or_not(seed: int) -> None:
    hold_writes(seed)


def hold_writes(seed: int) -> None:
    """Try each write once; what was not answered may be there as a whole, and what was refused is not."""
    store = FaultyStore(open_store("stepwise:?synchronous=NORMAL"), 0.02, seed)
    chance = random.Random(seed)
    ends = Counter[str]()
    with piql.Database(store, wait_policy=WaitPolicy(patience=0.0, sleep=lambda seconds: None)) as db:
        db.deploy(piql.compile(SOURCE))
        db.load("teams", [{"team": team, "town": "Oslo"} for team in TEAMS])
        players: Players = {}
        for operation in itertools.islice(operations(seed, loads=0), 150):
            store.is_well = False
            said = "ok"
            try:
                operation.run(db, lambda _: None)
            except piql.PiqlError as error:
                said = type(error).__name__
            store.is_well = True
            if chance.random() < 0.5:
                store.overdue.arrive()
            hold_reads(db, players_in(db))
            db.sweep(older_than=-1)
            refusals, then = after(players, operation)
            possible_ends = [(refusal, players) for refusal in refusals] or [("ok", then), ("StoreUnavailable", then)]
            players_now = players_in(db)
            assert (said, players_now) in [*possible_ends, ("StoreUnavailable", players)], (
                operation,
                said,
                difference(players_now, players),
            )
            assert broken_promises(db) == []
            store.overdue.arrive()
            assert players_in(db) == players_now, "what came late changed a row"
            assert broken_promises(db) == []
            ends[said] += 1
            players = players_now
        hold_reads(db, players)
    assert ends["StoreUnavailable"] > 4 < ends["ok"], ends


class OneFault(FaultyStore):
    """Fails in one way, once: at the step of a number."""

    def __init__(self, behind: piql.client.database.Store, kind: str, at: int) -> None:
        super().__init__(behind, 1.0, at)
        self.kind = kind
        self.left = at

    def fault(self, where: str, *kinds: str) -> str:
        if self.is_well or self.kind not in kinds or where == "version":
            return ""
        self.left -= 1
        if self.left != -1:
            return ""
        self.faults[f"{where} {self.kind}"] += 1
        return self.kind


KINDS = sorted({*READING, *CHANGING, "partly"} - {"late"})
OF_EACH_CONSTRAINT = (
    "a row in the place of another",
    "a move to another group",
    "a row that refers to others",
    "a delete that is refused by a reference",
)


def faults_of_steps() -> Iterator[Any]:
    """Yield each write with each kind of fault; quick is the kind that tells least, and a write of each constraint."""
    for what, kind in itertools.product(WRITES, KINDS):
        is_quick = kind == "after" or what in OF_EACH_CONSTRAINT
        yield pytest.param(what, kind, marks=() if is_quick else pytest.mark.long)


@pytest.mark.parametrize(("what", "kind"), [*faults_of_steps()])
def test_a_write_whose_step_fails_is_whole_or_nothing_at_every_step(what: str, kind: str) -> None:
    statement = WRITES[what]
    old, new = serially()[1], serially(statement)[1]
    for at in itertools.count():
        behind = begin()
        reader = opened(behind)
        store = OneFault(behind, kind, at)
        db = opened(store)
        store.is_well = False
        said = outcome(db, statement)
        store.is_well = True
        where = f"{kind} at step {at} ({dict(store.faults)}): {said}"
        expected = serially(statement)[0][0]
        assert said in (expected, "StoreUnavailable"), where
        state = seen(reader)
        assert state in ((new,) if said == "done" else (old, new)), where
        with suppress(piql.PiqlError):
            reader.sweep(older_than=-1)
        assert seen_by(reader, "parallel") == state, f"{where}: recovery changed what had been seen"
        check_consistent(reader)
        if store.overdue.arrive():
            assert seen(reader) == state, f"{where}: what came late changed what is seen"
        reader.sweep(older_than=-1, places=True)
        check_consistent(reader)
        repeated = outcome(reader, statement)
        assert repeated == (said_of_repetition(statement) if state == new and expected == "done" else expected), where
        assert seen(reader) == new, f"{where}: the same write does not do its work any more"
        is_done = not store.faults
        reader.close()
        if is_done:
            return


def said_of_repetition(statement: str) -> str:
    """Return how a write ends that was made before."""
    if "IF NOT EXISTS" in statement:
        return "DuplicateKey"
    return "no row" if statement.startswith("DELETE") else "done"


@pytest.mark.parametrize("what", WRITES)
def test_who_is_told_of_a_failure_is_told_whether_the_write_may_be_there(what: str) -> None:
    """An error without those words leaves the rows as they were, whoever settles what was left."""
    statement = WRITES[what]
    old, new = serially()[1], serially(statement)[1]
    were_there = 0
    for at in itertools.count():
        behind = begin()
        reader = opened(behind)
        store = OneFault(behind, "after", at)
        db = opened(store)
        store.is_well = False
        said = ""
        try:
            db.run(statement)
        except piql.PiqlError as failure:
            said = str(failure)
        store.is_well = True
        with suppress(piql.PiqlError):
            reader.sweep(older_than=-1)
        state, is_done = seen(reader), not store.faults
        reader.close()
        if is_done:
            break
        if said and UNKNOWN not in said:
            assert state == old, f"at step {at} ({dict(store.faults)}): {said}"
        were_there += UNKNOWN in said and state == new != old
    assert (were_there > 0) == (new != old)
