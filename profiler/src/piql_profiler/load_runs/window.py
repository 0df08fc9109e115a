"""The last seconds of a run, and whether a threshold is passed in them.

    batches of all clients  ──▶  Window  ──check──▶  Check: crossed, kept, too few, or the client itself was late

The client is the cause (`client`) where most of the passed latency is its own lateness, or where it computed without a
pause: then nothing is known of the store.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piql_profiler.load_runs.calls import Batch, Call, Unanswered
from piql_profiler.load_runs.thresholds import Threshold
from piql_profiler.measure.open_loop import MOST_COMPUTING

MOST_OF_IT = 0.5  # of a latency: a client that is late by more than this measures itself
Values = NDArray[np.float64]
Outcome = Literal["crossed", "kept", "too few", "client"]


@dataclass(frozen=True, slots=True)
class Check:
    """A threshold in one window of so many calls; `value` is in the unit of its limit, None with too few calls."""

    threshold: Threshold
    at: float
    calls: int
    outcome: Outcome
    value: float | None = None


class Moments(NamedTuple):
    """The percentiles of a window for progress and charts, in ms; None where nothing ended."""

    p50_ms: float | None
    p99_ms: float | None


class _Ended(NamedTuple):
    """The calls of one batch, one value each."""

    ended: Values
    query: NDArray[np.int64]
    latency_us: Values
    lag_us: Values
    is_error: NDArray[np.bool_]


class Window:
    """The calls that have ended in the last `seconds`, and what every client left unanswered in its last batch."""

    def __init__(self, seconds: float, queries: tuple[str, ...]) -> None:
        self.seconds = seconds
        self._queries = queries
        self._batches: deque[_Ended] = deque()
        self._unanswered: dict[int, tuple[Unanswered, ...]] = {}
        self._waiting: dict[int, int] = {}
        self._computing: dict[int, float] = {}

    def add(self, batch: Batch) -> None:
        """Take in what a client says."""
        if batch.calls:
            self._batches.append(_columns(batch.calls))
        self._unanswered[batch.client] = batch.unanswered
        self._waiting[batch.client] = batch.waiting
        self._computing[batch.client] = batch.computing

    @property
    def backlog(self) -> int:
        """The calls that wait for a connection, of all clients."""
        return sum(self._waiting.values())

    @property
    def is_computing(self) -> bool:
        """Whether a client computes without a pause."""
        return max(self._computing.values(), default=0.0) > MOST_COMPUTING

    def moments(self, now: float, query: str | None = None) -> Moments:
        """The percentiles of the calls in the window that were answered, of one query or of all."""
        latencies = self._answered(now, query)[0]
        if not len(latencies):
            return Moments(None, None)
        p50, p99 = np.quantile(latencies, [0.5, 0.99]) / 1000
        return Moments(float(p50), float(p99))

    def check(self, threshold: Threshold, now: float, at_least: int) -> Check:
        """Hold a threshold against the window; with fewer calls than `at_least` the outcome is "too few"."""
        if threshold.measure == "backlog":
            return self._judged(threshold, now, self.backlog, float(self.backlog), at_least=0)
        latencies, lags, errors = self._answered(now, threshold.query)
        calls = len(latencies) + errors
        if threshold.measure == "errors":
            return self._judged(threshold, now, calls, errors / max(calls, 1), at_least)
        ages = self._ages(now, threshold.query)
        older = ages[ages > threshold.limit]
        known = np.concatenate([latencies, older])
        if len(known) < max(at_least, 1):
            return Check(threshold, now, len(known), "too few")
        value = float(np.quantile(known, threshold.quantile))
        is_late = not len(older) and float(np.quantile(lags, threshold.quantile)) > MOST_OF_IT * value
        return self._judged(threshold, now, len(known), value, at_least, is_late=is_late)

    def _judged(
        self, threshold: Threshold, now: float, calls: int, value: float, at_least: int, *, is_late: bool = False
    ) -> Check:
        if calls < at_least:
            return Check(threshold, now, calls, "too few")
        if value <= threshold.limit:
            return Check(threshold, now, calls, "kept", value)
        is_of_client = threshold.measure != "errors" and (is_late or self.is_computing)
        return Check(threshold, now, calls, "client" if is_of_client else "crossed", value)

    def _answered(self, now: float, query: str | None) -> tuple[Values, Values, int]:
        """Latency and lag of the calls in the window that were answered, and how many ended in an error."""
        while self._batches and self._batches[0].ended.max() <= now - self.seconds:
            self._batches.popleft()
        latencies, lags, errors = [np.zeros(0)], [np.zeros(0)], 0
        for batch in self._batches:
            chosen = batch.ended > now - self.seconds
            if query is not None:
                chosen &= batch.query == self._queries.index(query)
            errors += int((chosen & batch.is_error).sum())
            chosen &= ~batch.is_error
            latencies.append(batch.latency_us[chosen])
            lags.append(batch.lag_us[chosen])
        return np.concatenate(latencies), np.concatenate(lags), errors

    def _ages(self, now: float, query: str | None) -> Values:
        """How long the calls wait already that have not ended, in µs."""
        return np.array(
            [
                (now - call.due) * 1e6
                for calls in self._unanswered.values()
                for call in calls
                if query is None or self._queries[call.query] == query
            ]
        )


def _columns(calls: tuple[Call, ...]) -> _Ended:
    return _Ended(
        np.array([call.ended for call in calls]),
        np.array([call.query for call in calls], dtype=np.int64),
        np.array([call.latency_us for call in calls]),
        np.array([call.lag_us for call in calls]),
        np.array([call.error is not None for call in calls], dtype=np.bool_),
    )
