"""Deadlines, passed down to the store: a read that nobody waits for any more makes no further request.

The deadline is that of the thread. A write that has begun is not stopped: half of it would be left to settle.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from piql.errors import PiqlError
from piql.store.base import Answers, Batch, Consistency, Reader, Store
from piql.store.rows import PreparedRead, Row
from piql.store.wrapper import StoreWrapper


class DeadlinePassed(PiqlError):
    """The time that the client gave is over."""


class DeadlineStore(StoreWrapper):
    """Raises DeadlinePassed instead of sending reads of a thread whose deadline has passed."""

    def __init__(self, behind: Store, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(behind)
        self._clock = clock
        self._current = threading.local()

    @contextmanager
    def until(self, deadline: float | None) -> Iterator[None]:
        """Set the deadline of this thread, by the monotonic clock, for a while."""
        self._current.deadline = deadline
        try:
            yield
        finally:
            self._current.deadline = None

    def reader(self, read: PreparedRead, consistency: Consistency | None = None) -> Reader:
        answer = self.behind.reader(read, consistency)

        def checked(arguments: Row) -> tuple[list[Row], int]:
            self._check()
            return answer(arguments)

        return checked

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        self._check()
        return self.behind.read_many(batches, consistency)

    def _check(self) -> None:
        deadline = getattr(self._current, "deadline", None)
        if deadline is not None and self._clock() >= deadline:
            raise DeadlinePassed("the deadline has passed: no further request was made")
