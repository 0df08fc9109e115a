"""A step of a dead writer, or a second copy of a step, arrives at any moment of another write, and changes nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from .interleaved import Script, ends, serially
from .interrupted import READING, GatedStore, Interruption, Killed
from .test_two_writers import PAIRS
from .world import begin, check_consistent, opened, outcome, seen_by

MOST = 16


def check(one: Script, other: Script, stopped_at: int, arrives_at: int) -> bool:
    """Stop the first writer, let the second run, and let the first one's step arrive among the second one's changes.

    Say whether it arrived among them, and not behind all: there it would come later, too.
    """
    store, interruption = begin(), Interruption(10_000)
    dying = opened(GatedStore(store, interruption))
    interruption.left = stopped_at
    with suppress(Killed):
        outcome(dying, one[0])
    late, count = interruption.late, 0
    if late is None:
        return False

    def gate(name: str, request: Any) -> Any:
        nonlocal count
        if name not in READING:
            if count == arrives_at:
                late()
            count += 1
        return request()

    db = opened(GatedStore(store, gate))
    outcomes = tuple(outcome(db, statement) for statement in other)
    if count <= arrives_at:
        late()
    where = f"{one[0]} stopped at {stopped_at}, arrives at {arrives_at} of {other}"
    fresh = opened(store)
    fresh.sweep(older_than=-1, places=True)
    state_found = seen_by(fresh, "parallel")
    possible = [serially(*other), *((outcomes_of_each[1], state) for outcomes_of_each, state in ends(one[:1], other))]
    assert (outcomes, state_found) in possible, f"{where}: {outcomes} {state_found}"
    check_consistent(fresh)
    fresh.close()
    return count > arrives_at


def pairs() -> dict[str, tuple[Script, Script]]:
    return PAIRS | {f"{name}, turned": scripts[::-1] for name, scripts in PAIRS.items()}


@pytest.mark.parametrize("what", pairs())
def test_a_late_step_harms_nobody(what: str) -> None:
    chance = random.Random(what)
    for stopped_at in range(chance.randrange(2), MOST, 2):
        check(*pairs()[what], stopped_at, chance.randrange(MOST))


@pytest.mark.long
@pytest.mark.parametrize("what", pairs())
def test_a_late_step_harms_nobody_whenever_it_comes(what: str) -> None:
    for stopped_at in range(MOST):
        for arrives_at in range(MOST):
            if not check(*pairs()[what], stopped_at, arrives_at):
                break


THEN: dict[str, tuple[Script, Script]] = {
    "a place that was given back": (
        ("INSERT INTO members (id, team, note) VALUES (4, 'blue', 'out')", "DELETE FROM members WHERE id = 4"),
        (
            "INSERT INTO members (id, team, note) VALUES (5, 'blue', 'out')",
            "INSERT INTO members (id, team, note) VALUES (6, 'blue', 'out')",
        ),
    ),
    "a place that was left and taken again": (
        (
            "UPDATE members SET team = 'blue' WHERE id = 1",
            "UPDATE members SET team = 'grey' WHERE id = 1",
            "UPDATE members SET team = 'blue' WHERE id = 1",
        ),
        (
            "INSERT INTO members (id, team, note) VALUES (5, 'blue', 'y')",
            "DELETE FROM members WHERE id = 1",
            "INSERT INTO members (id, team, note) VALUES (6, 'blue', 'z')",
        ),
    ),
    "a unique value that was given up": (
        ("UPDATE users SET mail = 'n@x' WHERE u = 'bob'", "UPDATE users SET mail = NULL WHERE u = 'bob'"),
        (
            "INSERT INTO users (u, mail, town, age) VALUES ('new', 'n@x', 'Bonn', 9)",
            "UPDATE users SET mail = 'n@x' WHERE u = 'bob'",
        ),
    ),
    "a unique value whose row is gone": (
        (
            "INSERT INTO users (u, mail, town, age) VALUES ('new', 'n@x', 'Bonn', 9)",
            "DELETE FROM users WHERE u = 'new'",
        ),
        (
            "UPDATE users SET mail = 'n@x' WHERE u = 'bob'",
            "INSERT INTO users (u, mail, town, age) VALUES ('new', 'n@x', 'Bonn', 9)",
        ),
    ),
    "a word that was taken back": (
        (
            "INSERT INTO members (id, team, note) VALUES (4, 'grey', 'here')",
            "UPDATE members SET note = 'too' WHERE id = 4",
        ),
        (
            "INSERT INTO members (id, team, note) VALUES (5, 'grey', 'here')",
            "INSERT INTO members (id, team, note) VALUES (4, 'blue', 'here')",
        ),
    ),
    "a reference that went": (
        ("INSERT INTO subs (o, t) VALUES ('zoe', 'ada')", "DELETE FROM subs WHERE o = 'zoe' AND t = 'ada'"),
        ("DELETE FROM users WHERE u = 'zoe'", "INSERT INTO subs (o, t) VALUES ('zoe', 'ada')"),
    ),
}


class Copied:
    """A gate that keeps a copy of one change and makes all."""

    def __init__(self, number: int) -> None:
        self._left = number
        self.copy: Callable[[], Any] | None = None
        self.name = ""

    def __call__(self, name: str, request: Callable[[], Any]) -> Any:
        if name not in READING:
            if self._left == 0:
                self.copy, self.name = request, name
            self._left -= 1
        return request()


def check_copy(one: Script, other: Script, copied: int, arrives_at: int) -> bool | None:
    """Let a copy of the first writer's change arrive among those of the second, or behind all; say whether among them.

    None where the first writer makes no such change.
    """
    store, gate = begin(), Copied(copied)
    before = opened(GatedStore(store, gate))
    first = tuple(outcome(before, statement) for statement in one)
    copy, count = gate.copy, 0
    if copy is None:
        return None

    def among(name: str, request: Any) -> Any:
        nonlocal count
        if name not in READING:
            if count == arrives_at:
                copy()
            count += 1
        return request()

    if arrives_at < 0:
        copy()
    db = opened(GatedStore(store, among))
    second = tuple(outcome(db, statement) for statement in other)
    if count <= arrives_at:
        copy()
    where = f"{gate.name}, change {copied} of {one}, comes once more at {arrives_at} of {other}"
    fresh = opened(store)
    state = seen_by(fresh, "parallel")
    assert (first + second, state) == serially(*one, *other), f"{where}: {first + second} {state}"
    fresh.sweep(older_than=-1, places=True)
    assert seen_by(fresh, "parallel") == state, where
    check_consistent(fresh)
    fresh.close()
    return count > arrives_at


@pytest.mark.parametrize("what", THEN)
def test_a_second_copy_of_any_change_harms_nobody(what: str) -> None:
    """Not even one that takes a place again which was given back: no insert is refused for it."""
    chance = random.Random(what)
    copied = 0
    while check_copy(*THEN[what], copied, chance.choice((-1, chance.randrange(MOST)))) is not None:
        copied += 1
    assert copied > 6


@pytest.mark.long
@pytest.mark.parametrize("what", [*THEN, *pairs()])
def test_a_second_copy_of_any_change_harms_nobody_whenever_it_comes(what: str) -> None:
    scripts = THEN.get(what) or pairs()[what]
    copied = 0
    while copies_harm_nobody(*scripts, copied):
        copied += 1
    assert copied > 0


def copies_harm_nobody(one: Script, other: Script, copied: int) -> bool:
    """Let a copy of one change arrive at each moment that differs; say whether there was such a change."""
    for arrives_at in range(-1, 2 * MOST):
        came_among = check_copy(one, other, copied, arrives_at)
        if not came_among:
            return came_among is not None
    return True
