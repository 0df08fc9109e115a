"""Units on a store without transactions beside units, writes and reads, in all orders of their requests."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import piql
import pytest
from piql.runtime.writing.stepped import slots
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.writer import UNKNOWN

from .exploring import Exploration
from .interleaved import Script
from .interrupted import READING, GatedStore, Interruption, Killed
from .test_all_orders import HURRIED, SKEWS, Theatre
from .units_world import begin_units, check_units, contents, do, may_come_of, serially
from .world import opened

UNITS = {
    "two records": 'DO both {"x": 1, "y": 2, "n": 1}',
    "two records, turned": 'DO both {"x": 2, "y": 1, "n": 5}',
    "one of them, and a third": 'DO both {"x": 2, "y": 3, "n": 7}',
    "values that change places": 'DO swap {"x": 1, "y": 2}',
    "a copy": 'DO copy {"x": 1, "y": 2}',
    "a copy back": 'DO copy {"x": 2, "y": 1}',
    "money that moves": 'DO move {"x": 1, "y": 3, "n": 3}',
    "money that is not there": 'DO move {"x": 2, "y": 3, "n": 3}',
    "new rows": 'DO fresh {"x": 5, "owner": "bob"}',
    "new rows without a place": 'DO fresh {"x": 5, "owner": "ada"}',
    "a row that names another": 'DO pay {"x": 3, "slip": 3, "mark": "n"}',
    "a row whose mark is taken": 'DO pay {"x": 3, "slip": 3, "mark": "m"}',
    "a row that goes": 'DO drop {"slip": 1, "x": 1}',
    "rows of a list, there or not": 'DO stock {"rows": [[2, 5], [5, 5]]}',
    "a move to another group": 'DO rename {"x": 3, "owner": "eve"}',
    "a move to a full group": 'DO rename {"x": 3, "owner": "ada"}',
    "all lines of a cart go": 'DO settle {"x": 1}',
    "the lines of a cart without any": 'DO settle {"x": 2}',
    "notes that are counted": 'DO tally {"x": 1, "y": 2}',
    "a line behind the others": 'DO add {"x": 1, "v": 3}',
    "all notes of a cart change": 'DO mark {"x": 1, "v": 10}',
}
PAIRS: dict[str, tuple[Script, Script]] = {
    "units that share both records": ((UNITS["two records"],), (UNITS["two records, turned"],)),
    "units that share one record": ((UNITS["two records"],), (UNITS["one of them, and a third"],)),
    "values that change places, and a unit": (
        (UNITS["values that change places"],),
        (UNITS["two records, turned"],),
    ),
    "copies crosswise": ((UNITS["a copy"],), (UNITS["a copy back"],)),
    "a unit and a write of one record": ((UNITS["two records"],), ("UPDATE plain SET v = v * 2 WHERE id = 2",)),
    "a unit and a write of the record that it reads": (
        (UNITS["a copy"],),
        ("UPDATE plain SET v = v + 1 WHERE id = 1",),
    ),
    "a unit and a row that goes": ((UNITS["two records"],), ("DELETE FROM plain WHERE id = 2",)),
    "a unit and a row in the place of another": (
        (UNITS["two records"],),
        ("INSERT INTO plain (id, v) VALUES (2, 0)",),
    ),
    "a unit and writes of both records": (
        (UNITS["values that change places"],),
        ("UPDATE plain SET v = 1 WHERE id = 1", "UPDATE plain SET v = 2 WHERE id = 2"),
    ),
    "money that moves to and fro": ((UNITS["money that moves"],), ('DO move {"x": 3, "y": 1, "n": 2}',)),
    "money that is there for one": ((UNITS["money that moves"],), ('DO move {"x": 1, "y": 2, "n": 3}',)),
    "new rows twice": ((UNITS["new rows"],), ('DO fresh {"x": 5, "owner": "eve"}',)),
    "new rows, and the last place is taken": (
        (UNITS["new rows"],),
        ("INSERT INTO acct (id, owner, amount) VALUES (6, 'bob', 1)",),
    ),
    "new rows, and a place is given up": (
        (UNITS["new rows without a place"],),
        ("DELETE FROM acct WHERE id = 2",),
    ),
    "two units for the last place": ((UNITS["new rows"],), ('DO fresh {"x": 6, "owner": "bob"}',)),
    "a row that names another, which goes": ((UNITS["a row that names another"],), ("DELETE FROM acct WHERE id = 3",)),
    "a row that names another, which went": (
        ('DO pay {"x": 4, "slip": 3, "mark": "n"}',),
        ("DELETE FROM acct WHERE id = 4",),
    ),
    "a row that names another, and money that moves": (
        (UNITS["a row that names another"],),
        (UNITS["money that moves"],),
    ),
    "a mark that is taken and given up": ((UNITS["a row whose mark is taken"],), ("DELETE FROM slip WHERE id = 1",)),
    "a row goes, and the one that it names": (
        (UNITS["a row that goes"],),
        ("DELETE FROM acct WHERE id = 1",),
    ),
    "a move to another group, and one from there": (
        (UNITS["a move to another group"],),
        ("UPDATE acct SET owner = 'bob' WHERE id = 1",),
    ),
    "a move to a full group, and one from there": (
        (UNITS["a move to a full group"],),
        ("UPDATE acct SET owner = 'eve' WHERE id = 1",),
    ),
    "rows of a list, of which one comes meanwhile": (
        (UNITS["rows of a list, there or not"],),
        ("INSERT INTO plain (id, v) VALUES (5, 1)",),
    ),
    "rows of a list twice": ((UNITS["rows of a list, there or not"],), (UNITS["two records"],)),
    "lines go, and one comes": (
        (UNITS["all lines of a cart go"],),
        ("INSERT INTO line (cart, n, v) VALUES (1, 7, 100)",),
    ),
    "lines go, and one of them went": (
        (UNITS["all lines of a cart go"],),
        ("DELETE FROM line WHERE cart = 1 AND n = 0",),
    ),
    "lines go, and one of them changes": (
        (UNITS["all lines of a cart go"],),
        ("UPDATE line SET v = v * 2 WHERE cart = 1 AND n = 1",),
    ),
    "lines go twice": ((UNITS["all lines of a cart go"],), (UNITS["all lines of a cart go"],)),
    "lines go, and a line comes behind them": (
        (UNITS["all lines of a cart go"],),
        (UNITS["a line behind the others"],),
    ),
    "a first line comes": (
        (UNITS["the lines of a cart without any"],),
        ("INSERT INTO line (cart, n, v) VALUES (2, 7, 100)", 'READ paid {"x": 2}'),
    ),
    "two lines behind the others": ((UNITS["a line behind the others"],), ('DO add {"x": 1, "v": 4}',)),
    "notes are counted, and one comes": (
        (UNITS["notes that are counted"],),
        ("INSERT INTO note (id, cart, v) VALUES (4, 1, 9)", 'READ paid {"x": 2}'),
    ),
    "notes are counted, and one moves in": (
        (UNITS["notes that are counted"],),
        ("UPDATE note SET cart = 1 WHERE id = 3", 'READ paid {"x": 2}'),
    ),
    "notes are counted, and one moves out": (
        (UNITS["notes that are counted"],),
        ("UPDATE note SET cart = 2 WHERE id = 1", 'READ paid {"x": 2}'),
    ),
    "notes are counted, and one goes": (
        (UNITS["notes that are counted"],),
        ("DELETE FROM note WHERE id = 2", 'READ paid {"x": 2}'),
    ),
    "notes are counted crosswise": ((UNITS["notes that are counted"],), ('DO tally {"x": 2, "y": 1}',)),
    "notes of a cart that goes": (('DO tally {"x": 3, "y": 1}',), ("DELETE FROM cart WHERE id = 3",)),
    "notes change, and one comes": (
        (UNITS["all notes of a cart change"],),
        ("INSERT INTO note (id, cart, v) VALUES (4, 1, 9)",),
    ),
    "notes change, and one moves": (
        (UNITS["all notes of a cart change"],),
        ("UPDATE note SET cart = 1 WHERE id = 3",),
    ),
    "who reads lines that go": (
        (UNITS["all lines of a cart go"],),
        ('READ lines {"x": 1}', 'READ paid {"x": 1}'),
    ),
    "who reads lines that come": (
        ('DO fill {"rows": [[2, 1, 10], [2, 2, 20]]}',),
        ('READ lines {"x": 2}',),
    ),
    "who reads notes that change": (
        (UNITS["all notes of a cart change"],),
        ('READ notes {"x": 1}', 'READ v {"x": 9}'),
    ),
    "who reads notes that change, turned": (
        (UNITS["all notes of a cart change"],),
        ('READ v {"x": 9}', 'READ notes {"x": 1}'),
    ),
    "who reads both records": (
        (UNITS["two records"],),
        ('READ v {"x": 1}', 'READ v {"x": 2}'),
    ),
    "who reads both records, turned": (
        (UNITS["two records"],),
        ('READ v {"x": 2}', 'READ v {"x": 1}'),
    ),
    "who reads by an index": (
        (UNITS["money that moves"],),
        ('READ of_owner {"owner": "bob"}', 'READ of_owner {"owner": "ada"}'),
    ),
    "who reads new rows": (
        (UNITS["new rows"],),
        ('READ v {"x": 5}', 'READ of_owner {"owner": "bob"}'),
    ),
    "who reads new rows, turned": (
        (UNITS["new rows"],),
        ('READ of_owner {"owner": "bob"}', 'READ v {"x": 5}'),
    ),
    "who reads a row that goes": (
        (UNITS["a row that goes"],),
        ('READ of_acct {"acct": 1}', 'READ v {"x": 1}'),
    ),
    "who reads a row that moves": (
        (UNITS["a move to another group"],),
        ('READ of_owner {"owner": "eve"}', 'READ v {"x": 3}', 'READ of_owner {"owner": "bob"}'),
    ),
}
FAST = (
    "units that share one record",
    "who reads both records",
    "notes are counted, and one comes",
    "who reads lines that come",
)


MOST_ORDERS = 400  # of a pair of which one does not wait: some have tens of thousands


def explore(what: str, skews: tuple[float, float], hurried: int | None) -> int:
    """Try the orders of the requests of two, all of them where both wait, and say how many were told apart."""
    scripts = PAIRS[what]
    theatre, exploration = Theatre(skews, hurried, begin_units, do), Exploration()
    for writer in theatre._writers:
        assert writer.db._context.cursor_key  # so that no run is the first to ask for it
    possible = may_come_of(scripts)
    runs = 0
    while True:
        exploration.begin()
        outcomes = theatre.run(scripts, exploration.choose)
        if outcomes is not None:
            runs += 1
            theatre.reader.sweep(older_than=-1_000_000)
            check_units(theatre.reader)
            pending = any("RepairPending" in of_writer for of_writer in outcomes)
            assert not pending or skews[0] != skews[1]
            assert pending or (outcomes, contents(theatre.reader)) in possible, f"{what}, {runs}: {outcomes}"
        if not exploration.go_on() or (hurried is not None and runs >= MOST_ORDERS):
            return runs


@pytest.fixture(autouse=True)
def one_place_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all who look for a free place want the same one."""
    monkeypatch.setattr(slots.random, "choice", lambda free: free[0])


