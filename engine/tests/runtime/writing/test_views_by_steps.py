"""A view on a store without transactions counts each write once: whoever is killed, late, or in between."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import piql
import pytest
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.store.rows import State
from piql.store.stepwise.store import StepwiseStore

from .interleaved import Script, serially
from .interrupted import GatedStore, Interruption, Killed
from .test_all_orders import HURRIED, SKEWS, explore
from .test_crashes import changes_of
from .test_late_steps import MOST, check
from .world import begin, check_consistent, opened, outcome, seen

WRITES = {
    "a new row": "INSERT INTO visits (id, page, seconds) VALUES (5, 'home', 3)",
    "a row of a new group": "INSERT INTO visits (id, page, seconds) VALUES (5, 'new', 3)",
    "a row that the view leaves out": "INSERT INTO visits (id, page, seconds) VALUES (5, NULL, 3)",
    "a row in the place of another": "INSERT INTO visits (id, page, seconds) VALUES (1, 'news', 3)",
    "a move to another group": "UPDATE visits SET page = 'news' WHERE id = 1",
    "a move that empties a group": "UPDATE visits SET page = 'home' WHERE id = 3",
    "a change of what is summed": "UPDATE visits SET seconds = 70 WHERE id = 1",
    "a change that no group counts": "UPDATE visits SET host = 'x' WHERE id = 1",
    "a row comes into the view": "UPDATE visits SET page = 'news' WHERE id = 4",
    "a row leaves the view": "UPDATE visits SET page = NULL WHERE id = 2",
    "a row goes": "DELETE FROM visits WHERE id = 1",
    "the last row of a group goes": "DELETE FROM visits WHERE id = 3",
    "a row goes that no group counts": "DELETE FROM visits WHERE id = 4",
}

PAIRS: dict[str, tuple[Script, Script]] = {
    "two rows of one group": (
        ("INSERT INTO visits (id, page, seconds) VALUES (5, 'home', 3)",),
        ("INSERT INTO visits (id, page, seconds) VALUES (6, 'home', 4)",),
    ),
    "one row twice": (
        ("UPDATE visits SET page = 'news' WHERE id = 1",),
        ("UPDATE visits SET page = 'new' WHERE id = 1",),
    ),
    "one row that is alone in its group, twice": (
        ("UPDATE visits SET page = 'home' WHERE id = 3",),
        ("UPDATE visits SET page = 'new' WHERE id = 3",),
    ),
    "a row goes and comes again": (
        ("DELETE FROM visits WHERE id = 3",),
        ("INSERT INTO visits (id, page, seconds) VALUES (3, 'news', 1)",),
    ),
    "a group is emptied and filled": (
        ("DELETE FROM visits WHERE id = 3",),
        ("INSERT INTO visits (id, page, seconds) VALUES (5, 'news', 1)",),
    ),
    "a change that counts and one that does not": (
        ("UPDATE visits SET seconds = 1 WHERE id = 1",),
        ("UPDATE visits SET host = 'x' WHERE id = 1",),
    ),
}


SUMS = """
CREATE TABLE sales (id INT PRIMARY KEY, shop VARCHAR(8) NOT NULL, amount BIGINT NOT NULL);
CREATE VIEW by_shop AS SELECT shop, COUNT(*) AS n, SUM(amount) AS total FROM sales GROUP BY shop;
"""


def stopped(statement: str, at: int) -> tuple[object, Interruption, str]:
    """Return a store on which a writer was killed after so many changes, what stopped it, and what came of it."""
    store, interruption = begin(), Interruption(10_000)
    db = opened(GatedStore(store, interruption))
    interruption.left = at
    result = ""
    with suppress(Killed):
        result = outcome(db, statement)
    return store, interruption, result


@pytest.mark.parametrize("what", WRITES)
def test_a_write_may_stop_at_any_step(what: str) -> None:
    statement = WRITES[what]
    old, new = serially()[1], serially(statement)[1]
    steps = changes_of(statement)
    for at in range(len(steps) + 1):
        store, interruption, result = stopped(statement, at)
        fresh = opened(store)
        state = seen(fresh)
        assert state in (old, new), f"stopped after {at} of {steps}"
        assert result != "done" or state == new
        check_consistent(fresh)
        if interruption.late is not None:
            interruption.late()
            assert seen(fresh) == state or len(steps) == 1  # of one step, it is the write itself
            fresh.sweep(older_than=-1)
            check_consistent(fresh)
        outcome(fresh, statement)
        assert seen(fresh) == new
        check_consistent(fresh)
        fresh.close()


@pytest.mark.parametrize("then", ["a row in the place of another", "a row goes", "a change that no group counts"])
def test_the_next_write_of_a_row_settles_a_killed_move(then: str) -> None:
    kill_twice("a move to another group", then)


@pytest.mark.long
@pytest.mark.parametrize("first", WRITES)
@pytest.mark.parametrize("then", WRITES)
def test_the_next_write_settles_what_was_killed(first: str, then: str) -> None:
    kill_twice(first, then)


def kill_twice(first: str, then: str) -> None:
    """Kill a writer at each step, and the next one, too: nobody sweeps between."""
    chance = random.Random(f"{first}, {then}")
    for at in range(len(changes_of(WRITES[first])) + 1):
        store, interruption, _ = stopped(WRITES[first], at)
        next_one = Interruption(10_000)
        second = opened(GatedStore(store, next_one), wait_policy=None)
        second._leftovers.sweep_at = float("inf")
        assert second._identity is not None
        second._identity.wait_policy = WaitPolicy(patience=0.0, sleep=lambda seconds: None)
        next_one.left = chance.choice((chance.randrange(14), 10_000))
        with suppress(Killed):
            outcome(second, WRITES[then])
        fresh = opened(store)
        check_consistent(fresh)
        for late in (interruption.late, next_one.late):
            if late is not None:
                late()
        fresh.sweep(older_than=-1)
        check_consistent(fresh)
        fresh.close()


@pytest.mark.parametrize("first", ["a new row", "a move to another group", "the last row of a group goes"])
def test_another_row_of_the_group_may_be_written_before_what_was_killed_is_settled(first: str) -> None:
    """Its writer must not drop the name of a contribution whose intent is still there."""
    for at in range(len(changes_of(WRITES[first])) + 1):
        store, _, _ = stopped(WRITES[first], at)
        between = opened(store, wait_policy=None)
        for number, page in enumerate(("home", "news"), 6):
            assert outcome(between, f"INSERT INTO visits (id, page, seconds) VALUES ({number}, '{page}', 2)") == "done"
        between.sweep(older_than=-1)
        check_consistent(between)
        between.close()


@pytest.mark.parametrize("what", PAIRS)
def test_two_writers_in_all_orders(what: str) -> None:
    assert explore(what, PAIRS[what], SKEWS["clocks that agree"], None) > 1


@pytest.mark.long
@pytest.mark.parametrize("hurried", HURRIED)
@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("what", PAIRS)
def test_two_writers_in_all_orders_whatever_their_clocks(what: str, skew: str, hurried: str) -> None:
    runs = explore(what, PAIRS[what], SKEWS[skew], HURRIED[hurried])
    print(f"{what}, {skew}, {hurried}: {runs:,} orders")
    assert runs > 1


@pytest.mark.parametrize("what", PAIRS)
def test_a_late_step_harms_nobody(what: str) -> None:
    chance = random.Random(what)
    for stopped_at in range(MOST):
        check(*PAIRS[what], stopped_at, chance.randrange(MOST))
        check(*PAIRS[what][::-1], stopped_at, chance.randrange(MOST))


@pytest.mark.parametrize("what", WRITES)
def test_a_write_stays_within_its_bound(what: str) -> None:
    db = opened(begin())
    page = db.run(WRITES[what])
    assert page.operations <= db._statement(WRITES[what])[0].bound
    assert page.attempts - page.operations <= 3  # an emptied group is looked at, and removed


def test_an_insert_over_a_row_that_left_its_view_before_it_went_stays_within_its_bound() -> None:
    store = begin()
    first = opened(store)
    assert outcome(first, "UPDATE visits SET page = NULL WHERE id = 1") == "done"
    assert outcome(first, "DELETE FROM visits WHERE id = 1") == "done"
    second = opened(store)
    assert outcome(second, "INSERT INTO visits (id, page, seconds) VALUES (1, 'news', 2) IF NOT EXISTS") == "done"
    check_consistent(second)


def test_a_deleted_row_goes_though_a_fence_puts_it_again() -> None:
    """A fence for a late writer with a later stamp, between the DELETE and its last step."""
    store, other = begin(), []

    def gate(name: str, request: Callable[[], Any]) -> Any:
        if name == "change to GONE" and other:
            other.pop()()
        return request()

    db, fencing = opened(GatedStore(store, gate)), opened(store)._prepared.stepped("visits").records
    other.append(lambda: fencing.fence((1,), stamp_of(fencing.find((1,)).write) + 1_000_000))
    assert outcome(db, "DELETE FROM visits WHERE id = 1") == "done"
    assert not other
    record = fencing.find((1,))
    assert record is not None
    assert record.state is State.GONE


def test_a_write_is_counted_though_the_intent_of_its_first_try_is_forgotten_late() -> None:
    """Another process settles the first try, and forgets its intent when the second try has put the record."""
    store, kept = begin(), []
    at, third = [0], opened(store)

    def keep_forgetting(name: str, request: Callable[[], Any]) -> Any:
        return kept.append(request) if name == "forget" else request()

    settling = opened(GatedStore(store, keep_forgetting))

    def gate(name: str, request: Callable[[], Any]) -> Any:
        if name == "change to VISIBLE":
            at[0] += 1
            if at[0] == 1:  # the record, in the first try
                settling.sweep(older_than=-1)
            elif at[0] == 3:  # the group, in the second try
                for forget in kept:
                    forget()
                assert outcome(third, "INSERT INTO visits (id, page, seconds) VALUES (6, 'home', 4)") == "done"
        return request()

    db = opened(GatedStore(store, gate))
    assert outcome(db, "INSERT INTO visits (id, page, seconds) VALUES (5, 'home', 3)") == "done"
    assert kept
    check_consistent(db)


def racing_sums(tmp_path: Path) -> tuple[StepwiseStore, piql.Database, piql.Database, list[Callable[[], object]]]:
    """A store, two writers of it, and what the second does before the first one's next record is put."""
    store, meanwhile = StepwiseStore(tmp_path / "a.db", "NORMAL"), list[Callable[[], object]]()

    def gate(name: str, request: Callable[[], Any]) -> Any:
        if name == "change to VISIBLE" and meanwhile:
            meanwhile.pop()()
        return request()

    second = opened(store)
    second.deploy(piql.compile(SUMS))
    return store, opened(GatedStore(store, gate)), second, meanwhile


