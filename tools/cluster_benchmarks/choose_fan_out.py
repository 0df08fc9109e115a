"""Measures on a cluster from how many keys on reads should go together, and notes the number in the keyspace.

    python tools/cluster_benchmarks/choose_fan_out.py cql://host/keyspace

    grouped     reads of several keys in few statements: less work for the client and the nodes
    parallel    one statement for each key, all sent at once

It fills and reads tables whose names begin with `fanout_`. The choice is the smallest number of keys from which on
`grouped` is at most 10 % slower than `parallel`, at the median and at the 99th percentile. Every process that connects
to this keyspace (and prefix) with fan_out=auto follows it.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter

import piql
from piql.store.cql.address import Address, parse_address
from piql.store.cql.store import FAN_OUT, CqlStore
from sample import NAMES, fill

SIZES = (2, 5, 10, 25, 50, 100)  # keys of one execution
MOST_RATIO = 1.1  # of grouped to parallel
WARM_UP_CALLS = 20


def measure(databases: Mapping[str, piql.Database], size: int, calls: int) -> dict[str, tuple[float, float]]:
    """Execute a read of `size` keys on each database; return p50 and p99 in milliseconds, by the key of the database.

    The databases take turns, in a new order each time.
    """
    chance = random.Random(size)
    times: dict[str, list[float]] = {way: [] for way in databases}
    for call in range(calls + WARM_UP_CALLS):
        names = chance.sample(NAMES, size)
        for way in chance.sample(list(databases), len(databases)):
            began = perf_counter()
            databases[way].execute("findUsers", {"usernames": names})
            if call >= WARM_UP_CALLS:
                times[way].append((perf_counter() - began) * 1000)
    return {
        way: (statistics.median(durations), statistics.quantiles(durations, n=100)[98])
        for way, durations in times.items()
    }


def choose(measured: Mapping[int, Mapping[str, tuple[float, float]]]) -> int | None:
    """Return the number of keys from which on reads go together; None if they are slower even for the most keys.

    `measured` holds p50 and p99 by number of keys and by `grouped` or `parallel`.
    """
    choice = None
    for size in sorted(measured, reverse=True):
        pairs = zip(measured[size]["grouped"], measured[size]["parallel"], strict=True)
        if any(grouped > MOST_RATIO * parallel for grouped, parallel in pairs):
            break
        choice = size
    return choice


def url_of(address: Address, way: str) -> str:
    """Return the URL of the benchmark's tables, read with `fan_out=way`."""
    login = f"{address.user}:{address.password or ''}@" if address.user else ""
    options = f"prefix=fanout_&fan_out={way}&consistency={address.consistency}&driver={address.driver}"
    return f"cql://{login}{','.join(address.hosts)}:{address.port}/{address.keyspace}?{options}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--calls", type=int, default=400)
    options = parser.parse_args()
    address = parse_address(options.url)
    measured: dict[int, dict[str, tuple[float, float]]] = {}
    with piql.connect(url_of(address, "grouped")) as grouped, piql.connect(url_of(address, "parallel")) as parallel:
        fill(grouped)
        fill(parallel)
        print("keys   together: p50, p99 ms   side by side: p50, p99 ms")
        for size in SIZES:
            measured[size] = measure({"grouped": grouped, "parallel": parallel}, size, options.calls)
            (p50, p99), (parallel_p50, parallel_p99) = measured[size].values()
            print(f"{size:>4}{p50:>16.2f}{p99:>9.2f}{parallel_p50:>19.2f}{parallel_p99:>9.2f}", flush=True)
    choice = choose(measured)
    store = CqlStore(replace(address, fan_out="auto"))
    try:
        store.set_setting(FAN_OUT, json.dumps({"grouped_from": choice, "p50_and_p99_ms": measured}))
    finally:
        store.close()
    print("reads stay side by side" if choice is None else f"reads of {choice} keys and more go together")


if __name__ == "__main__":
    main()
