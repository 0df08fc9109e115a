"""Adds up what the clients say, into the result of a run: pure, it knows neither clocks nor stores.

batches  ──add──▶  Accounts  ──second──▶ Second (each second)
                             ──run──▶ LoadRun (at the end)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from piql_profiler.load_runs.calls import Batch, Call
from piql_profiler.load_runs.refusals import is_refusal
from piql_profiler.load_runs.result import (
    QUANTILES,
    Ended,
    Line,
    LoadRun,
    QuerySecond,
    Second,
    Setting,
    ThresholdResult,
)
from piql_profiler.load_runs.thresholds import Threshold
from piql_profiler.load_runs.window import Check, Moments, Window
from piql_profiler.measure.histogram import BINS, Histogram, bins_of
from piql_profiler.measure.precision import effective_number

_UNITS = {"latency": "us", "errors": "share", "backlog": "calls"}
_KEPT_FOR_DEPENDENCE = 500_000  # latencies of a line at most: more tell no more of how slow calls gather


@dataclass(slots=True)
class _Sums:
    """The calls of one query in one step; `latencies` has the moment when each was due, and its latency in µs."""

    latencies: list[np.ndarray] = field(default_factory=list)
    latency: np.ndarray = field(default_factory=lambda: np.zeros(BINS, dtype=np.int64))
    service: np.ndarray = field(default_factory=lambda: np.zeros(BINS, dtype=np.int64))
    lag: np.ndarray = field(default_factory=lambda: np.zeros(BINS, dtype=np.int64))
    errors: Counter[str] = field(default_factory=Counter)
    ended_in_step: int = 0
    most_requests: int = 0
    requests: int = 0

    def add(self, calls: Sequence[Call], end_of_step: float) -> None:
        answered = [call for call in calls if call.error is None]
        self.errors.update(call.error for call in calls if call.error is not None)
        self.ended_in_step += sum(call.ended <= end_of_step for call in calls)
        if not answered:
            return
        self.most_requests = max(self.most_requests, *(call.requests for call in answered), 0)
        self.requests += sum(call.requests for call in answered)
        latencies = np.array([call.latency_us for call in answered])
        if sum(len(batch) for batch in self.latencies) < _KEPT_FOR_DEPENDENCE:
            self.latencies.append(np.column_stack([[call.due for call in answered], latencies]))
        self.latency += _counted(latencies)
        self.service += _counted(np.array([call.service_us for call in answered]))
        self.lag += _counted(np.array([call.lag_us for call in answered]))


class Accounts:
    """The sums of a run so far."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._ends = np.cumsum([step.seconds for step in setting.steps])
        self._sums: dict[tuple[int, int], _Sums] = {}
        self._messages: dict[str, str] = {}
        self._timeline: list[Second] = []
        self._since: list[Call] = []  # the last second
        self._clients: dict[int, Batch] = {}

    def add(self, batch: Batch) -> None:
        """Take in what a client says."""
        by_line: dict[tuple[int, int], list[Call]] = {}
        for call in batch.calls:
            by_line.setdefault((call.step, call.query), []).append(call)
        for (step, query), calls in by_line.items():
            self._sums.setdefault((step, query), _Sums()).add(calls, float(self._ends[step]))
        self._since += batch.calls
        self._clients[batch.client] = batch
        for kind, message in batch.messages:
            self._messages.setdefault(kind, message)

    def second(self, now: float, window: Window) -> Second:
        """Close a second: what has come since the last one, and the percentiles of the window."""
        passed = now - (self._timeline[-1].at if self._timeline else 0.0)
        calls, self._since = self._since, []
        latencies = [call.latency_us / 1000 for call in calls if call.error is None]
        p50, p99 = np.quantile(latencies, [0.5, 0.99]) if latencies else (None, None)
        of_window = window.moments(now)
        step = min(int(np.searchsorted(self._ends, now - passed / 2, side="right")), len(self._ends) - 1)
        second = Second(
            at=now,
            asked=self._asked(step, now - passed / 2),
            done=len(calls) / max(passed, 1e-9),
            errors=sum(call.error is not None for call in calls),
            backlog=sum(batch.waiting for batch in self._clients.values()),
            p50_ms=None if p50 is None else float(p50),
            p99_ms=None if p99 is None else float(p99),
            computing=max((batch.computing for batch in self._clients.values()), default=0.0),
            refused=_refused(calls),
            window_p50_ms=of_window.p50_ms,
            window_p99_ms=of_window.p99_ms,
            queries=self._query_seconds(calls, now, window),
        )
        self._timeline.append(second)
        return second

    def _asked(self, step: int, moment: float) -> float | None:
        rate = self.setting.steps[step].rate
        return 0.0 if rate is not None and moment >= self._ends[-1] else rate

    def _query_seconds(self, calls: Sequence[Call], now: float, window: Window) -> tuple[QuerySecond, ...]:
        names = [query.name for query in self.setting.queries]
        return tuple(_query_second(number, name, calls, window.moments(now, name)) for number, name in enumerate(names))

    def run(
        self,
        *,
        started_at: float,
        seconds: float,
        ended: Ended = "done",
        message: str = "",
        checks: Sequence[Check] = (),
        notes: Sequence[str] = (),
    ) -> LoadRun:
        """The result so far, of a run that began at a moment of the calendar and took so many seconds."""
        unanswered: dict[tuple[int, int], list[float]] = {}
        for batch in self._clients.values():
            for call in batch.unanswered:
                age_us = max(batch.at - call.due, 0.0) * 1e6
                unanswered.setdefault((call.step, call.query), []).append(age_us)
        lines = [
            self._line(step, query, unanswered.get((step, query), []))
            for step, query in sorted(self._sums.keys() | unanswered.keys())
        ]
        return LoadRun(
            self.setting,
            started_at,
            ended,
            message,
            seconds,
            tuple(lines),
            tuple(self._timeline),
            tuple(threshold_result(check) for check in checks),
            dict(self._messages),
            tuple(notes),
        )

    def _line(self, step: int, query: int, ages_us: Sequence[float]) -> Line:
        sums = self._sums.get((step, query), _Sums())
        ordered = np.concatenate([np.zeros((0, 2)), *sums.latencies])
        ordered = ordered[np.argsort(ordered[:, 0], kind="stable"), 1]
        latency = Histogram(sums.latency + _counted(np.array(ages_us)))
        part = latency.total / max(len(ordered), 1)  # of calls that are not kept one by one
        worth = {
            quantile: effective_number(ordered, quantile) * part if len(ordered) else float(latency.total)
            for quantile in QUANTILES
        }
        return Line(
            step,
            self.setting.queries[query].name,
            due=int(sums.service.sum()) + sum(sums.errors.values()) + len(ages_us),
            ended_in_step=sums.ended_in_step,
            latency=latency,
            service=Histogram(sums.service.copy()),
            lag=Histogram(sums.lag.copy()),
            worth=worth,
            errors=dict(sums.errors),
            unanswered=len(ages_us),
            most_requests=sums.most_requests,
            requests=sums.requests,
        )


