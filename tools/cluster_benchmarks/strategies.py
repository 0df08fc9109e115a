"""The three strategies on a cluster (the paper's figure 12): p50 and p99 of each against those of `parallel`.

PYTHONPATH=tools .venv/bin/python tools/cluster_benchmarks/strategies.py [--nodes 3] [--rounds 30] [--keep]

Every variant executes the same calls in every round; the order of the variants changes from round to round, so that a
busy moment of the machine falls on all of them alike. The first round warms up and is not counted.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import get_args

import piql
from cql_speed import hosts
from keeping import VOID, add_keep, quantiles, same_twice, table
from piql.client.database import Strategy
from sample import COUNT, KEYSPACE, NAMES, fill, friends

CALLS = 25  # of each variant in each round
TITLE = "Lazy, simple and parallel (figure 12)"
BASE, AGAIN = "parallel, each request by itself", "parallel again"
COLUMNS = ("query", "strategy", "#requests", "#p50 ms", "#p99 ms", "#p50 ratio", "#p99 ratio", "#the same twice")
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

Run = Callable[[piql.Database, str, Strategy], piql.Page]
CASES: Mapping[str, Run] = {
    "thoughtstream, 10 subscriptions × 10": lambda db, user, strategy: db.execute(
        "thoughtstream", {"me": user, "count": COUNT}, strategy=strategy
    ),
    "50 users by name": lambda db, user, strategy: db.execute(
        "findUsers", {"usernames": friends(user, 50)}, strategy=strategy
    ),
}


@dataclass
class Variant:
    """One way to execute a case, with the milliseconds of each call and the most requests of any."""

    label: str
    db: piql.Database
    strategy: Strategy
    times_ms: list[float] = field(default_factory=list)
    requests: int = 0


def variants_of(alone: piql.Database, grouped: piql.Database) -> list[Variant]:
    """Return the rows of a case: each strategy, then requests of one node together, then the base again.

    `alone` sends each request by itself, `grouped` the requests of a node together.
    """
    return [
        *(Variant(f"{strategy}, each request by itself", alone, strategy) for strategy in STRATEGIES),
        Variant("parallel, requests of a node together", grouped, "parallel"),
        Variant(AGAIN, alone, "parallel"),
    ]


def measure(run: Run, variants: Sequence[Variant], rounds: int, chance: random.Random) -> None:
    """Execute a case in shuffled rounds; times and requests are added to the variants."""
    for round_ in range(-1, rounds):
        users = chance.choices(NAMES, k=CALLS)
        for variant in chance.sample(variants, len(variants)):
            for user in users:
                began = perf_counter()
                page = run(variant.db, user, variant.strategy)
                elapsed_ms = (perf_counter() - began) * 1000
                variant.requests = max(variant.requests, page.operations)
                if round_ >= 0:
                    variant.times_ms.append(elapsed_ms)


def print_case(title: str, variants: Sequence[Variant], row: Callable[..., None]) -> None:
    """Print a row for each variant, but for the base measured again, which says how far the others can be trusted."""
    by_label = {variant.label: variant for variant in variants}
    base_times = by_label[BASE].times_ms
    base = quantiles(base_times)
    same = same_twice(by_label[AGAIN].times_ms, base_times)
    for variant in variants:
        if variant.label != AGAIN:
            latencies = quantiles(variant.times_ms)
            ratios = [latency / of_base for latency, of_base in zip(latencies, base, strict=True)]
            numbers = [f"{number:.2f}" for number in (*latencies, *ratios)]
            row(title, variant.label, variant.requests, *numbers, same)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=30)
    add_keep(parser)
    options = parser.parse_args()
    chance = random.Random(1)
    words = (
        f"`strategies.py`: each plan in every strategy, {options.rounds} shuffled rounds of {CALLS} calls one"
        f" after another, {options.rounds * CALLS:,} calls a row; ratios are to *{BASE}*. {VOID}"
    )
    with hosts(options.nodes) as addresses:
        url = f"cql://{','.join(addresses)}/{KEYSPACE}?timeout=30"
        with piql.connect(f"{url}&fan_out=parallel") as alone, piql.connect(url) as grouped:
            fill(alone)
            with table(TITLE, words, COLUMNS, options.nodes, options.keep) as row:
                for title, run in CASES.items():
                    variants = variants_of(alone, grouped)
                    measure(run, variants, options.rounds, chance)
                    print_case(title, variants, row)


if __name__ == "__main__":
    main()
