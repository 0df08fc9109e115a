"""To which node a request goes first, and to which it goes when it fails there.

A node may answer nothing while the driver still counts it as up. It is recognised by requests whose copies other nodes
answered, and is then asked last (silent_nodes.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cassandra import ConsistencyLevel, WriteType
from cassandra.cluster import Session
from cassandra.policies import DCAwareRoundRobinPolicy, RetryPolicy, TokenAwarePolicy

from piql.store.cql.session.gate import Gate
from piql.store.cql.session.silent_nodes import SilentNodes


class _MetadataWithCopies:
    """The driver's metadata, but each request gets its own copy of the list of replicas.

    The driver shuffles one shared list for each request while earlier requests still read it. A request whose first
    node was silent could then meet that node a second time, and all its copies went to it.
    """

    def __init__(self, metadata: Any) -> None:
        self._metadata = metadata

    def __getattr__(self, name: str) -> Any:
        return getattr(self._metadata, name)

    def get_replicas(self, keyspace: str, key: bytes) -> list[Any]:
        return list(self._metadata.get_replicas(keyspace, key))


class Routing(TokenAwarePolicy):  # type: ignore[misc]
    """Asks the replicas of a key first. Silent nodes come last, and before them those with `most_in_flight` requests.

    Of nodes that have as many or more, which happens while another node is away, the one with the fewest comes first.

    The order changes only while a node is silent or the gate is crowded; otherwise it is the driver's.
    """

    def __init__(self, datacenter: str | None, most_in_flight: int, gate: Gate, silent: SilentNodes) -> None:
        super().__init__(DCAwareRoundRobinPolicy(local_dc=datacenter or ""))
        self._most_in_flight = most_in_flight
        self.gate = gate
        self.silent = silent
        self.session: Session | None = None

    def populate(self, cluster: Any, hosts: Any) -> None:
        super().populate(cluster, hosts)
        self._cluster_metadata = _MetadataWithCopies(cluster.metadata)

    def make_query_plan(self, working_keyspace: str | None = None, query: Any = None) -> Iterable[Any]:
        """Return the nodes in the order in which a request asks them; the driver calls this."""
        plan: Iterable[Any] = super().make_query_plan(working_keyspace, query)
        is_crowded = self.gate.under_way > self._most_in_flight
        if not self.silent and not is_crowded:
            return plan
        hosts = list(plan)
        if is_crowded and self.session is not None:
            in_flight = {host: sum(state["in_flights"]) for host, state in self.session.get_pool_state().items()}
            hosts.sort(key=lambda host: max(in_flight.get(host, 0), self._most_in_flight - 1))
        hosts.sort(key=self.silent.__contains__)
        return hosts

    def answered(self, future: Any) -> None:
        """Note as silent the nodes that were asked before the one that answered; `future` is the driver's, answered."""
        asked, by = future.attempted_hosts, future.coordinator_host
        if len(asked) > 1 and asked[0] != by:
            for host in asked[: asked.index(by)] if by in asked else asked:
                self.silent.note(host)


class NextNode(RetryPolicy):  # type: ignore[misc]
    """Sends a request that failed to the next node, once. All requests of the store may be repeated.

    A conditional change is the exception: whoever sent it reads first whether it was made.
    """

    def on_read_timeout(self, *_: Any, **details: Any) -> tuple[int, None]:
        return self._once(details, not ConsistencyLevel.is_serial(details["consistency"]))

    def on_write_timeout(self, *_: Any, **details: Any) -> tuple[int, None]:
        return self._once(details, details["write_type"] != WriteType.CAS)

    def on_unavailable(self, *_: Any, **details: Any) -> tuple[int, None]:
        return self._once(details)

    def on_request_error(self, *_: Any, **__: Any) -> tuple[int, None]:
        return self.RETRY_NEXT_HOST, None

    def _once(self, details: dict[str, Any], may_be_repeated: bool = True) -> tuple[int, None]:
        is_first = details["retry_num"] == 0
        return (self.RETRY_NEXT_HOST if may_be_repeated and is_first else self.RETHROW), None
