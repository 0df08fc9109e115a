"""Runs two writers whose requests are made one at a time, in an order that the test chooses.

Turns    lets one of several threads go on at a time;  Arena   a world with two writers, run again and again
Choose   decides whose turn it is: `Switching` after given numbers of requests, `by_chance` at random
"""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from piql.client.database import Database
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.stamps import Stamps
from piql.store.embedded.store import EmbeddedStore

from .interrupted import GatedStore
from .world import Seen, begin, opened, outcome, seen_by

T = TypeVar("T")
Script = tuple[str, ...]
Choose = Callable[[Sequence[int], int], int]
"""From those that can go on and the one that did last to the one that goes on."""


class Turns:
    """Lets one of several threads go on at a time, from one request to the next."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._turn: int | None = None
        self._waiting: set[int] = set()
        self._done: set[int] = set()
        self.is_pausing: set[int] = set()

    def wait(self, actor: int) -> None:
        with self._changed:
            self._waiting.add(actor)
            self._turn = None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._turn == actor)
            self._waiting.discard(actor)

    def finish(self, actor: int) -> None:
        with self._changed:
            self._done.add(actor)
            self._turn = None
            self._changed.notify_all()

    def run(self, count: int, choose: Choose, between: Callable[[], None]) -> int:
        """Return turns until all are done, and say how many there were."""
        last, turns = -1, 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: len(self._waiting) + len(self._done) == count and self._turn is None)
                if len(self._done) == count:
                    return turns
                ready = sorted(self._waiting)
            chosen = choose(ready, last)
            if chosen != last:
                between()
            last, turns = chosen, turns + 1
            with self._changed:
                self._turn = chosen
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._turn is None)


class Arena:
    """A world that begins anew for each run, two servers that write to it, and one that reads."""

    def __init__(self) -> None:
        self.store = begin()
        self._begin = begin()
        self._turns = Turns()
        self._seconds = 0.0
        self._actors = threading.local()
        self.reader = opened(self.store)
        self.writers = [self._writer(), self._writer()]

    def _writer(self) -> Database:
        wait_policy = WaitPolicy(patience=1.0, deadline=60.0, clock=lambda: self._seconds, sleep=self._sleep)
        return Database(GatedStore(self.store, self._gate), stamps=Stamps(), wait_policy=wait_policy)

    def _sleep(self, seconds: float) -> None:
        self._seconds += 0.3
        actor = getattr(self._actors, "number", None)
        if actor is not None:
            self._turns.is_pausing.add(actor)
            self._turns.wait(actor)
            self._turns.is_pausing.discard(actor)

    def _gate(self, name: str, request: Callable[[], Any]) -> Any:
        actor = getattr(self._actors, "number", None)
        if actor is not None:
            self._turns.wait(actor)
        return request()

    def run(self, scripts: Sequence[Script], choose: Choose, between: Callable[[], None]) -> list[tuple[str, ...]]:
        """Run the statements of each writer from the beginning of the world, and give what came of them."""
        source: sqlite3.Connection = self._begin.connection()
        source.backup(self.store.connection())
        for db in self.writers:
            assert db._identity is not None
            db._identity.log._announced_at = 0.0
        self._turns = Turns()
        outcomes: list[tuple[str, ...]] = [()] * len(scripts)

        def act(actor: int) -> None:
            self._actors.number = actor
            try:
                outcomes[actor] = tuple([outcome(self.writers[actor], script) for script in scripts[actor]])
            finally:
                self._turns.finish(actor)

        threads = [threading.Thread(target=act, args=(actor,), daemon=True) for actor in range(len(scripts))]
        for thread in threads:
            thread.start()

        def wisely(ready: Sequence[int], last: int) -> int:
            """Whoever waits politely lets others go first."""
            able = [actor for actor in ready if actor not in self._turns.is_pausing] or list(ready)
            return choose(able, last)

        self._turns.run(len(scripts), wisely, between)
        for thread in threads:
            thread.join()
        return outcomes


@cache
def serially(*statements: str) -> tuple[tuple[str, ...], Seen]:
    """Return what comes of statements one after the other in one transaction each, and what is seen then."""
    db = opened(begin(EmbeddedStore))
    outcomes = tuple(outcome(db, statement) for statement in statements)
    state = seen_by(db, "parallel")
    db.close()
    return outcomes, state


def merges(one: Sequence[T], other: Sequence[T]) -> Iterator[list[tuple[int, T]]]:
    """Return every order of two scripts, each statement with the number of its writer."""
    if not one or not other:
        yield [(0, statement) for statement in one] + [(1, statement) for statement in other]
        return
    for rest in merges(one[1:], other):
        yield [(0, one[0]), *rest]
    for rest in merges(one, other[1:]):
        yield [(1, other[0]), *rest]


def ends(one: Script, other: Script) -> list[tuple[list[tuple[str, ...]], Seen]]:
    """Return what comes of two scripts in every order of their statements: the outcomes of each, and what is seen."""
    states_and_outcomes: list[tuple[list[tuple[str, ...]], Seen]] = []
    for order in merges(one, other):
        outcomes, state = serially(*(statement for _, statement in order))
        outcomes_of_each = [
            tuple(out for out, (number, _) in zip(outcomes, order, strict=True) if number == of) for of in (0, 1)
        ]
        states_and_outcomes.append((outcomes_of_each, state))
    return states_and_outcomes


def states(one: Script, other: Script) -> list[Seen]:
    """Return what may be seen on the way: after any beginning of any order."""
    all_states: list[Seen] = []
    for order in merges(one, other):
        statements = [statement for _, statement in order]
        all_states += [serially(*statements[:count])[1] for count in range(len(statements) + 1)]
    return all_states


class Switching:
    """Lets the first writer make so many requests, then the other, and so on; then each to its end.

    `cut_short` is the number of the first stretch whose writer ended before it: with a longer one all is the same.
    """

    def __init__(self, stretches: Sequence[int]) -> None:
        self._left = dict(enumerate(stretches))
        self._at = 0
        self.cut_short: int | None = None

    def __call__(self, ready: Sequence[int], last: int) -> int:
        while self._left.get(self._at) == 0:
            self._at += 1
        turn = self._at % 2
        if self._at in self._left:
            self._left[self._at] -= 1
            if turn not in ready and self.cut_short is None:
                self.cut_short = self._at
        return turn if turn in ready else ready[0]


def by_chance(seed: str) -> Choose:
    """Let anybody go on; some seeds change turns often, some seldom."""
    chance = random.Random(seed)
    often = chance.choice((0.1, 0.3, 0.9))
    return lambda ready, last: last if last in ready and chance.random() > often else chance.choice(ready)
