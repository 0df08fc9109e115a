"""Measures on a cluster whether reads of many keys are faster together or side by side, and keeps what it finds.

    python engine/benchmarks/on_cluster/choose_fan_out.py cql://host/keyspace

It reads tables of its own, whose names begin with `fanout_`. The keyspace (and prefix) of the address then obeys, in
every process that connects with fan_out=auto: reads go together, which costs less on both sides, from the number of
keys on from which that is not plainly slower: neither their middle nor their slowest hundredth by a tenth.
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

SIZES = (2, 5, 10, 25, 50, 100)
MOST = 1.1


def measured_ways(databases: Mapping[str, piql.Database], size: int, calls: int) -> dict[str, tuple[float, float]]:
    """Return the median and 99th percentile of each way in milliseconds; calls take turns in an order that changes."""
    chance = random.Random(size)
    times: dict[str, list[float]] = {way: [] for way in databases}
    for at in range(calls + 20):
        names = chance.sample(NAMES, size)
        for way in chance.sample(list(databases), len(databases)):
            began = perf_counter()
            databases[way].execute("findUsers", {"usernames": names})
            if at >= 20:
                times[way].append((perf_counter() - began) * 1000)
    return {
        way: (statistics.median(durations), statistics.quantiles(durations, n=100)[98])
        for way, durations in times.items()
    }


def chosen(measured: Mapping[int, Mapping[str, tuple[float, float]]]) -> int | None:
    """Return the number of keys from which on reads are no slower together; None where they are slower at the end."""
    chosen_size = None
    for size in sorted(measured, reverse=True):
        pairs = zip(measured[size]["grouped"], measured[size]["parallel"], strict=True)
        if any(together > MOST * apart for together, apart in pairs):
            break
        chosen_size = size
    return chosen_size


def url_of(address: Address, way: str) -> str:
    login = f"{address.user}:{address.password or ''}@" if address.user else ""
    options = f"prefix=fanout_&fan_out={way}&consistency={address.consistency}&driver={address.driver}"
    return f"cql://{login}{','.join(address.hosts)}:{address.port}/{address.keyspace}?{options}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("url")
    options.add_argument("--calls", type=int, default=400)
    given = options.parse_args()
    address = parse_address(given.url)
    measured: dict[int, dict[str, tuple[float, float]]] = {}
    with piql.connect(url_of(address, "grouped")) as grouped, piql.connect(url_of(address, "parallel")) as parallel:
        fill(grouped)
        fill(parallel)
        print("keys   together: p50, p99 ms   side by side: p50, p99 ms")
        for size in SIZES:
            measured[size] = measured_ways({"grouped": grouped, "parallel": parallel}, size, given.calls)
            (middle, slowest), (middle_apart, slowest_apart) = measured[size].values()
            print(f"{size:>4}{middle:>16.2f}{slowest:>9.2f}{middle_apart:>19.2f}{slowest_apart:>9.2f}", flush=True)
    choice = chosen(measured)
    store = CqlStore(replace(address, fan_out="auto"))
    try:
        store.set_setting(FAN_OUT, json.dumps({"grouped_from": choice, "p50_and_p99_ms": measured}))
    finally:
        store.close()
    print("reads stay side by side" if choice is None else f"reads of {choice} keys and more go together")


if __name__ == "__main__":
    main()
