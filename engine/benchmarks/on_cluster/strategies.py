"""The three strategies on a cluster (the paper's figure 12): p50 and p99 of each against those of `parallel`.

PYTHONPATH=tools .venv/bin/python engine/benchmarks/on_cluster/strategies.py [--nodes 3] [--rounds 30] [--keep]
"""

from __future__ import annotations

import argparse
import random
from time import perf_counter
from typing import get_args

import piql
from cql_speed import hosts
from keeping import VOID, add_keep, quantiles, same_twice, table
from piql.client.database import Strategy
from sample import COUNT, KEYSPACE, NAMES, fill, friends

CALLS = 25
TITLE, AGAIN = "Lazy, simple and parallel (figure 12)", "parallel again"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=30)
    add_keep(parser)
    options = parser.parse_args()
    strategies: tuple[Strategy, ...] = get_args(Strategy)
    chance = random.Random(1)
    with hosts(options.nodes) as addresses:
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
            variants = [(f"{strategy}, each request by itself", alone, strategy) for strategy in strategies]
            variants.append(("parallel, requests of a node together", grouped, "parallel"))
            variants.append((AGAIN, alone, "parallel"))
            words = (
                f"`strategies.py`: each plan in every strategy, {options.rounds} shuffled rounds of {CALLS} calls one"
                f" after another, {options.rounds * CALLS:,} calls a row; ratios are to *parallel, each request by"
                f" itself*. {VOID}"
            )
            columns = ("query", "strategy", "#requests", "#p50 ms", "#p99 ms", "#p50 ratio", "#p99 ratio")
            with table(TITLE, words, (*columns, "#the same twice"), options.nodes, options.keep) as row:
                for title, run in cases.items():
                    times: dict[str, list[float]] = {label: [] for label, _, _ in variants}
                    requests: dict[str, int] = {}
                    for round_ in range(-1, options.rounds):
                        users = chance.choices(NAMES, k=CALLS)
                        for label, db, strategy in chance.sample(variants, len(variants)):
                            for user in users:
                                began = perf_counter()
                                page = run(db, user, strategy)
                                taken = perf_counter() - began
                                if round_ >= 0:
                                    times[label].append(taken * 1000)
                                requests[label] = max(requests.get(label, 0), page.operations)
                    base = times["parallel, each request by itself"]
                    first = quantiles(base)
                    for label, _, _ in variants[:-1]:
                        ends = quantiles(times[label])
                        row(
                            title,
                            label,
                            requests[label],
                            *(f"{end:.2f}" for end in ends),
                            *(f"{end / one:.2f}" for end, one in zip(ends, first, strict=True)),
                            same_twice(times[AGAIN], base),
                        )


if __name__ == "__main__":
    main()
