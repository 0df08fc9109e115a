"""Stores of a stated law on a virtual clock, and runs of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from piql_profiler.load_runs.accounts import Accounts
from piql_profiler.load_runs.arrivals import ClosedLine, Line, OpenLine, Step, arrivals
from piql_profiler.load_runs.calling import Calling
from piql_profiler.load_runs.calls import CallFailed
from piql_profiler.load_runs.result import CalledQuery, LoadRun, Setting
from piql_profiler.load_runs.window import Window
from piql_profiler.measure.clock import VirtualClock


class LawfulStore:
    """Answers one call after another; `law` gives the seconds of each, by the moment when it begins."""

    def __init__(self, clock: VirtualClock, law: Callable[[float], float], fails: Callable[[float], bool]) -> None:
        self._clock = clock
        self._law = law
        self._fails = fails

    def draw(self, query: int) -> Mapping[str, object]:
        return {}

    def call(self, query: int, parameters: Mapping[str, object]) -> int:
        began = self._clock.now()
        self._clock.spend(self._law(began))
        if self._fails(began):
            raise CallFailed("store-unavailable", "the store is away")
        return 11


def setting_of(steps: Sequence[Step], queries: Sequence[str] = ("stream",), connections: int = 1) -> Setting:
    return Setting(
        "embedded:a.db",
        is_service=False,
        steps=tuple(steps),
        queries=tuple(CalledQuery(name, 1.0, 101) for name in queries),
        clients=1,
        connections=connections,
        seed=1,
        window_seconds=10.0,
        at_least=300,
    )


def run_of(
    law: Callable[[float], float],
    steps: Sequence[Step],
    seed: int = 1,
    fails: Callable[[float], bool] = lambda began: False,
    queries: Sequence[str] = ("stream",),
) -> LoadRun:
    """A run with one connection: a queue with one server, whose latencies are known."""
    clock = VirtualClock()
    weights = [1.0] * len(queries)
    line: Line
    if steps[0].rate is None:
        line = ClosedLine(steps[0].seconds, weights, seed, clock.now)
    else:
        line = OpenLine(arrivals(steps, weights, seed))
    calling = Calling(0, line, LawfulStore(clock, law, fails), clock)
    calling.work()
    accounts = Accounts(setting_of(steps, queries))
    accounts.add(calling.batch(0.1, is_last=True))
    accounts.second(clock.now(), Window(10.0, tuple(queries)))
    return accounts.run(started_at=0.0, seconds=sum(step.seconds for step in steps))
