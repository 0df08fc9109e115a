"""`python -m cluster start | stop | status`: what `make cluster` and `make cluster-stop` call."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from cluster.configuration import NATIVE_PORT
from cluster.missing import ClusterMissing
from cluster.running import NETWORK, Cluster, ClusterFailed, default_folder, found_cluster, make_cluster


def start(folder: Path, nodes: int, network: str, is_quick: bool) -> None:
    """Start a cluster in a folder, wait until it answers, and print how to connect. It outlives this process."""
    earlier = found_cluster(folder)
    if any(node.is_running() for node in earlier.nodes):
        print(f"a cluster runs already ({', '.join(earlier.addresses)}); stop it with `make cluster-stop`")
        return
    began = time.monotonic()
    cluster = make_cluster(folder, nodes, network, is_quick=is_quick, keeps_data=True)
    taken = [node.address for node in cluster.nodes if node.answers()]
    if taken:
        raise ClusterFailed(f"port {NATIVE_PORT} of {', '.join(taken)} is taken by another program")
    cluster.start()
    try:
        cluster.wait()
    except BaseException:
        cluster.stop()
        raise
    print(f"{nodes} node{'s' if nodes > 1 else ''} of Cassandra ready after {time.monotonic() - began:.0f} s")
    print(f"  connect   {cluster.url('KEYSPACE')}   (port {NATIVE_PORT})")
    print(f"  logs      {folder}/node*/system.log")


def stop(folder: Path) -> None:
    """End the nodes that run in a folder; their data stays."""
    cluster = found_cluster(folder)
    running = [node for node in cluster.nodes if node.is_running()]
    Cluster(tuple(running)).stop()
    print(f"stopped {len(running)} nodes" if running else "no cluster runs")


def status(folder: Path) -> None:
    """Print a line for each node of a folder: its address, its state and its log."""
    for node in found_cluster(folder).nodes:
        print(node.address, "answers" if node.answers() else "runs" if node.is_running() else "stopped", node.log)


def main() -> int:
    parser = argparse.ArgumentParser(prog="cluster", description=__doc__)
    parser.add_argument("action", choices=["start", "stop", "status"])
    parser.add_argument("--folder", type=Path, default=default_folder())
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--network", default=NETWORK, help="the nodes listen on NETWORK.1, .2, .3")
    parser.add_argument("--full-speed", action="store_true", help="compile to the end: slower to start, twice as fast")
    options = parser.parse_args()
    try:
        match options.action:
            case "start":
                start(options.folder, options.nodes, options.network, not options.full_speed)
            case "stop":
                stop(options.folder)
            case _:
                status(options.folder)
    except (ClusterMissing, ClusterFailed) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
