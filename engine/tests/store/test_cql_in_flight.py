"""How many requests are under way on each node of a cluster at once."""

from collections import Counter
from collections.abc import Callable
from threading import Thread
from typing import Any

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]
pytestmark = pytest.mark.cluster

MOST, KEYS, CLIENTS = 12, 100, 4
CHOOSING = CLIENTS + 4  # threads, with the driver's event loop, executors and heartbeats, that may choose one at once
NUMBERS = f"""
CREATE TABLE numbers (id INT PRIMARY KEY, twice INT);
CREATE QUERY some AS SELECT id, twice FROM numbers WHERE id IN [ids] MAX {KEYS};
"""


def test_a_fan_out_keeps_as_many_requests_on_each_node_as_the_address_allows_and_waits_with_the_others(
    cluster_url: Callable[[], str],
) -> None:
    with piql.connect(f"{cluster_url()}&in_flight={MOST}&fan_out=parallel&speculative=0&driver=scylla") as db:
        db.deploy(piql.compile(NUMBERS))
        db.load("numbers", [{"id": at, "twice": 2 * at} for at in range(KEYS)])
        db.execute("some", {"ids": list(range(KEYS))})  # a node that does not know a statement is sent it once more
        most, parts = watched(db)
        sums: list[int] = []

        def ask() -> None:
            rows = db.execute("some", {"ids": list(range(KEYS))}).rows
            sums.append(sum(row["twice"] for row in rows))

        clients = [Thread(target=ask) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    assert sums == [KEYS * (KEYS - 1)] * CLIENTS
    assert max(most.values()) <= MOST * max(parts) + CHOOSING
    assert min(most.values()) > 1, "one node is not to do all the work"


def watched(db: piql.Database) -> tuple[Counter[Any], set[float]]:
    """Count from now on the most requests under way that each node had when one was sent to it.

    Also return how many nodes there were at those times for one that takes requests: a node that is down, or that
    answers nothing for a while, leaves its part to the others.
    """
    most: Counter[Any] = Counter()
    parts: set[float] = set()
    connection = db.store.connection  # type: ignore[attr-defined]
    pools = connection.session._pools
    for host, pool in list(pools.items()):
        for pooled in pool.get_connections():

            def send(
                *given: Any, pooled: Any = pooled, host: Any = host, sent: Any = pooled.send_msg, **more: Any
            ) -> Any:
                most[host] = max(most[host], pooled.in_flight)
                taking = sum(node.is_up and node not in connection.silent for node in list(pools))
                parts.add(len(pools) / max(1, taking))
                return sent(*given, **more)

            pooled.send_msg = send
    return most, parts