def test_a_sum_that_its_view_cannot_hold_hinders_neither_sweeps_nor_connections(tmp_path: Path) -> None:
    store, first, second, meanwhile = racing_sums(tmp_path)
    half = 2**62 + 1
    meanwhile.append(lambda: outcome(second, f"INSERT INTO sales (id, shop, amount) VALUES (2, 'a', {half})"))
    assert outcome(first, f"INSERT INTO sales (id, shop, amount) VALUES (1, 'a', {half})") == "StoreUnavailable"
    third = opened(store)
    assert third.sweep(older_than=-1).waiting == 1
    assert outcome(third, "DELETE FROM sales WHERE id = 2") == "done"
    assert third.sweep(older_than=-1).completed == 1
    assert third.some_rows("by_shop", ["shop", "n", "total"], 9) == [("a", 1, half)]


def test_a_write_that_another_overtakes_at_its_group_stays_within_its_bound(tmp_path: Path) -> None:
    _, first, second, meanwhile = racing_sums(tmp_path)
    meanwhile.append(lambda: outcome(second, "INSERT INTO sales (id, shop, amount) VALUES (2, 'a', 5)"))
    assert outcome(first, "INSERT INTO sales (id, shop, amount) VALUES (1, 'a', 7) IF NOT EXISTS") == "done"
    assert first.some_rows("by_shop", ["shop", "n", "total"], 9) == [("a", 2, 12)]
