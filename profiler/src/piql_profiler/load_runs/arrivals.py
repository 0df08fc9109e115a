"""When calls are due; the query of each is drawn by weight.

    open loop     by a Poisson process at each step's rate, drawn from a seed; nothing that happens moves it
                  50/s for 30 s, then 100/s for 30 s    ·  ·   · ··     ·  |· · ··· ·· · ·|
    closed loop   as soon as a connection is free: the time of an answer decides when the next call is made

Several clients draw their shares apart: Poisson processes together are one of the sum of their rates.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

_DRAWN_AT_ONCE = 512
AT_ONCE = math.inf  # the moment of a call that is due as soon as its connection is ready for it


@dataclass(frozen=True, slots=True)
class Step:
    """Calls are due `rate` times a second, for so many seconds; None for a closed loop."""

    rate: float | None
    seconds: float


class Arrival(NamedTuple):
    """One call: the moment when it is due in s since the run began, the number of its step, and of its query."""

    due: float
    step: int
    query: int


def arrivals(steps: Sequence[Step], weights: Sequence[float], seed: int, share: float = 1.0) -> Iterator[Arrival]:
    """Yield the calls of all steps in order of time; `share` is the part of the rate that this client makes."""
    random = np.random.default_rng(seed)
    ends = _ends(weights)
    began = 0.0
    for number, step in enumerate(steps):
        assert step.rate is not None
        for due, query in _of_step(random, step.rate * share, ends):
            if due >= step.seconds:
                break
            yield Arrival(began + due, number, query)
        began += step.seconds


def _of_step(random: np.random.Generator, rate: float, ends: np.ndarray) -> Iterator[tuple[float, int]]:
    due = 0.0
    while True:
        gaps = random.exponential(1.0 / rate, _DRAWN_AT_ONCE)
        queries = _drawn_queries(random, ends, _DRAWN_AT_ONCE)
        for gap, query in zip(gaps.tolist(), queries.tolist(), strict=True):
            due += gap
            yield due, query


class Line(Protocol):
    """Gives out calls, one after the other; may be used from any number of threads."""

    def take(self) -> Arrival | None:
        """The next call; None where none is left, or the line has ended."""
        ...

    def end(self) -> None:
        """Give out no more calls."""
        ...

    def waiting(self, now: float) -> list[Arrival]:
        """The calls that are due and that nobody has taken."""
        ...


class ClosedLine:
    """A call for whoever asks, until the time of the run is over; so none ever waits."""

    def __init__(self, seconds: float, weights: Sequence[float], seed: int, now: Callable[[], float]) -> None:
        self._seconds = seconds
        self._ends = _ends(weights)
        self._random = np.random.default_rng(seed)
        self._now = now
        self._is_ended = False

    def take(self) -> Arrival | None:
        """A call that is due at once; only the connection whose turn it is asks for one."""
        if self._is_ended or self._now() >= self._seconds:
            return None
        return Arrival(AT_ONCE, 0, int(_drawn_queries(self._random, self._ends, 1)[0]))

    def end(self) -> None:
        self._is_ended = True

    def waiting(self, now: float) -> list[Arrival]:
        return []


def _ends(weights: Sequence[float]) -> np.ndarray:
    return np.asarray(np.cumsum(weights) / np.sum(weights))


def _drawn_queries(random: np.random.Generator, ends: np.ndarray, count: int) -> np.ndarray:
    return np.minimum(np.searchsorted(ends, random.random(count), side="right"), len(ends) - 1)


class OpenLine:
    """The calls that nobody has taken yet, in order of time."""

    def __init__(self, calls: Iterator[Arrival]) -> None:
        self._calls = calls
        self._drawn: deque[Arrival] = deque()
        self._lock = threading.Lock()
        self._is_ended = False

    def take(self) -> Arrival | None:
        """The next call, which may be due already or not."""
        with self._lock:
            if self._is_ended:
                return None
            return self._drawn.popleft() if self._drawn else next(self._calls, None)

    def end(self) -> None:
        with self._lock:
            self._is_ended = True

    def waiting(self, now: float) -> list[Arrival]:
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
