"""A real cluster for tests and for trying out: Cassandra nodes on 127.0.0.1, .2, .3, from Maven Central's jars.

    make cluster         three nodes, ready when the command returns      cql://127.0.0.1/KEYSPACE
    make cluster-stop    stops them

In a test: `with running_cluster(folder) as cluster: ...`. Needs a JDK 17 and Maven, nothing else.
"""

from cluster.missing import ClusterMissing, what_is_missing
from cluster.nodes import Node
from cluster.running import Cluster, ClusterFailed, running_cluster

__all__ = ["Cluster", "ClusterFailed", "ClusterMissing", "Node", "running_cluster", "what_is_missing"]
