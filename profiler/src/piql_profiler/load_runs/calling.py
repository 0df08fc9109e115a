"""What one client does: takes the calls of its line in order, waits until each is due, and makes it.

Its connections take turns: the one whose turn it is takes the next call, draws its parameters and waits. When the call
is due it passes the turn on, and only then makes the call. So calls begin in the order in which they are due, and one
thread alone waits for the clock.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Protocol

from piql_profiler.load_runs.arrivals import AT_ONCE, Arrival, Line
from piql_profiler.load_runs.calls import Batch, Call, Unanswered, kind_of

MOST_UNANSWERED = 5_000  # of a batch, the oldest: enough to tell what the window's percentiles are


class Target(Protocol):
    """What is called: a store, or the query service; queries are numbered as in the mix."""

    def draw(self, query: int) -> Mapping[str, object]:
        """Parameters for one call; only the connection whose turn it is asks for them."""
        ...

    def call(self, query: int, parameters: Mapping[str, object]) -> int:
        """Make one call and return its requests to the store; any exception is an error of its kind."""
        ...


class Clock(Protocol):
    """Seconds since the run began. `wait_until` may end early when the run is stopped."""

    def now(self) -> float: ...

    def wait_until(self, moment: float) -> None: ...


class Calling:
    """One client's calls: `work` is what each of its connections does, `batch` what it says each second."""

    def __init__(self, client: int, line: Line, target: Target, clock: Clock) -> None:
        self._client = client
        self._line = line
        self._target = target
        self._clock = clock
        self._turn = threading.Lock()
        self._lock = threading.Lock()
        self._ended: list[Call] = []
        self._under_way: dict[int, Arrival] = {}
        self._at_turn: Arrival | None = None
        self._new_messages: dict[str, str] = {}
        self._kinds: set[str] = set()
        self._is_stopped = False

    def work(self) -> None:
        """Make calls, one after the other, until the line has ended."""
        free = self._clock.now()
        while (arrival := self._next()) is not None:
            call, parameters = arrival
            started = self._clock.now()
            requests, error = self._call(call, parameters)
            ended = self._clock.now()
            with self._lock:
                del self._under_way[threading.get_ident()]
                self._ended.append(Call(call.step, call.query, call.due, free, started, ended, requests, error))
            free = ended

    def stop(self) -> None:
        """Make no more calls; those that are under way still end."""
        self._is_stopped = True
        self._line.end()

    def batch(self, computing: float, *, is_last: bool = False) -> Batch:
        """What has happened since the last batch."""
        now = self._clock.now()
        with self._lock:
            ended, self._ended = tuple(self._ended), []
            under_way = [*self._under_way.values()]
            at_turn = self._at_turn
            messages, self._new_messages = tuple(self._new_messages.items()), {}
        waiting = self._line.waiting(now)
        if at_turn is not None and at_turn.due <= now:
            waiting.append(at_turn)
        unanswered = sorted([*under_way, *waiting])
        if not is_last:
            unanswered = unanswered[:MOST_UNANSWERED]
        return Batch(
            self._client,
            now,
            ended,
            tuple(Unanswered(call.step, call.query, call.due) for call in unanswered),
            len(waiting),
            computing,
            messages,
            is_last,
        )

    def _next(self) -> tuple[Arrival, Mapping[str, object]] | None:
        """The next call with its parameters, when it is due; None where the line has ended."""
        with self._turn:
            call = self._line.take()
            if call is None:
                return None
            self._at_turn = call
            parameters = self._target.draw(call.query)
            if call.due == AT_ONCE:
                call = call._replace(due=self._clock.now())
            else:
                self._clock.wait_until(call.due)
            with self._lock:
                if self._is_stopped:  # it stays at the turn: a call that was due by now was not answered
                    return None
                self._at_turn = None
                self._under_way[threading.get_ident()] = call
            return call, parameters

    def _call(self, call: Arrival, parameters: Mapping[str, object]) -> tuple[int, str | None]:
        try:
            return self._target.call(call.query, parameters), None
        except Exception as error:  # whatever a store or a service does, is counted
            kind = kind_of(error)
            if kind not in self._kinds:
                with self._lock:
                    self._kinds.add(kind)
                    self._new_messages[kind] = str(error).splitlines()[0] if str(error) else kind
            return 0, kind
