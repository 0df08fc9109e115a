"""Asks one node through the driver whether it answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cassandra import ConsistencyLevel
from cassandra.cluster import Session
from cassandra.query import SimpleStatement

_PROBE_SECONDS = 5.0  # a node that was stopped answers the probe that waits as soon as it goes on
_QUESTION = SimpleStatement("SELECT key FROM system.local", consistency_level=ConsistencyLevel.ONE, fetch_size=None)


class DriverProbe:
    """A `Prober` on a session: one read of a row that each node has of itself, sent to that node alone."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def probe(self, node: Any, has_ended: Callable[[bool], None]) -> None:
        future = self._session.execute_async(_QUESTION, host=node, timeout=_PROBE_SECONDS)
        future.add_callbacks(lambda _: has_ended(True), lambda _: has_ended(False))

    def is_connected(self, node: Any) -> bool:
        pool = self._session._pools.get(node)
        return bool(node.is_up) and pool is not None and not pool.is_shutdown

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        self._session.cluster.connection_class.create_timer(seconds, call)
