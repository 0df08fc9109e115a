"""Four writers and two readers, their requests in any order: what each is told is that of one after the other.

In that order a statement that began when another one had ended comes behind it: they are strictly serialisable.
A third of the writers is impatient: it closes every unit that it meets.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from piql.client.database import Database
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.stamps import Stamps

from .exploring import Stage, Touches, TouchingStore
from .units_world import begin_units, check_units, do
from .world import opened

WRITERS, READERS = 4, 2
Values = dict[int, int]


@dataclass(frozen=True, slots=True)
class Event:
    """A statement of one actor, what came of it, and between which turns."""

    actor: int
    text: str
    outcome: str
    began: int
    ended: int


def statement(chance: random.Random) -> str:
    """Return a statement of a writer."""
    x, y = chance.sample((1, 2, 3), 2)
    kind = chance.choice(("both", "both", "swap", "copy", "one", "goes"))
    if kind == "both":
        return f'DO both {{"x": {x}, "y": {y}, "n": {chance.randrange(1, 9)}}}'
    if kind in ("swap", "copy"):
        return f'DO {kind} {{"x": {x}, "y": {y}}}'
    if kind == "one":
        return f"UPDATE plain SET v = v * 2 WHERE id = {x}"
    return f"DELETE FROM plain WHERE id = {x}"


def _of(value: Any, change: Callable[[int], int]) -> Any:
    """Return what a change makes of a value; NULL stays NULL."""
    return None if value is None else change(value)


def told(values: Values, text: str) -> tuple[str, Values]:
    """Return what a statement is told, and what it leaves, if it is made alone."""
    word, _, rest = text.partition(" ")
    if word not in ("DO", "READ"):
        key = int(text[-1])
        if key not in values:
            return "no row", values
        if word == "DELETE":
            return "done", {at: value for at, value in values.items() if at != key}
        return "done", {**values, key: _of(values[key], lambda value: value * 2)}
    name, _, parameters = rest.partition(" ")
    given = json.loads(parameters)
    x, y = given["x"], given.get("y")
    if word == "READ":
        return repr([{"v": values[x]}] if x in values else []), values
    if name == "both":
        more = {at: _of(values[at], lambda value: value + given["n"]) for at in (x, y) if at in values}
        return "done", values | more
    new: dict[int, Any] = {y: values.get(x)} | ({x: values.get(y)} if name == "swap" else {})
    return "done", {at: new.get(at, value) for at, value in values.items()}


def statement_of_groups(chance: random.Random) -> str:
    """Return a statement of a writer: a unit that counts notes, or a write that makes another number of them."""
    cart, note = chance.choice((1, 2)), chance.choice((1, 2, 3, 4))
    kind = chance.choice(("tally", "tally", "comes", "moves", "goes"))
    if kind == "tally":
        return f'DO tally {{"x": {cart}, "y": {chance.choice((1, 2))}}}'
    if kind == "comes":
        return f"INSERT INTO note (id, cart, v) VALUES ({note}, {cart}, 0)"
    return (
        f"UPDATE note SET cart = {cart} WHERE id = {note}" if kind == "moves" else f"DELETE FROM note WHERE id = {note}"
    )


def told_of_groups(values: Values, text: str) -> tuple[str, Values]:
    """Return what such a statement is told, and what it leaves: what is paid by -1 and -2, and the carts of notes."""
    word, _, rest = text.partition(" ")
    if word in ("DO", "READ"):
        given = json.loads(rest.partition(" ")[2])
        if word == "READ":
            return repr([{"paid": values[-given["x"]]}]), values
        count = sum(cart == given["x"] for note, cart in values.items() if note > 0)
        return "done", {**values, -given["y"]: count}
    if word == "INSERT":
        note, cart, _ = (int(number) for number in text.partition("VALUES (")[2][:-1].split(","))
        return "done", {**values, note: cart}
    note = int(text[-1])
    if note not in values:
        return "no row", values
    if word == "DELETE":
        return "done", {at: value for at, value in values.items() if at != note}
    return "done", {**values, note: int(text.partition("cart = ")[2][0])}


def is_serial(
    events: Sequence[Event],
    values: Values,
    last: Values,
    told: Callable[[Values, str], tuple[str, Values]] = told,
) -> bool:
    """Return whether events are told as in one order of them, which keeps those apart that were."""
    if not events:
        return values == last
    first_end = min(event.ended for event in events)
    for event in events:
        if event.began > first_end:
            continue
        outcome, after = told(values, event.text)
        rest = [other for other in events if other is not event]
        if outcome == event.outcome and is_serial(rest, after, last, told):
            return True
    return False


class History:
    """One run of all actors, whose turns are given by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.store = begin_units()
        self.turn = 0
        self.events: list[Event] = []
        self._stage = Stage(WRITERS + READERS, self._choose)
        self._acting = threading.local()
        self._last = -1

    def _choose(self, able: dict[int, Touches]) -> int:
        """Let an actor mostly go on for a while, so that others are met at any step."""
        self.turn += 1
        if self._last not in able or self.chance.random() < 0.4:
            self._last = self.chance.choice(list(able))
        return self._last

    def _actor(self, number: int) -> Database:
        seconds = 0.0

        def sleep(_: float) -> None:
            nonlocal seconds
            seconds += 0.1
            self._stage.wait(number, (), is_polite=True)

        def let_pass(touches: Touches, request: Callable[[], Any]) -> Any:
            if getattr(self._acting, "is_on", False):
                self._stage.wait(number, touches)
            return request()

        policy = WaitPolicy(0.0 if number % 3 == 0 else 1.0, 600.0, lambda: seconds, sleep)
        moment = time.time() + 100
        db = Database(
            TouchingStore(self.store, let_pass), stamps=Stamps(f"{number}" * 8, lambda: moment), wait_policy=policy
        )
        db._leftovers.sweep_at = float("inf")
        assert db._context.cursor_key
        return db

    def _act(self, number: int, db: Database, texts: Sequence[str]) -> None:
        self._acting.is_on = True
        try:
            for text in texts:
                began = self.turn
                outcome = do(db, text)
                self.events.append(Event(number, text, outcome, began, self.turn))
        finally:
            self._stage.finish()

    def run(self) -> None:
        """Let writers and readers of single rows act."""
        scripts = [[statement(self.chance)] for _ in range(WRITERS)]
        scripts += [[f'READ v {{"x": {key}}}' for key in self.chance.choices((1, 2, 3), k=2)] for _ in range(READERS)]
        self._run(scripts)

    def run_with_groups(self) -> None:
        """Let writers of groups act, each of which then reads what was counted, and readers of that."""
        reads = ['READ paid {"x": 1}', 'READ paid {"x": 2}']
        scripts = [[statement_of_groups(self.chance), self.chance.choice(reads)] for _ in range(WRITERS)]
        self._run(scripts + [self.chance.sample(reads, 2) for _ in range(READERS)])

    def _run(self, scripts: Sequence[Sequence[str]]) -> None:
        """Run all scripts to their ends."""
        actors = [self._actor(number) for number in range(len(scripts))]
        threads = [
            threading.Thread(target=self._act, args=(number, actors[number], texts), daemon=True)
            for number, texts in enumerate(scripts)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()


def check(seed: int) -> None:
    history = History(seed)
    history.run()
    reader = opened(history.store)
    reader.sweep(older_than=-1_000_000)
    check_units(reader)
    last = dict(reader.some_rows("plain", ("id", "v"), 9))
    known = [event for event in history.events if event.outcome != "RepairPending"]
    assert len(history.events) == WRITERS + 2 * READERS
    assert is_serial(known, {1: 10, 2: 20, 3: 30}, last), f"{seed}: {known} {last}"
    reader.close()


def check_groups(seed: int) -> None:
    history = History(seed)
    history.run_with_groups()
    reader = opened(history.store)
    reader.sweep(older_than=-1_000_000)
    check_units(reader)
    last = {-cart: paid for cart, paid in reader.some_rows("cart", ("id", "paid"), 9) if cart < 3}
    last |= dict(reader.some_rows("note", ("id", "cart"), 9))
    known = [event for event in history.events if event.outcome != "RepairPending"]
    assert len(history.events) == 2 * WRITERS + 2 * READERS
    begin = {-1: None, -2: None, 1: 1, 2: 1, 3: 2}
    assert is_serial(known, begin, last, told_of_groups), f"{seed}: {known} {last}"
    reader.close()


@pytest.mark.parametrize("seed", range(10))
def test_a_history_of_groups_is_strictly_serialisable(seed: int) -> None:
    check_groups(seed)


@pytest.mark.parametrize("seed", range(20))
def test_a_history_is_strictly_serialisable(seed: int) -> None:
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(10))
def test_histories_are_strictly_serialisable(hundred: int) -> None:
    for seed in range(1000 + 100 * hundred, 1100 + 100 * hundred):
        check(seed)
        check_groups(seed)
