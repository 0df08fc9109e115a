"""Finds the nodes that keep a partition, by its key, among those to which there are connections.

    partition key ──token──▶ token ──of──▶ nodes

A keyspace of ScyllaDB may consist of tablets. Which nodes keep a tablet comes with the answer to a request that went to
another node, and the driver's metadata keeps it (`learn`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cassandra.cqltypes import lookup_casstype
from cassandra.tablets import Tablet

from piql.store.cql.session.protocol import PROTOCOL

_TABLETS = {
    "tablets-routing-v1": "TupleType(LongType, LongType, ListType(TupleType(UUIDType, Int32Type)))",
    "tablets-routing-v2": "TupleType(LongType, LongType, ListType(TupleType(UUIDType, Int32Type)), LongType)",
}


class Replicas:
    """The replicas of one keyspace."""

    def __init__(self, session: Any, keyspace: str) -> None:
        self._session = session
        self._metadata = session.cluster.metadata
        self._keyspace = keyspace
        self._everywhere: tuple[frozenset[Any], bool] = (frozenset(), False)

    def hosts(self) -> list[Any]:
        """Return the nodes to which there are connections."""
        return [host for host, pool in tuple(self._session._pools.items()) if host.is_up and not pool.is_shutdown]

    def token(self, partition: bytes | None) -> Any:
        """Return the token of a partition; None where it does not matter which node is asked."""
        token_map = self._metadata.token_map
        if partition is None or token_map is None or not self._metadata.can_support_partitioner():
            return None
        if self._is_everywhere():
            return None
        return token_map.token_class.from_key(partition)

    def of(self, token: Any, table: str | None) -> Sequence[Any]:
        """Return the connected nodes that keep a token; all connected nodes if none does, or without a token."""
        hosts = self.hosts()
        if token is None or len(hosts) <= 1:
            return hosts
        tablet = self._metadata._tablets.get_tablet_for_key(self._keyspace, table, token)
        if tablet is not None:
            ids = {replica[0] for replica in tablet.replicas}
            return [host for host in hosts if host.host_id in ids] or hosts
        replicas = self._metadata.token_map.get_replicas(self._keyspace, token)
        return [host for host in hosts if host in replicas] or hosts

    def spread(self, partitions: list[bytes], table: str | None = None) -> list[tuple[Any, list[int]]]:
        """Return a few nodes that together hold all partitions, each with the positions of those it answers.

        The node with the most partitions is taken first, then the one with the most of the rest, and so on.
        """
        if self.token(partitions[0]) is None:
            return [(None, list(range(len(partitions))))]
        positions_of: dict[Any, list[int]] = {}
        for at, partition in enumerate(partitions):
            for host in self.of(self.token(partition), table):
                positions_of.setdefault(host, []).append(at)
        left = set(range(len(partitions)))
        parts: list[tuple[Any, list[int]]] = []
        while left and positions_of:
            host = max(positions_of, key=lambda node: len(positions_of[node]))
            taken = positions_of.pop(host)
            left.difference_update(taken)
            parts.append((host, taken))
            positions_of = {node: [at for at in positions if at in left] for node, positions in positions_of.items()}
        if left:
            parts.append((None, sorted(left)))
        return parts

    def _is_everywhere(self) -> bool:
        """Return whether every node keeps every row, without shards of which only one does."""
        hosts = frozenset(self._session._pools)
        known_hosts, is_everywhere = self._everywhere
        if hosts is not known_hosts and hosts != known_hosts:
            token_map = self._metadata.token_map
            is_everywhere = not any(host.sharding_info for host in hosts) and all(
                hosts <= set(token_map.get_replicas(self._keyspace, token)) for token in token_map.ring
            )
            self._everywhere = (hosts, is_everywhere)
        return is_everywhere

    def learn(self, payload: Mapping[str, bytes], keyspace: str | None, table: str | None, connection: Any) -> None:
        """Keep what an answer's payload says about the tablet of its partition."""
        features = connection.features
        name = "tablets-routing-v2" if features.tablets_routing_v2 else "tablets-routing-v1"
        if name in payload and keyspace and table:
            tablet = Tablet.from_row(*lookup_casstype(_TABLETS[name]).from_binary(payload[name], PROTOCOL))
            if tablet is not None:
                self._metadata._tablets.add_tablet(keyspace, table, tablet)
