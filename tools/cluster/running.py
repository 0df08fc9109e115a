"""Some nodes as one ring: started together, ready when each knows all others, stopped together."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cluster.configuration import NATIVE_PORT, write_configuration
from cluster.jars import cache, jars
from cluster.missing import ClusterMissing, what_is_missing
from cluster.nodes import Node

NETWORK = "127.0.0"
PATIENCE_SECONDS = 180.0  # until the ring has formed
DROP_SECONDS = 300.0  # each node writes out and drops hundreds of tables


class ClusterFailed(Exception):
    """A node ended, or the ring did not form in time; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The nodes of one ring; `url` is how PIQL connects to a keyspace in it."""

    nodes: tuple[Node, ...]

    @property
    def addresses(self) -> tuple[str, ...]:
        """The IP addresses of the nodes."""
        return tuple(node.address for node in self.nodes)

    def url(self, keyspace: str, options: str = "") -> str:
        """Return the URL with which PIQL connects to a keyspace; `options` is what follows its question mark."""
        return f"cql://{','.join(self.addresses)}/{keyspace}{'?' if options else ''}{options}"

    def drop_keyspace(self, name: str) -> None:
        """Drop a keyspace with all its tables, if it is there."""
        from cassandra.cluster import Cluster as Driver

        driver = Driver(list(self.addresses), NATIVE_PORT, protocol_version=4, schema_metadata_enabled=False)
        try:
            driver.connect().execute(f"DROP KEYSPACE IF EXISTS {name}", timeout=DROP_SECONDS)
        finally:
            driver.shutdown()

    def start(self) -> None:
        """Start all nodes and return at once; `wait` returns when they answer."""
        for node in self.nodes:
            node.start()

    def wait(self, seconds: float = PATIENCE_SECONDS) -> None:
        """Return when every node answers, knows all others, and a read of three replicas succeeds."""
        until = time.monotonic() + seconds
        for node in self.nodes:
            while not node.answers():
                if not node.is_running():
                    raise ClusterFailed(f"the node {node.address} ended:\n{_end_of(node)}")
                if time.monotonic() > until:
                    raise ClusterFailed(f"the node {node.address} did not answer in {seconds:.0f} s:\n{_end_of(node)}")
                time.sleep(0.1)
        problem = "it was not asked"
        while time.monotonic() < until:
            try:
                if is_one_ring(self.addresses):
                    return
                problem = "the nodes do not know each other"
            except Exception as failure:  # whatever the driver says while the ring forms
                problem = str(failure)
            time.sleep(0.3)
        raise ClusterFailed(f"the nodes did not form a ring in {seconds:.0f} s: {problem}")

    def stop(self) -> None:
        """End all nodes after they have written out what they hold."""
        for node in self.nodes:
            node.resume()
            node.ask_to_end()
        for node in self.nodes:
            node.stop()

    def discard(self) -> None:
        """End all nodes at once and drop their data; the logs stay."""
        for node in self.nodes:
            node.kill()
            node.pid_file.unlink(missing_ok=True)
            for name in ("data", "commitlog", "hints", "saved_caches", "cdc_raw", "tmp"):
                shutil.rmtree(node.folder / name, ignore_errors=True)


def is_one_ring(addresses: tuple[str, ...]) -> bool:
    """Return whether each node knows all others and a read of three replicas succeeds; raise what the driver raises."""
    from cassandra import ConsistencyLevel
    from cassandra.cluster import EXEC_PROFILE_DEFAULT, ExecutionProfile
    from cassandra.cluster import Cluster as Driver
    from cassandra.policies import WhiteListRoundRobinPolicy
    from cassandra.query import SimpleStatement

    for address in addresses:
        profile = ExecutionProfile(load_balancing_policy=WhiteListRoundRobinPolicy([address]), request_timeout=5)
        driver = Driver(
            [address],
            NATIVE_PORT,
            protocol_version=4,
            execution_profiles={EXEC_PROFILE_DEFAULT: profile},
            connect_timeout=5,
            schema_metadata_enabled=False,
            token_metadata_enabled=False,
        )
        try:
            session = driver.connect()
            if session.execute("SELECT COUNT(*) FROM system.peers_v2").one()[0] != len(addresses) - 1:
                return False
            read = "SELECT keyspace_name FROM system_distributed.repair_history LIMIT 1"
            level = ConsistencyLevel.ALL if len(addresses) >= 3 else ConsistencyLevel.ONE
            session.execute(SimpleStatement(read, consistency_level=level))
        finally:
            driver.shutdown()
    return True


def _end_of(node: Node) -> str:
    lines: list[str] = []
    for path in (node.folder / "output.log", node.log):
        if path.exists():
            lines += path.read_text(errors="replace").splitlines()[-15:]
    return "\n".join(lines)


def make_cluster(
    folder: Path, nodes: int = 3, network: str = NETWORK, *, is_quick: bool = True, keeps_data: bool = False
) -> Cluster:
    """Write the folders of a ring of `nodes` nodes, which is not started yet.

    The data of an earlier ring in the folder is deleted, unless `keeps_data` and it had the same addresses. Raises
    ClusterMissing where this machine cannot run one.
    """
    missing = what_is_missing()
    if missing:
        raise ClusterMissing(missing)
    lib = jars()
    addresses = [f"{network}.{number + 1}" for number in range(nodes)]
    keeps_data = keeps_data and list(found_cluster(folder).addresses) == addresses
    if not keeps_data:
        for node_folder in folder.glob("node*"):
            shutil.rmtree(node_folder)
    configured = []
    for number, address in enumerate(addresses):
        node_folder = folder.resolve() / f"node{number + 1}"
        node_folder.mkdir(parents=True, exist_ok=True)
        write_configuration(node_folder, address, addresses, number, nodes)
        configured.append(Node(address, node_folder, lib, is_quick))
    return Cluster(tuple(configured))


def found_cluster(folder: Path) -> Cluster:
    """Return the nodes whose folders are there, running or not."""
    nodes: list[Node] = []
    for node_folder in sorted(folder.resolve().glob("node*")):
        address = next(
            line.split()[1]
            for line in (node_folder / "cassandra.yaml").read_text().splitlines()
            if line.startswith("listen")
        )
        nodes.append(Node(address, node_folder, cache() / "lib"))
    return Cluster(tuple(nodes))


@contextmanager
def running_cluster(
    folder: Path, nodes: int = 3, network: str = NETWORK, *, is_quick: bool = True
) -> Iterator[Cluster]:
    """Run a new ring for as long as the context lasts; the logs stay in the folder.

    Nodes that an earlier process left running there, because it was killed, are ended first.
    """
    for node in found_cluster(folder).nodes:
        if node.is_left_behind():
            node.kill()
    cluster = make_cluster(folder, nodes, network, is_quick=is_quick)
    taken = [node.address for node in cluster.nodes if node.answers()]
    if taken:
        raise ClusterFailed(
            f"port {NATIVE_PORT} of {', '.join(taken)} is taken: `make cluster-stop`, or choose a network"
        )
    try:
        cluster.start()
        cluster.wait()
        yield cluster
    finally:
        cluster.discard()


def default_folder() -> Path:
    """Return where `make cluster` keeps its nodes."""
    return Path(os.environ.get("PIQL_CLUSTER_FOLDER") or Path(__file__).resolve().parents[2] / ".cluster")
