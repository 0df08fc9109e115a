"""When calls of an open loop are due: by a Poisson process at each step's rate; its query is drawn by weight.

    steps    50/s for 30 s, then 100/s for 30 s
    due      ·  ·   · ··     ·  |· · ··· ·· · ·|      drawn from a seed; nothing that happens moves it

Several clients draw their shares apart: Poisson processes together are one of the sum of their rates.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

_DRAWN_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class Step:
    """Calls are due `rate` times a second, for so many seconds."""

    rate: float
    seconds: float


class Arrival(NamedTuple):
    """One call: the moment when it is due in s since the run began, the number of its step, and of its query."""

    due: float
    step: int
    query: int


def arrivals(steps: Sequence[Step], weights: Sequence[float], seed: int, share: float = 1.0) -> Iterator[Arrival]:
    """Yield the calls of all steps in order of time; `share` is the part of the rate that this client makes."""
    random = np.random.default_rng(seed)
    ends = np.cumsum(weights) / np.sum(weights)
    began = 0.0
    for number, step in enumerate(steps):
        for due, query in _of_step(random, step.rate * share, ends):
            if due >= step.seconds:
                break
            yield Arrival(began + due, number, query)
        began += step.seconds


def _of_step(random: np.random.Generator, rate: float, ends: np.ndarray) -> Iterator[tuple[float, int]]:
    due = 0.0
    while True:
        gaps = random.exponential(1.0 / rate, _DRAWN_AT_ONCE)
        queries = np.minimum(np.searchsorted(ends, random.random(_DRAWN_AT_ONCE), side="right"), len(ends) - 1)
        for gap, query in zip(gaps.tolist(), queries.tolist(), strict=True):
            due += gap
            yield due, query


class Line:
    """The calls that nobody has taken yet, in order of time; may be used from any number of threads."""

    def __init__(self, calls: Iterator[Arrival]) -> None:
        self._calls = calls
        self._drawn: deque[Arrival] = deque()
        self._lock = threading.Lock()
        self._is_ended = False

    def take(self) -> Arrival | None:
        """The next call, which may be due already or not; None where none is left, or the line has ended."""
        with self._lock:
            if self._is_ended:
                return None
            return self._drawn.popleft() if self._drawn else next(self._calls, None)

    def end(self) -> None:
        """Give out no more calls."""
        with self._lock:
            self._is_ended = True

    def waiting(self, now: float) -> list[Arrival]:
        """The calls that are due and that nobody has taken."""
        with self._lock:
            while not self._drawn or self._drawn[-1].due <= now:
                call = next(self._calls, None)
                if call is None:
                    break
                self._drawn.append(call)
            waiting = []
            for call in self._drawn:
                if call.due > now:
                    break
                waiting.append(call)
            return waiting
