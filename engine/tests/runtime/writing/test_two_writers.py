"""Two writers at once, in every order of their requests with two changes of turn: as one after the other."""

from __future__ import annotations

import random

import pytest

from .interleaved import Arena, Choose, Script, Switching, by_chance, ends, states
from .world import check_consistent, seen_by

PAIRS: dict[str, tuple[Script, Script]] = {
    "the last place of a limit": (
        ("INSERT INTO subs (o, t) VALUES ('ada', 'eve')",),
        ("INSERT INTO subs (o, t) VALUES ('ada', 'zoe')",),
    ),
    "a place that is given up and one that is taken": (
        ("DELETE FROM members WHERE id = 1",),
        ("INSERT INTO members (id, team, note) VALUES (4, 'red', 'out')",),
    ),
    "two moves to a group with one place": (
        ("UPDATE members SET team = 'blue' WHERE id = 1",),
        ("UPDATE members SET team = 'blue' WHERE id = 2",),
    ),
    "two changes of one row": (
        ("UPDATE users SET town = 'Rome' WHERE u = 'bob'",),
        ("UPDATE users SET town = 'Bonn', mail = 'n@x' WHERE u = 'bob'",),
    ),
    "a change and a delete of one row": (
        ("UPDATE members SET team = 'blue', note = 'out' WHERE id = 1",),
        ("DELETE FROM members WHERE id = 1",),
    ),
    "a delete and an insert of one key": (
        ("DELETE FROM members WHERE id = 3",),
        ("INSERT INTO members (id, team, note) VALUES (3, 'grey', 'new')",),
    ),
    "one key inserted twice": (
        ("INSERT INTO members (id, team, note) VALUES (4, 'blue', 'new') IF NOT EXISTS",),
        ("INSERT INTO members (id, team, note) VALUES (4, 'grey', 'out') IF NOT EXISTS",),
    ),
    "one unique value taken twice": (
        ("UPDATE users SET mail = 'n@x' WHERE u = 'bob'",),
        ("INSERT INTO users (u, mail, town, age) VALUES ('new', 'n@x', 'Bonn', 9)",),
    ),
    "a unique value that is given up and taken": (
        ("UPDATE users SET mail = NULL WHERE u = 'bob'",),
        ("INSERT INTO users (u, mail, town, age) VALUES ('new', 'b@x', 'Bonn', 9)",),
    ),
    "a reference to a row that goes, seen in an entry": (
        ("INSERT INTO subs (o, t) VALUES ('ada', 'zoe')",),
        ("DELETE FROM users WHERE u = 'zoe'",),
    ),
    "a reference to a row that goes, seen in the record": (
        ("INSERT INTO subs (o, t) VALUES ('zoe', 'ada')",),
        ("DELETE FROM users WHERE u = 'zoe'",),
    ),
    "a reference to a unique value that goes": (
        ("INSERT INTO letters (id, mail) VALUES (2, 'z@x')",),
        ("UPDATE users SET mail = NULL WHERE u = 'zoe'",),
    ),
    "one key put twice into one group": (
        ("INSERT INTO members (id, team, note) VALUES (4, 'blue', 'new')",),
        ("INSERT INTO members (id, team, note) VALUES (4, 'blue', 'out')",),
    ),
    "one key put twice into one group with room": (
        ("INSERT INTO members (id, team, note) VALUES (4, 'grey', 'new')",),
        ("INSERT INTO members (id, team, note) VALUES (4, 'grey', 'out')",),
    ),
    "a row that leaves its group and one that brings it back": (
        ("DELETE FROM members WHERE id = 1",),
        (
            "INSERT INTO members (id, team, note) VALUES (1, 'red', 'x')",
            "INSERT INTO members (id, team, note) VALUES (5, 'red', 'y')",
        ),
    ),
    "a row that leaves and comes back beside one that goes": (
        ("UPDATE members SET team = 'blue' WHERE id = 1", "UPDATE members SET team = 'red' WHERE id = 1"),
        ("DELETE FROM members WHERE id = 1", "INSERT INTO members (id, team, note) VALUES (4, 'blue', 'z')"),
    ),
    "a row that goes and comes while another wants its place": (
        ("DELETE FROM members WHERE id = 2", "INSERT INTO members (id, team, note) VALUES (2, 'red', 'w')"),
        ("INSERT INTO members (id, team, note) VALUES (5, 'red', 'y')",),
    ),
    "two increments of one row that may not be there yet": (
        ("INSERT INTO users (u, mail, age) VALUES ('new', 'n@x', 1) ON CONFLICT (u) DO UPDATE SET age = age + 1",) * 2,
        ("INSERT INTO users (u, mail, age) VALUES ('new', 'm@x', 1) ON CONFLICT (u) DO UPDATE SET age = age + 1",),
    ),
    "two increments of the row with one unique value": (
        ("INSERT INTO users (u, mail, age) VALUES ('new', 'n@x', 1) ON CONFLICT (mail) DO UPDATE SET age = age + 1",),
        ("INSERT INTO users (u, mail, age) VALUES ('two', 'n@x', 1) ON CONFLICT (mail) DO UPDATE SET age = age + 1",),
    ),
    "an increment by a unique value and a row that gives it up": (
        ("INSERT INTO users (u, mail, age) VALUES ('new', 'b@x', 1) ON CONFLICT (mail) DO UPDATE SET age = age + 1",),
        ("UPDATE users SET mail = 'n@x' WHERE u = 'bob'",),
    ),
    "one row that is there for nobody, or for one": (
        ("INSERT INTO users (u, mail, age) VALUES ('new', 'n@x', 1) ON CONFLICT DO NOTHING",),
        ("INSERT INTO users (u, mail, age) VALUES ('two', 'n@x', 2) ON CONFLICT (mail) DO NOTHING",),
    ),
    "a change by a unique value that moves to another row": (
        ("UPDATE users SET town = 'Bonn' WHERE mail = 'b@x'",),
        ("UPDATE users SET mail = NULL WHERE u = 'bob'", "UPDATE users SET mail = 'b@x' WHERE u = 'eve'"),
    ),
    "a delete and a change by one unique value": (
        ("DELETE FROM users WHERE mail = 'z@x'",),
        ("UPDATE users SET mail = 'n@x', age = age + 1 WHERE mail = 'z@x'",),
    ),
    "a user that goes and comes beside one that refers to it": (
        (
            "DELETE FROM users WHERE u = 'zoe'",
            "INSERT INTO users (u, mail, town, age) VALUES ('zoe', 'z@x', 'Rome', 5)",
        ),
        ("INSERT INTO subs (o, t) VALUES ('zoe', 'ada')",),
    ),
}


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena()


