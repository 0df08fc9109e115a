"""The three strategies on a cluster (the paper's figure 12): p50 and p99 of each against those of `parallel`.

PYTHONPATH=.ci .venv/bin/python engine/benchmarks/on_cluster/strategies.py [--nodes 3] [--rounds 30]
"""

from __future__ import annotations

import argparse
import random
import statistics
from time import perf_counter
from typing import get_args

import piql
from cql_speed import hosts
from piql.database import Strategy
from sample import COUNT, KEYSPACE, NAMES, fill, friends

CALLS = 25


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--nodes", type=int, default=3)
    options.add_argument("--rounds", type=int, default=30)
    given = options.parse_args()
    strategies: tuple[Strategy, ...] = get_args(Strategy)
    chance = random.Random(1)
    with hosts(given.nodes) as addresses:
        url = f"cql://{','.join(addresses)}/{KEYSPACE}?timeout=30"
        with piql.connect(f"{url}&fan_out=parallel") as alone, piql.connect(url) as grouped:
            fill(alone)
            cases = {
                "thoughtstream, 10 subscriptions × 10": lambda db, user, strategy: db.execute(
                    "thoughtstream", {"me": user, "count": COUNT}, strategy=strategy
                ),
                "50 users by name": lambda db, user, strategy: db.execute(
                    "findUsers", {"usernames": friends(user, 50)}, strategy=strategy
                ),
            }
            variants = [(f"{each}, each request by itself", alone, each) for each in strategies]
            variants.append(("parallel, requests of a node together", grouped, "parallel"))
            print("| query | strategy | requests | p50 ms | p99 ms | p50 ratio | p99 ratio |")
            print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
            for title, run in cases.items():
                times: dict[str, list[float]] = {label: [] for label, _, _ in variants}
                requests: dict[str, int] = {}
                for round_ in range(-1, given.rounds):
                    users = chance.choices(NAMES, k=CALLS)
                    for label, db, strategy in chance.sample(variants, len(variants)):
                        for user in users:
                            began = perf_counter()
                            page = run(db, user, strategy)
                            taken = perf_counter() - began
                            if round_ >= 0:
                                times[label].append(taken * 1000)
                            requests[label] = max(requests.get(label, 0), page.operations)
                base = next(label for label, db, strategy in variants if strategy == "parallel")
                first = _quantiles(times[base])
                for label, _, _ in variants:
                    found = _quantiles(times[label])
                    print(
                        f"| {title} | {label} | {requests[label]} | {found[0]:.2f} | {found[1]:.2f}"
                        f" | {found[0] / first[0]:.2f} | {found[1] / first[1]:.2f} |",
                        flush=True,
                    )


def _quantiles(values: list[float]) -> tuple[float, float]:
    return statistics.median(values), statistics.quantiles(values, n=100)[98]


if __name__ == "__main__":
    main()
