"""The paper's figure 7: who of 50 friends follows a target? The bounded plan against a scan of all who follow it.

PYTHONPATH=tools .venv/bin/python tools/cluster_benchmarks/popularity.py [--rounds 20] [--chart FILE.svg] [--keep]

The bounded plan gets 50 keys, however popular the target is. The other one is what a cost-based optimizer chooses while
targets are unpopular: one scan of the followers by target, of which those that are friends are kept.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import Any

import piql
from chart import Series, chart
from cql_speed import hosts
from keeping import VOID, add_keep, quantiles, same_twice, table
from sample import name
from scale import write

FRIENDS, CALLS = 50, 5  # calls of each case in a round
BOUNDED, AGAIN = "bounded: 50 gets", "bounded again"
TITLE = "Popular targets (figure 7)"
# Followers of the targets.
POPULARITIES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 20_000)
SOURCE = f"""
CREATE TABLE subscriptions (target VARCHAR(32), owner VARCHAR(32), PRIMARY KEY (target, owner));
CREATE QUERY friendsAmong AS
SELECT owner FROM subscriptions WHERE target = [1: target] AND owner IN [2: friends] MAX {FRIENDS};
CREATE QUERY followers AS SELECT owner FROM subscriptions WHERE target = [1: target] LIMIT {max(POPULARITIES) + 1};
"""


def target(popularity: int) -> str:
    """Return the name of the target with so many followers."""
    return f"target{popularity}"


def bounded(db: piql.Database, popularity: int, friends: list[str]) -> tuple[set[Any], int]:
    """Return which friends follow a target, by one get for each, and how many requests that took."""
    page = db.execute("friendsAmong", {"target": target(popularity), "friends": friends})
    return {row["owner"] for row in page.rows}, page.operations


def scanned(db: piql.Database, popularity: int, friends: list[str]) -> tuple[set[Any], int]:
    """Return the same by reading all followers of the target."""
    page = db.execute("followers", {"target": target(popularity)})
    return {row["owner"] for row in page.rows}.intersection(friends), page.operations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--chart", type=Path)
    add_keep(parser)
    options = parser.parse_args()
    chance = random.Random(1)
    ways = {BOUNDED: bounded, "unbounded: a scan of all followers": scanned}
    times: dict[tuple[str, int], list[float]] = defaultdict(list)
    requests: dict[tuple[str, int], set[int]] = defaultdict(set)
    with hosts(options.nodes) as addresses, piql.connect(f"cql://{','.join(addresses)}/piql_popular?timeout=30") as db:
        db.deploy(piql.compile(SOURCE))
        if not db.execute("friendsAmong", {"target": target(POPULARITIES[-1]), "friends": [name(0)]}).rows:
            for popularity in POPULARITIES:
                write(
                    db, "subscriptions", ({"target": target(popularity), "owner": name(at)} for at in range(popularity))
                )
        cases = [(label, popularity) for label in (*ways, AGAIN) for popularity in POPULARITIES]
        words = (
            f"`popularity.py`: which of {FRIENDS} friends follow a target, {options.rounds} shuffled rounds of {CALLS}"
            f" calls, {options.rounds * CALLS} calls a row. {VOID}"
        )
        columns = ("#followers", "plan", "#requests", "#p50 ms", "#p99 ms", "#the same twice")
        with table(TITLE, words, columns, options.nodes, options.keep, options.chart) as row:
            for round_ in range(-1, options.rounds):
                for label, followers in chance.sample(cases, len(cases)):
                    for _ in range(CALLS):
                        strangers = chance.sample(range(1, 2 * max(POPULARITIES)), FRIENDS - 1)
                        friends = [name(at) for at in (0, *strangers)]
                        began = perf_counter()
                        answered, count = ways.get(label, bounded)(db, followers, friends)
                        taken = (perf_counter() - began) * 1000
                        assert answered == {friend for friend in friends if friend < name(followers)}
                        if round_ >= 0:
                            times[label, followers].append(taken)
                            requests[label, followers].add(count)
            for popularity in POPULARITIES:
                same = same_twice(times[AGAIN, popularity], times[BOUNDED, popularity])
                for label in ways:
                    (count,) = requests[label, popularity]
                    middle, slow = quantiles(times[label, popularity])
                    row(
                        f"{popularity:,}",
                        label,
                        count,
                        f"{middle:.2f}",
                        f"{slow:.2f}",
                        same if label == BOUNDED else "",
                    )
    if options.chart:
        middles = {case: quantiles(values)[0] for case, values in times.items()}
        series = [
            Series(label, [(popularity, middles[label, popularity]) for popularity in POPULARITIES]) for label in ways
        ]
        drawn = chart("Who of 50 friends follows a target?", "followers of the target", "p50, milliseconds", series)
        options.chart.write_text(drawn)


if __name__ == "__main__":
    main()
