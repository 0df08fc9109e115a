"""How `silent_nodes` asks one node, through the Python driver, whether it answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cassandra import ConsistencyLevel
from cassandra.cluster import Session
from cassandra.query import SimpleStatement

_PROBE_SECONDS = 5.0  # long, so that a node that was paused is known to be back as soon as it answers
_OWN_ROW = SimpleStatement("SELECT key FROM system.local", consistency_level=ConsistencyLevel.ONE, fetch_size=None)


class DriverProbe:
    """A `Prober` on a session of the driver. `node` is the driver's `Host`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def probe(self, node: Any, has_ended: Callable[[bool], None]) -> None:
        """Read a row that each node keeps about itself, from this node alone."""
        future = self._session.execute_async(_OWN_ROW, host=node, timeout=_PROBE_SECONDS)
        future.add_callbacks(lambda _: has_ended(True), lambda _: has_ended(False))

    def is_connected(self, node: Any) -> bool:
        """Return whether the driver has open connections to a node. Its pools have no public name."""
        pool = self._session._pools.get(node)
        return bool(node.is_up) and pool is not None and not pool.is_shutdown

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call something later, in the thread of the driver's event loop."""
        self._session.cluster.connection_class.create_timer(seconds, call)