def check(arena: Arena, scripts: tuple[Script, Script], choose: Choose, what: str) -> None:
    """Run both, and hold what came of it, and what was seen meanwhile, against one after the other."""
    possible, on_the_way = ends(*scripts), states(*scripts)
    chance = random.Random(what)

    def look() -> None:
        for name, rows in seen_by(arena.reader, chance.choice(("parallel", "lazy"))).items():
            assert any(rows == state[name] for state in on_the_way), f"{what}: {name} gave {rows}"

    outcomes = arena.run(scripts, choose, look)
    arena.reader.sweep(older_than=-1)
    state_found = seen_by(arena.reader, "simple")
    assert (outcomes, state_found) in possible, f"{what}: {outcomes}, " + str(
        [
            (name, rows, [end[1][name] for end in possible])
            for name, rows in state_found.items()
            if rows != possible[0][1][name]
        ]
    )
    check_consistent(arena.reader)


@pytest.mark.parametrize("what", PAIRS)
def test_two_writers_leave_what_one_after_the_other_leaves(arena: Arena, what: str) -> None:
    chance = random.Random(what)
    for first in range(22):
        second = chance.randrange(1, 22)
        check(arena, PAIRS[what], Switching([first, second]), f"{what}: {first}, {second}")


@pytest.mark.parametrize("what", PAIRS)
def test_two_writers_in_any_order_of_their_requests(arena: Arena, what: str) -> None:
    for seed in range(8):
        check(arena, PAIRS[what], by_chance(f"{what} {seed}"), f"{what}: seed {seed}")


@pytest.mark.long
@pytest.mark.parametrize("what", PAIRS)
def test_two_writers_in_every_order_with_two_changes_of_turn(arena: Arena, what: str) -> None:
    for scripts, how in ((PAIRS[what], what), (PAIRS[what][::-1], f"{what}, turned")):
        for first in range(24):
            for second in range(1, 24):
                order = Switching([first, second])
                check(arena, scripts, order, f"{how}: {first}, {second}")
                if order.cut_short is not None:
                    break
            if order.cut_short == 0:
                break
    for seed in range(1000):
        check(arena, PAIRS[what], by_chance(f"long {what} {seed}"), f"{what}: long seed {seed}")
