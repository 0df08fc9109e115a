"""Carries a load run out: starts the clients, checks thresholds each second, and adds everything up.

Plan ──▶ Clients ──batches──▶ Accounts, Window ──▶ LoadRun
                              └─ a threshold that is crossed, a second signal, the end ──▶ stop
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from piql_profiler.load_runs.accounts import Accounts, last_checks
from piql_profiler.load_runs.calls import Batch
from piql_profiler.load_runs.clients import Clients, Task
from piql_profiler.load_runs.result import Ended, LoadRun, Second, Setting
from piql_profiler.load_runs.targets import Address
from piql_profiler.load_runs.thresholds import Threshold
from piql_profiler.load_runs.window import Check, Window

_LATE = 0.3  # s after each second, until the batches of that second have come
_DRAIN_SECONDS = 5.0  # after the last call was due, for calls that wait


@dataclass(frozen=True, slots=True)
class Plan:
    """A run to carry out; `reads` are the numbers of the queries of the setting that only read."""

    setting: Setting
    address: Address
    reads: tuple[int, ...]
    thresholds: tuple[Threshold, ...] = ()


def run_load(plan: Plan, report: Callable[[Second], None], interrupted: threading.Event) -> LoadRun:
    """Carry a run out, and report each second; ClientsUnable where it cannot begin.

    When `interrupted` is set it ends early, and its result is partial.
    """
    started_at = time.time()
    with Clients(tasks_of(plan)) as clients:
        state = _State(plan, clients, report)
        state.follow(interrupted)
    return state.result(started_at)


def tasks_of(plan: Plan) -> list[Task]:
    """What each client is to do: an equal share of the rate, and of the connections."""
    setting = plan.setting
    shares = [setting.connections // setting.clients] * setting.clients
    for client in range(setting.connections % setting.clients):
        shares[client] += 1
    return [
        Task(
            client,
            1.0 / setting.clients,
            plan.address,
            tuple(query.name for query in setting.queries),
            plan.reads,
            tuple(query.weight for query in setting.queries),
            setting.steps,
            connections,
            setting.seed * 1_000 + client,
        )
        for client, connections in enumerate(shares)
    ]


class _State:
    """A run under way."""

    def __init__(self, plan: Plan, clients: Clients, report: Callable[[Second], None]) -> None:
        self._plan = plan
        self._clients = clients
        self._report = report
        self._accounts = Accounts(plan.setting)
        self._window = Window(plan.setting.window_seconds, tuple(query.name for query in plan.setting.queries))
        self._checks: list[Check] = []
        self._ended: Ended = "done"
        self._message = ""
        self._notes: list[str] = []
        self._seconds = 0.0

    def follow(self, interrupted: threading.Event) -> None:
        """Let the clients begin, and take in what they say until the last one has ended."""
        began = self._clients.begin()
        length = sum(step.seconds for step in self._plan.setting.steps)
        second, is_stopped = 1.0, False
        while self._clients.are_calling:
            batches, lost = self._clients.batches(0.1)
            for batch in batches:
                self._add(batch)
            now = time.perf_counter() - began
            if lost:
                self._lose(lost)
            if now >= second + _LATE:
                self._close(second)
                second = float(int(now - _LATE)) + 1.0
            if interrupted.is_set() and self._ended == "done":
                self._ended, self._message = "interrupted", "what came until then is kept"
            if not is_stopped and (self._ended != "done" or now > length + _DRAIN_SECONDS):
                is_stopped = True
                self._seconds = min(now, length)
                self._clients.stop()
        if not is_stopped:
            self._seconds = length
        self._accounts.second(max(second, time.perf_counter() - began), self._window)

    def _add(self, batch: Batch) -> None:
        self._accounts.add(batch)
        self._window.add(batch)

    def _lose(self, lost: Sequence[int]) -> None:
        self._notes.append(f"{len(lost)} of {self._plan.setting.clients} client processes ended before the run did")
        self._ended, self._message = "failed", self._notes[-1]

    def _close(self, second: float) -> None:
        """End one second: report it, and check the thresholds."""
        self._report(self._accounts.second(second, self._window))
        checks = [
            self._window.check(threshold, second, self._plan.setting.at_least) for threshold in self._plan.thresholds
        ]
        self._checks = last_checks(self._plan.thresholds, [*self._checks, *checks])
        passed = [check for check in checks if check.outcome in ("crossed", "client")]
        if passed and self._ended == "done":
            self._checks = [
                next((check for check in passed if check.threshold == kept.threshold), kept) for kept in self._checks
            ]
            self._ended, self._message = "stopped", f"{passed[0].threshold.text} at second {second:g}"

    def result(self, started_at: float) -> LoadRun:
        return self._accounts.run(
            started_at=started_at,
            seconds=self._seconds,
            ended=self._ended,
            message=self._message,
            checks=last_checks(self._plan.thresholds, self._checks),
            notes=self._notes,
        )
