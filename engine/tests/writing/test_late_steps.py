"""A step of a writer that has died arrives at any moment of another's write, and changes nothing of it."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import product
from typing import Any

import pytest

from .interleaved import Script, ends, serially
from .interrupted import READING, GatedStore, Interruption, Killed
from .test_two_writers import PAIRS
from .world import begin, check_consistent, opened, outcome, seen_by

MOST = 16


def check(one: Script, other: Script, stopped_at: int, arrives_at: int) -> None:
    """Stop the first writer, let the second run, and let the first one's step arrive among the second one's changes."""
    store, interruption = begin(), Interruption(10_000)
    dying = opened(GatedStore(store, interruption))
    interruption.left = stopped_at
    with suppress(Killed):
        outcome(dying, one[0])
    late, count = interruption.late, 0
    if late is None:
        return

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
    found = seen_by(fresh, "parallel")
    possible = [serially(*other), *((each[1], state) for each, state in ends(one[:1], other))]
    assert (outcomes, found) in possible, f"{where}: {outcomes} {found}"
    check_consistent(fresh)
    fresh.close()


def pairs() -> dict[str, tuple[Script, Script]]:
    return PAIRS | {f"{name}, turned": scripts[::-1] for name, scripts in PAIRS.items()}


@pytest.mark.parametrize("what", pairs())
def test_a_late_step_harms_nobody(what: str) -> None:
    chance = random.Random(what)
    for stopped_at in range(MOST):
        check(*pairs()[what], stopped_at, chance.randrange(MOST))


@pytest.mark.long
@pytest.mark.parametrize("what", pairs())
def test_a_late_step_harms_nobody_whenever_it_comes(what: str) -> None:
    for stopped_at, arrives_at in product(range(MOST), range(MOST)):
        check(*pairs()[what], stopped_at, arrives_at)
