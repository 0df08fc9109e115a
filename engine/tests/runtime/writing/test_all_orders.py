"""Two writers at once, in all orders of their requests that can differ: the result is that of one after the other.

Their clocks stand still except while one waits for the other, so that only the order of requests varies. `exploring`
says which orders count as the same. An impatient writer does not wait: it takes every write of the other for
interrupted, and settles it. Where clocks disagree, it may find that it cannot, because what a later clock has written
stays until its log is swept. Then its statement is not executed, and says so.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from piql.client.database import Database
from piql.runtime.writing.stepped import slots
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.stamps import Stamps
from piql.store.embedded.store import EmbeddedStore

from .exploring import Exploration, GivenUp, Stage, Touches, TouchingStore
from .interleaved import Script, merges, serially
from .test_two_writers import PAIRS
from .world import Seen, begin, check_consistent, opened, outcome, seen_by

End = tuple[list[tuple[str, ...]], Seen]
SKEWS = {"clocks that agree": (0.0, 0.0), "the first clock ahead": (5.0, 0.0), "the second clock ahead": (0.0, 5.0)}
HURRIED = {"both wait": None, "the first hurries": 0, "the second hurries": 1}


class Writer:
    """One of two writers, the same in each run: its clock stands still but while it pauses."""

    def __init__(
        self,
        store: Any,
        number: int,
        skew: float,
        is_hurried: bool,
        let_pass: Callable[[int, Touches, Any], Any],
        pause: Callable[[], None],
    ) -> None:
        self.seconds = 0.0
        moment = time.time() + 100 + skew  # behind all that the world begins with
        self._stamps = Stamps(f"{number}" * 8, lambda: moment)
        wait_policy = WaitPolicy(0.0 if is_hurried else 1.0, 60.0, lambda: self.seconds, self._sleep)
        touching = TouchingStore(store, lambda touches, request: let_pass(number, touches, request))
        self._pause = pause
        self.db = Database(touching, stamps=self._stamps, wait_policy=wait_policy)
        self.db._leftovers.sweep_at = float("inf")

    def _sleep(self, seconds: float) -> None:
        self.seconds += 0.3
        self._pause()

    def begin(self) -> None:
        assert self.db._identity is not None
        self.seconds = 0.0
        self._stamps._last = self._stamps._number = 0
        log = self.db._identity.log
        log._number, log._announced_at = 0, 0.0
        log._open.clear()
        self.db._identity.units.renew()


class Theatre:
    """A world that begins anew for each run, and two writers in it, of which each does as its script says."""

    def __init__(
        self,
        skews: tuple[float, float],
        hurried: int | None,
        begin: Callable[[], EmbeddedStore] = begin,
        do: Callable[[Database, str], str] = outcome,
    ) -> None:
        self.store = begin()
        self._begin = begin()
        self._do = do
        self._stage: Stage | None = None
        self._acting = threading.local()
        self.reader = opened(self.store)
        self._writers = [self._writer(number, skew, number == hurried) for number, skew in enumerate(skews)]

    def _writer(self, number: int, skew: float, is_hurried: bool) -> Writer:
        def pause() -> None:
            if self._is_acting() and not is_hurried:
                assert self._stage is not None
                self._stage.wait(number, (), is_polite=True)

        return Writer(self.store, number, skew, is_hurried, self._let_pass, pause)

    def _is_acting(self) -> bool:
        return getattr(self._acting, "is_on", False)

    def _let_pass(self, number: int, touches: Touches, request: Callable[[], Any]) -> Any:
        if self._stage is not None and self._is_acting():
            self._stage.wait(number, touches)
        return request()

    def run(self, scripts: Sequence[Script], choose: Callable[[dict[int, Touches]], int | None]) -> Any:
        """Run both from the beginning of the world, and give what came of their statements; None if given up."""
        source: sqlite3.Connection = self._begin.connection()
        source.backup(self.store.connection())
        stage = self._stage = Stage(2, choose)
        outcomes: list[tuple[str, ...]] = [(), ()]
        failures: list[BaseException] = []

        def act(number: int) -> None:
            self._acting.is_on = True
            try:
                writer = self._writers[number]
                writer.begin()
                outcomes[number] = tuple([self._do(writer.db, script) for script in scripts[number]])
            except GivenUp:
                pass
            except BaseException as failure:
                failures.append(failure)
            finally:
                stage.finish()

        threads = [threading.Thread(target=act, args=(number,), daemon=True) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return None if stage.is_given_up else outcomes


def may_come_of(scripts: Sequence[Script], outcomes: Sequence[tuple[str, ...]]) -> list[End]:
    """Return what may come of scripts one after the other, those statements left out that had too much to settle."""
    all_ends: list[End] = []
    for order in merges(*[list(enumerate(script)) for script in scripts]):
        statements = [(number, at, text) for number, (at, text) in order if outcomes[number][at] != "RepairPending"]
        results, state = serially(*(text for _, _, text in statements))
        possible_outcomes = [list(outcomes_of_writer) for outcomes_of_writer in outcomes]
        for (number, at, _), result in zip(statements, results, strict=True):
            possible_outcomes[number][at] = result
        all_ends.append(([tuple(outcomes_of_writer) for outcomes_of_writer in possible_outcomes], state))
    return all_ends


def explore(what: str, scripts: tuple[Script, Script], skews: tuple[float, float], hurried: int | None) -> int:
    """Try all orders, and say how many were told apart."""
    theatre, exploration = Theatre(skews, hurried), Exploration()
    runs = 0
    while True:
        exploration.begin()
        outcomes = theatre.run(scripts, exploration.choose)
        if outcomes is not None:
            runs += 1
            theatre.reader.sweep(older_than=-1_000_000)
            state = seen_by(theatre.reader, "parallel")
            assert (outcomes, state) in may_come_of(scripts, outcomes), f"{what}, run {runs}: {outcomes} {state}"
            check_consistent(theatre.reader)
            assert skews[0] != skews[1] or not any(
                "RepairPending" in outcomes_of_writer for outcomes_of_writer in outcomes
            )
        if not exploration.go_on():
            return runs


@pytest.fixture(autouse=True)
def one_place_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all who look for a free place want the same one."""
    monkeypatch.setattr(slots.random, "choice", lambda free: free[0])


@pytest.mark.parametrize("what", ["one unique value taken twice", "the last place of a limit"])
def test_two_writers_in_all_orders(what: str) -> None:
    assert explore(what, PAIRS[what], SKEWS["clocks that agree"], None) > 4


@pytest.mark.long
@pytest.mark.parametrize("hurried", HURRIED)
@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("what", PAIRS)
def test_every_pair_of_writers_in_all_orders(what: str, skew: str, hurried: str) -> None:
    runs = explore(what, PAIRS[what], SKEWS[skew], HURRIED[hurried])
    print(f"{what}, {skew}, {hurried}: {runs:,} orders")
    assert runs > 1
