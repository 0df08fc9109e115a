"""A view of several tables on a store without transactions: lines beside changes of the rows that they name."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from piql.runtime.writing.stepped.backoff import WaitPolicy

from .exploring import Exploration
from .interleaved import Script
from .interrupted import READING, GatedStore, Interruption, Killed
from .joined_sales import LEFT_VIEWS, VIEWS, begin_sales, check_sales, contents, may_come_of, serially
from .test_all_orders import HURRIED, SKEWS, Theatre
from .world import opened, outcome

LINES = {
    "a new line": "INSERT INTO lines (id, book, qty) VALUES (5, 3, 2)",
    "a new line of a book that is named": "INSERT INTO lines (id, book, qty) VALUES (5, 1, 2)",
    "a line in the place of another": "INSERT INTO lines (id, book, qty) VALUES (1, 4, 2)",
    "a move to another book": "UPDATE lines SET book = 4 WHERE id = 1",
    "a line comes into the view": "UPDATE lines SET book = 4 WHERE id = 3",
    "a line leaves the view": "UPDATE lines SET book = NULL WHERE id = 1",
    "a change of what is summed": "UPDATE lines SET qty = 9 WHERE id = 1",
    "a change that no view takes": "UPDATE lines SET note = 'x' WHERE id = 1",
    "a line goes": "DELETE FROM lines WHERE id = 1",
    "a new mark": "INSERT INTO marks (book, who, stars) VALUES (4, 1, 2)",
    "a mark goes": "DELETE FROM marks WHERE book = 5 AND who = 1",
}
NAMED = {
    "a book that nobody names": "UPDATE books SET kind = 'new' WHERE id = 4",
    "another book that nobody names": "UPDATE books SET kind = 'new' WHERE id = 3",
    "a book that is named": "UPDATE books SET kind = 'new' WHERE id = 1",
    "a book that a mark names": "UPDATE books SET kind = 'new' WHERE id = 5",
    "another author of a book": "UPDATE books SET author = 2 WHERE id = 4",
    "a book in the place of another": "INSERT INTO books (id, kind, author) VALUES (4, 'new', 2)",
    "a column that no view takes": "UPDATE books SET note = 'x' WHERE id = 4",
    "an author whom books name": "UPDATE authors SET land = 'FI' WHERE id = 1",
    "a book goes": "DELETE FROM books WHERE id = 4",
}
PAIRS: dict[str, tuple[Script, Script]] = {
    "a new line, and its book changes": ((LINES["a new line"],), (NAMED["another book that nobody names"],)),
    "a move, and the book to which it is changes": (
        (LINES["a move to another book"],),
        (NAMED["a book that nobody names"],),
    ),
    "a move, and the book from which it is changes": (
        (LINES["a move to another book"],),
        (NAMED["a book that is named"],),
    ),
    "a line goes, and its book changes": ((LINES["a line goes"],), (NAMED["a book that is named"],)),
    "a line goes, and its book changes and comes back": (
        (LINES["a line goes"],),
        (NAMED["a book that is named"], "UPDATE books SET kind = 'art' WHERE id = 1"),
    ),
    "a new line, and its book changes and comes back": (
        (LINES["a new line"],),
        (NAMED["another book that nobody names"], "UPDATE books SET kind = 'law' WHERE id = 3"),
    ),
    "a change of what is summed, and of the book": (
        (LINES["a change of what is summed"],),
        (NAMED["a book that is named"],),
    ),
    "a move, and another author of the book": (
        (LINES["a move to another book"],),
        (NAMED["another author of a book"],),
    ),
    "a move, and a book in the place of another": (
        (LINES["a move to another book"],),
        (NAMED["a book in the place of another"],),
    ),
    "a move, and the book goes": ((LINES["a move to another book"],), (NAMED["a book goes"],)),
    "a mark that is looked for in its record": ((LINES["a new mark"],), (NAMED["a book that nobody names"],)),
    "a mark goes, and its book changes": (
        (LINES["a mark goes"],),
        (NAMED["a book that a mark names"],),
    ),
    "a line of a book whose author changes": (
        ("UPDATE lines SET book = 2 WHERE id = 3",),
        ("UPDATE books SET author = NULL WHERE id = 2", "UPDATE authors SET land = 'FI' WHERE id = 2"),
    ),
    "an author who is not named yet": (
        ("UPDATE books SET author = 2 WHERE id = 4", "INSERT INTO lines (id, book, qty) VALUES (5, 4, 2)"),
        ("UPDATE books SET author = NULL WHERE id = 2", "UPDATE authors SET land = 'FI' WHERE id = 2"),
    ),
    "a book leaves its author, who changes, and comes back": (
        ("UPDATE lines SET book = 4 WHERE id = 3",),
        (
            "UPDATE books SET author = NULL WHERE id = 4",
            "UPDATE authors SET land = 'FI' WHERE id = 3",
            "UPDATE books SET author = 3 WHERE id = 4",
        ),
    ),
    "two lines of one book": (
        (LINES["a move to another book"],),
        ("INSERT INTO lines (id, book, qty) VALUES (5, 4, 2)",),
    ),
    "a line names a book, which changes": (
        (LINES["a line comes into the view"],),
        (NAMED["a book that nobody names"],),
    ),
    "a line names no book any more, which changes": (
        (LINES["a line leaves the view"],),
        (NAMED["a book that is named"],),
    ),
    "a line names no book any more, which goes": (
        (LINES["a line leaves the view"],),
        ("DELETE FROM books WHERE id = 1",),
    ),
    "one line twice": ((LINES["a move to another book"],), ("UPDATE lines SET book = 3 WHERE id = 1",)),
}
FAST = ("a new line, and its book changes", "a line goes, and its book changes")


def explore(what: str, skews: tuple[float, float], hurried: int | None, views: str = VIEWS) -> int:
    """Try all orders of the requests of two writers, and say how many were told apart."""
    scripts = PAIRS[what]
    theatre, exploration = Theatre(skews, hurried, partial(begin_sales, views)), Exploration()
    possible = may_come_of(scripts, views)
    runs = 0
    while True:
        exploration.begin()
        outcomes = theatre.run(scripts, exploration.choose)
        if outcomes is not None:
            runs += 1
            theatre.reader.sweep(older_than=-1_000_000)
            check_sales(theatre.reader)
            pending = any("RepairPending" in of_writer for of_writer in outcomes)
            assert not pending or skews[0] != skews[1]
            assert pending or (outcomes, repr(contents(theatre.reader))) in possible, f"{what}, {runs}: {outcomes}"
        if not exploration.go_on():
            return runs


@pytest.mark.parametrize("what", FAST)
def test_a_line_beside_its_book_in_all_orders(what: str) -> None:
    assert explore(what, SKEWS["clocks that agree"], None) > 1


def test_a_line_that_names_nothing_any_more_in_all_orders() -> None:
    assert explore("a line names no book any more, which changes", SKEWS["clocks that agree"], None, LEFT_VIEWS) > 1


@pytest.mark.long
@pytest.mark.parametrize("what", PAIRS)
def test_every_pair_beside_views_with_left_join_in_all_orders(what: str) -> None:
    assert explore(what, SKEWS["clocks that agree"], None, LEFT_VIEWS) > 1


@pytest.mark.long
@pytest.mark.parametrize("hurried", HURRIED)
@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("what", PAIRS)
def test_every_pair_in_all_orders_whatever_their_clocks(what: str, skew: str, hurried: str) -> None:
    runs = explore(what, SKEWS[skew], HURRIED[hurried])
    print(f"{what}, {skew}, {hurried}: {runs:,} orders")
    assert runs > 1


def changes_of(statement: str, views: str) -> int:
    return len(stopped(statement, 10_000, views)[1].passed)


def stopped(statement: str, at: int, views: str) -> tuple[Any, Interruption]:
    """Return a store on which a writer was killed after so many changes, and what stopped it."""
    store, interruption = begin_sales(views), Interruption(10_000)
    db = opened(GatedStore(store, interruption))
    interruption.left = at
    with suppress(Killed):
        outcome(db, statement)
    return store, interruption


def kill(first: str, then: str, arrives_at: int | None, views: str = VIEWS) -> None:
    """Kill a writer at each step, have another one write, and let the step under way arrive among the other's."""
    possible = [serially(then, views=views)]
    possible += [(results[1:], rows) for results, rows in [serially(first, then, views=views)]]
    possible += [(results[:1], rows) for results, rows in [serially(then, first, views=views)]]
    for at in range(changes_of(first, views) + 1):
        store, interruption = stopped(first, at, views)
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
        results = (outcome(second, then),)
        fresh = opened(store)
        if interruption.late is not None and (arrives_at is None or arrives_at >= passed):
            interruption.late()
        fresh.sweep(older_than=-1)
        check_sales(fresh)
        assert (results, repr(contents(fresh))) in possible, f"{first}, stopped at {at}, then {then}: {results}"
        fresh.close()