@pytest.mark.parametrize("what", FAST)
def test_units_in_all_orders(what: str) -> None:
    assert explore(what, SKEWS["clocks that agree"], None) > 1


@pytest.mark.long
@pytest.mark.parametrize("hurried", HURRIED)
@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("what", PAIRS)
def test_every_pair_whatever_their_clocks(what: str, skew: str, hurried: str) -> None:
    runs = explore(what, SKEWS[skew], HURRIED[hurried])
    print(f"{what}, {skew}, {hurried}: {runs:,} orders")
    assert runs > 1


def changes_of(statement: str) -> int:
    return len(stopped(statement, 10_000)[1].passed)


def stopped(statement: str, at: int) -> tuple[Any, Interruption]:
    """Return a store on which a writer was killed after so many changes, and what stopped it."""
    store, interruption = begin_units(), Interruption(10_000)
    db = opened(GatedStore(store, interruption))
    interruption.left = at
    with suppress(Killed):
        do(db, statement)
    return store, interruption


def kill(first: str, then: str, arrives_at: int | None) -> None:
    """Kill a writer at each step, have another one write, and let the step under way arrive among the other's."""
    possible = [serially(then), *((results[1:], rows) for results, rows in [serially(first, then)])]
    possible += [(results[:1], rows) for results, rows in [serially(then, first)]]
    for at in range(changes_of(first) + 1):
        store, interruption = stopped(first, at)
        passed = 0

        def gate(name: str, request: Any, late: Any = interruption.late) -> Any:
            nonlocal passed
            if name not in READING:
                if passed == arrives_at and late is not None:
                    late()
                passed += 1
            return request()

        second = opened(GatedStore(store, gate), wait_policy=None)
        second._leftovers.sweep_at = float("inf")
        assert second._identity is not None
        second._identity.wait_policy = WaitPolicy(patience=0.0, sleep=lambda seconds: None)
        second._identity.units._wait_policy = second._identity.wait_policy
        results = (do(second, then),)
        fresh = opened(store)
        if interruption.late is not None and (arrives_at is None or arrives_at >= passed):
            interruption.late()
        fresh.sweep(older_than=-1)
        check_units(fresh)
        assert (results, contents(fresh)) in possible, f"{first}, stopped at {at}, then {then}: {results}"
        fresh.close()


