"""A store that answers as slowly as one across a network, so that strategies and predictions meet realistic times."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence

from piql.store.base import Answers, Batch, Consistency, Store
from piql.store.wrapper import StoreWrapper

Delay = Callable[[random.Random], float]
"""Draws the milliseconds that one request takes."""


def constant(milliseconds: float) -> Delay:
    """Return the delay of a store that always takes the same time."""
    return lambda chance: milliseconds


class LatencyStore(StoreWrapper):
    """Waits before each call as long as the slowest of its requests, since the requests of one call travel together.

    `delay` draws the milliseconds of one request. `sleep` waits so many seconds; a test passes its virtual clock's.
    """

    def __init__(self, behind: Store, delay: Delay, seed: int = 1, sleep: Callable[[float], None] = time.sleep) -> None:
        super().__init__(behind)
        self._delay = delay
        self._chance = random.Random(seed)
        self._sleep = sleep

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        self._sleep(self._seconds(batches))
        return self.behind.read_many(batches, consistency)

    def start_many(
        self,
        batches: Sequence[Batch],
        done: Callable[[Answers | Exception], None],
        consistency: Consistency | None = None,
    ) -> None:
        threading.Timer(self._seconds(batches), self.behind.start_many, (batches, done, consistency)).start()

    def _seconds(self, batches: Sequence[Batch]) -> float:
        requests = sum(len(batch.arguments) for batch in batches)
        return max((self._delay(self._chance) for _ in range(requests)), default=0.0) / 1000