def threshold_result(check: Check) -> ThresholdResult:
    """How a threshold stands at the end, by its last check, or the one that stopped the run."""
    at = check.at if check.outcome in ("crossed", "client") else None
    return ThresholdResult(
        check.threshold.text, check.outcome, at, check.calls, check.value, _UNITS[check.threshold.measure]
    )


def last_checks(thresholds: Sequence[Threshold], checks: Sequence[Check]) -> list[Check]:
    """Of each threshold the check that says most: one that was crossed, else the highest value, else too few calls."""
    chosen = []
    for threshold in thresholds:
        of_it = [check for check in checks if check.threshold == threshold] or [Check(threshold, 0.0, 0, "too few")]
        chosen.append(max(of_it, key=lambda check: (-1.0 if check.value is None else check.value, check.calls)))
    return chosen


def _query_second(number: int, name: str, calls: Sequence[Call], moments: Moments) -> QuerySecond:
    of_query = [call for call in calls if call.query == number]
    errors = sum(call.error is not None for call in of_query)
    return QuerySecond(name, len(of_query), errors, _refused(of_query), moments.p50_ms, moments.p99_ms)


def _refused(calls: Sequence[Call]) -> int:
    return sum(call.error is not None and is_refusal(call.error) for call in calls)


def _counted(values_us: np.ndarray) -> np.ndarray:
    return np.bincount(bins_of(values_us), minlength=BINS).astype(np.int64)