THEN = {
    "a unit of the same records": UNITS["two records, turned"],
    "a unit of one of them": UNITS["one of them, and a third"],
    "a write of one record": "UPDATE plain SET v = v * 2 WHERE id = 2",
    "a row goes": "DELETE FROM plain WHERE id = 1",
    "a read": 'READ v {"x": 2}',
    "money": 'DO move {"x": 1, "y": 3, "n": 1}',
    "a new row in a group": "INSERT INTO acct (id, owner, amount) VALUES (6, 'bob', 1)",
    "another new row": 'DO fresh {"x": 5, "owner": "eve"}',
    "a row that is named goes": "DELETE FROM acct WHERE id = 3",
    "a read by an index": 'READ of_owner {"owner": "bob"}',
    "a mark": "INSERT INTO slip (id, acct, sum, mark) VALUES (4, 1, 1, 'n')",
    "a move": 'DO rename {"x": 3, "owner": "eve"}',
    "a line comes": "INSERT INTO line (cart, n, v) VALUES (1, 7, 100)",
    "all lines go": UNITS["all lines of a cart go"],
    "a note moves": "UPDATE note SET cart = 1 WHERE id = 3",
    "notes are counted": UNITS["notes that are counted"],
}


@pytest.mark.parametrize("then", ["a unit of one of them", "a write of one record", "a read"])
def test_a_killed_unit_is_closed_by_whoever_meets_it(then: str) -> None:
    kill(UNITS["two records"], THEN[then], None)


