"""A real cluster for the faults of networks and nodes."""

from cluster.fixture import cluster, cluster_keyspace, cluster_url

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]
