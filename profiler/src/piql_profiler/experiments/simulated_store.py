"""A store in front of a store that counts requests, which take as long as a law says, on a clock that nobody waits for.

Without a law they take as long as the store behind takes.

Requests of one call leave together, so that a call takes as long as its slowest request. With `row_at_a_time` a row is
a request: a range of k rows takes k of them one after the other, and one more where it ended before its limit. That is
what an engine does that knows no limits and asks for the next row when it needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from piql.store.base import Answers, Batch, Consistency, ReadShape, Store
from piql.store.rows import PreparedRead
from piql.store.wrapper import StoreWrapper

from piql_profiler.experiments.law import Law
from piql_profiler.measure.clock import VirtualClock


class Counted(NamedTuple):
    """What a store was asked for: calls, requests in them, and rows that came back."""

    calls: int = 0
    requests: int = 0
    rows: int = 0


class SimulatedStore(StoreWrapper):
    """Answers as the store behind it does, and lets time pass by a law."""

    def __init__(self, behind: Store, law: Law | None, clock: VirtualClock | None, seed: int) -> None:
        super().__init__(behind)
        self.row_at_a_time = False
        self.counted = Counted()
        self._law = law
        self._clock = clock
        self._random = np.random.default_rng(seed)
        self._gets: dict[int, PreparedRead] = {}  # by identity: what a store prepares need not have a hash
        self._watch: Callable[[int, int], None] | None = None

    @contextmanager
    def watched(self, watch: Callable[[int, int], None]) -> Iterator[None]:
        """Call `watch` with the requests and rows of each call that is made inside the context."""
        self._watch = watch
        try:
            yield
        finally:
            self._watch = None

    def prepare(self, shape: ReadShape) -> PreparedRead:
        read = self.behind.prepare(shape)
        if shape.is_get:
            self._gets[id(read)] = read
        return read

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        answers = self.behind.read_many(batches, consistency)
        slowest, requests, rows_read = 0.0, 0, 0
        for batch, batch_rows in zip(batches, answers, strict=True):
            for arguments, rows in zip(batch.arguments, batch_rows, strict=True):
                asked = self._requests_of(batch, arguments, len(rows))
                requests += asked
                rows_read += len(rows)
                slowest = max(slowest, self._request_ms(asked, len(rows)))
        self.counted = Counted(self.counted.calls + 1, self.counted.requests + requests, self.counted.rows + rows_read)
        if self._watch is not None:
            self._watch(requests, rows_read)
        if self._clock is not None:
            self._clock.spend(slowest / 1000)
        return answers

    def _requests_of(self, batch: Batch, arguments: tuple[object, ...], rows: int) -> int:
        """Return how many requests one read is: one, or as many as it has rows."""
        if not self.row_at_a_time or id(batch.read) in self._gets:
            return 1
        limit = arguments[-1]
        return rows + 1 if isinstance(limit, int) and rows < limit else max(1, rows)

    def _request_ms(self, requests: int, rows: int) -> float:
        if self._law is None:
            return 0.0
        if requests == 1:
            return self._law.request_ms(self._random, rows)
        return sum(self._law.request_ms(self._random, 1) for _ in range(requests))