@pytest.mark.parametrize("line", ["a move to another book", "a line goes"])
@pytest.mark.parametrize("named", ["a book that nobody names", "a book that is named"])
def test_a_killed_line_is_settled_by_what_changes_its_book(line: str, named: str) -> None:
    kill(LINES[line], NAMED[named], None)
    kill(NAMED[named], LINES[line], None)


@pytest.mark.long
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("named", NAMED)
def test_whoever_is_killed_beside_views_with_left_join(line: str, named: str) -> None:
    for first, then in ((LINES[line], NAMED[named]), (NAMED[named], LINES[line])):
        kill(first, then, None, LEFT_VIEWS)


@pytest.mark.long
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("named", NAMED)
def test_whoever_is_killed_and_whenever_its_step_arrives(line: str, named: str) -> None:
    chance = random.Random(f"{line}, {named}")
    for first, then in ((LINES[line], NAMED[named]), (NAMED[named], LINES[line])):
        kill(first, then, None)
        for arrives_at in {0, 1, 2, 3, 4, chance.randrange(5, 14), chance.randrange(5, 14)}:
            kill(first, then, arrives_at)


@pytest.mark.parametrize("what", [*LINES, *NAMED])
def test_a_write_stays_within_its_bound(what: str) -> None:
    db = opened(begin_sales())
    statement = {**LINES, **NAMED}[what]
    assert outcome(db, statement) in ("done", "ConstraintViolation", "ForeignKeyViolation")
    check_sales(db)
