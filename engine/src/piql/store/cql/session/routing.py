"""How many requests are under way, to which node one goes first, and what happens when it fails there.

A node that answers nothing though the driver takes it for well is known by the copies of its requests that others
answered, and is then asked last (silent_nodes.py).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from cassandra import ConsistencyLevel, WriteType
from cassandra.cluster import Session
from cassandra.policies import DCAwareRoundRobinPolicy, RetryPolicy, TokenAwarePolicy

from piql.store.cql.session.silent_nodes import SilentNodes


class Gate:
    """Lets a number of requests be under way at once; what comes later waits its turn without holding a thread."""

    def __init__(self, width: int) -> None:
        self._free = width
        self._width = width
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_sending = False
        self._lock = threading.Lock()

    @property
    def under_way(self) -> int:
        return self._width - self._free

    def widen(self, width: int) -> None:
        with self._lock:
            self._free += width - self._width
            self._width = width

    def enter(self, send: Callable[[], None]) -> None:
        with self._lock:
            if self._free <= 0:
                self._waiting.append(send)
                return
            self._free -= 1
        send()

    def try_enter(self) -> bool:
        """Enter if fewer requests than allowed are under way; return whether it did."""
        with self._lock:
            if self._free <= 0:
                return False
            self._free -= 1
            return True

    def leave(self) -> None:
        """End one request and start waiting ones; one that ends at once starts the next here, too."""
        with self._lock:
            self._free += 1
            if self._is_sending:
                return
            self._is_sending = True
        try:
            while (send := self._next()) is not None:
                send()
        except BaseException:
            self._is_sending = False
            raise

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            if self._free <= 0 or not self._waiting:
                self._is_sending = False
                return None
            self._free -= 1
            return self._waiting.popleft()


class _OwnLists:
    """The driver's metadata, which gives each request a list of replicas of its own.

    The driver has one list for all, and shuffles it for each request while others still read on in it: one whose first
    node was silent then found that node again where another should have been, and all its copies went there.
    """

    def __init__(self, metadata: Any) -> None:
        self._metadata = metadata

    def __getattr__(self, name: str) -> Any:
        return getattr(self._metadata, name)

    def get_replicas(self, keyspace: str, key: bytes) -> list[Any]:
        return list(self._metadata.get_replicas(keyspace, key))


class Routing(TokenAwarePolicy):  # type: ignore[misc]
    """Replicas first; those that are silent, and those that have their share of requests, after the others."""

    def __init__(self, datacenter: str | None, most_in_flight: int, gate: Gate, silent: SilentNodes) -> None:
        super().__init__(DCAwareRoundRobinPolicy(local_dc=datacenter or ""))
        self._most_in_flight = most_in_flight
        self.gate = gate
        self.silent = silent
        self.session: Session | None = None

    def populate(self, cluster: Any, hosts: Any) -> None:
        super().populate(cluster, hosts)
        self._cluster_metadata = _OwnLists(cluster.metadata)

    def make_query_plan(self, working_keyspace: str | None = None, query: Any = None) -> Iterable[Any]:
        plan: Iterable[Any] = super().make_query_plan(working_keyspace, query)
        is_crowded = self.gate.under_way > self._most_in_flight
        if not self.silent and not is_crowded:
            return plan
        hosts = list(plan)
        if is_crowded and self.session is not None:
            in_flight = {host: sum(state["in_flights"]) for host, state in self.session.get_pool_state().items()}
            hosts.sort(key=lambda host: in_flight.get(host, 0) >= self._most_in_flight)
        hosts.sort(key=self.silent.__contains__)
        return hosts

    def answered(self, future: Any) -> None:
        """Learn from an answer: nodes that were asked before the one that answered are silent."""
        asked, by = future.attempted_hosts, future.coordinator_host
        if len(asked) > 1 and asked[0] != by:
            for host in asked[: asked.index(by)] if by in asked else asked:
                self.silent.note(host)


class NextNode(RetryPolicy):  # type: ignore[misc]
    """A request that failed goes to the next node, at most once to each: it may be repeated, as all here may.

    Where a conditional change met others, it is not repeated as it is: what came of it is looked at first.
    """

    def on_read_timeout(self, *_: Any, **given: Any) -> tuple[int, None]:
        return self._once(given, not ConsistencyLevel.is_serial(given["consistency"]))

    def on_write_timeout(self, *_: Any, **given: Any) -> tuple[int, None]:
        return self._once(given, given["write_type"] != WriteType.CAS)

    def on_unavailable(self, *_: Any, **given: Any) -> tuple[int, None]:
        return self._once(given)

    def on_request_error(self, *_: Any, **__: Any) -> tuple[int, None]:
        return self.RETRY_NEXT_HOST, None

    def _once(self, given: dict[str, Any], may_be_repeated: bool = True) -> tuple[int, None]:
        is_first = given["retry_num"] == 0
        return (self.RETRY_NEXT_HOST if may_be_repeated and is_first else self.RETHROW), None
