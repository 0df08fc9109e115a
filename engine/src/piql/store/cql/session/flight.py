"""The requests of one call over the Python driver: sent together, and counted down as their answers come.

start ──▶ gate ──▶ _send ──▶ the driver ──▶ _answered ──▶ the last one calls `done` with all rows
                     ▲                 └──▶ _failed   ──▶ the first one calls `done` with the failure
                     └── after a pause, where it may be sent again ──┘
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cassandra.cluster import ResponseFuture

from piql.store.cql.link import Done, Reach
from piql.store.cql.reads.grouping import Values
from piql.store.cql.session.failures import unavailable
from piql.store.rows import Row

if TYPE_CHECKING:
    from piql.store.cql.session.connection import Connection

_MISSING: Any = object()  # no answer yet: None may be one


class Flight:
    """The requests of one call; the driver's threads call back with the answers.

    The driver calls back for each answer: of those to a request and its speculative copies only the first counts.
    """

    def __init__(
        self,
        connection: Connection,
        requests: Sequence[tuple[str, Values]],
        done: Done,
        consistency: Reach | None,
    ) -> None:
        self._consistency = consistency
        self._connection = connection
        self._requests = requests
        self._answers: list[Any] = [_MISSING] * len(requests)
        self._missing = len(requests)
        self._done = done
        self._lock = threading.Lock()
        self._is_over = False
        self._resent: Counter[int] = Counter()
        self._until = time.monotonic() + connection.address.timeout

    def start(self) -> None:
        """Send the requests, as the gate lets them through."""
        if not self._requests:
            self._done([])
            return
        gate = self._connection.gate
        try:
            for cql in {cql for cql, _ in self._requests}:
                self._connection.prepared(cql)  # now: the driver's thread must not wait for it later
        except Exception as failure:
            self._done(unavailable(failure, self._connection.address))
            return
        for at in range(len(self._requests)):
            if self._is_over:
                return
            gate.enter(lambda at=at: self._send(at))  # type: ignore[misc]

    def _send(self, at: int) -> None:
        """Send request number `at`, which has entered the gate."""
        if self._is_over:
            self._connection.gate.leave()
            return
        cql, values = self._requests[at]
        try:
            future = self._connection.session.execute_async(self._connection.bound(cql, values, self._consistency))
        except Exception as failure:
            self._failed(failure, at)
            return
        future.add_callbacks(self._answered, self._failed, callback_args=(at, future), errback_args=(at,))

    def _answered(self, rows: list[Row] | None, at: int, future: ResponseFuture) -> None:
        """Take the rows of a request."""
        self._connection.routing.answered(future)
        with self._lock:
            if self._answers[at] is not _MISSING:
                return
            self._answers[at] = rows
            self._missing -= 1
            is_last = self._missing == 0
        self._connection.gate.leave()
        if is_last:
            self._done(self._answers)

    def _failed(self, failure: BaseException, at: int) -> None:
        """End the call with the failure of a request, unless that is sent again."""
        if self._sends_later(at, failure):
            return
        with self._lock:
            if self._answers[at] is not _MISSING:
                return
            self._answers[at] = None
            is_first, self._is_over = not self._is_over, True
        self._connection.gate.leave()
        if is_first:
            self._done(unavailable(failure, self._connection.address))

    def _sends_later(self, at: int, failure: BaseException) -> bool:
        """Send a failed request once more after a pause, if it may be and there is time; return whether it is."""
        pauses = self._connection.pauses
        with self._lock:
            number = self._resent[at]
            if self._is_over or not self._connection.may_be_sent_again(failure, number):
                return False
            if time.monotonic() + pauses[number] > self._until:
                return False
            self._resent[at] += 1
        self._connection.after(pauses[number], lambda: self._send(at))
        return True