@pytest.mark.long
@pytest.mark.parametrize("then", THEN)
@pytest.mark.parametrize("what", UNITS)
def test_whoever_is_killed_and_whenever_its_step_arrives(what: str, then: str) -> None:
    chance = random.Random(f"{what}, {then}")
    for first, second in ((UNITS[what], THEN[then]), (THEN[then], UNITS[what])):
        kill(first, second, None)
        for arrives_at in {0, 1, 2, 3, 4, chance.randrange(5, 14), chance.randrange(5, 14)}:
            kill(first, second, arrives_at)


@pytest.mark.parametrize("what", UNITS)
def test_a_unit_stays_within_its_bound(what: str) -> None:
    db = opened(begin_units())
    assert do(db, UNITS[what]) == serially(UNITS[what])[0][0]
    check_units(db)


@pytest.mark.parametrize("is_made", [False, True])
@pytest.mark.parametrize("what", ["two records", "new rows", "a row that names another"])
def test_a_store_that_fails_once_leaves_the_whole_unit_or_nothing(what: str, is_made: bool) -> None:
    """Only a failure behind the last record that is held leaves unknown whether the unit was made."""
    old, new = serially()[1], serially(UNITS[what])[1]
    for at in range(changes_of(UNITS[what])):
        store, passed = begin_units(), 0

        def gate(name: str, request: Any, fails_at: int = at) -> Any:
            nonlocal passed
            if name in READING:
                return request()
            passed += 1
            if passed - 1 == fails_at:
                if is_made:
                    request()
                raise piql.StoreUnavailable("no answer")
            return request()

        db = opened(GatedStore(store, gate))
        message = ""
        name, _, parameters = UNITS[what].removeprefix("DO ").partition(" ")
        try:
            db.execute(name, json.loads(parameters))
        except piql.StoreUnavailable as failure:
            message = str(failure)
        fresh = opened(store)
        fresh.sweep(older_than=-1)
        check_units(fresh)
        rows = contents(fresh)
        assert rows in ((old, new) if UNKNOWN in message else (old,)), f"{what}, {at}: {message}"
        fresh.close()
